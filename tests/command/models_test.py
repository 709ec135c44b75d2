"""What every model of the library says of itself, and that those with a number
of parts run with any number.

Each has a title, says in words where it comes from ("Source: ...", or an
author with a year) and what is expected of it. Where a parameter is the number
of pendula, links or differentiators, index and degrees of freedom follow from
it, and the expectations of the text hold for each."""

import glob
import os
import re

from support import ROOT, contains, dae, equal, main

MODELS = os.path.join(ROOT, 'models')
AUTHOR = r'[A-Z]\. ?(?:[A-Z]\. ?)*[A-Z]\w+.*\b(1[789]|20)\d\d\b'


def texts():
    for path in sorted(glob.glob(os.path.join(MODELS, '*/*.dae'))):
        with open(path, encoding='utf-8') as file:
            yield os.path.relpath(path, MODELS), file.read()


def words_of(text):
    return ' '.join(re.findall(r'^# ?(.*)', text, re.M))


def without(is_fine):
    found = list(texts())
    assert len(found) > 100, len(found)
    return [name for name, text in found if not is_fine(text)]


def test_titles():
    equal(without(lambda text: re.match(r'(#.*\n|\n)*"[^"\n]{10,}"\n', text)),
          [], 'models without a title')


def test_sources():
    equal(without(lambda text: 'Source: ' in words_of(text)
                  or re.search(AUTHOR, words_of(text))),
          [], 'models that do not say where they come from')


def test_expectations():
    equal(without(lambda text: re.search(r'^ *expect .', text, re.M)), [],
          'models that expect nothing')


def test_models_that_are_named_exist():
    found = list(texts())
    known = {os.path.basename(name) for name, _ in found}
    equal([(name, other) for name, text in found
           for other in re.findall(r'\b\w+\.dae\b', text)
           if other not in known], [], 'models that are not there')


def holds(command, model, parameter):
    result = dae(command, os.path.join(MODELS, model), '--set', parameter,
                 status=0)
    contains(result.out, 'expectations hold')


def test_any_number_of_pendula():
    for count in 1, 2, 6, 11, 24:
        holds('check', 'mechanics/chained_pendula.dae', f'P={count}')
    for count in 1, 2, 10:
        holds('run', 'mechanics/chained_pendula.dae', f'P={count}')


def test_any_number_of_differentiators():
    for count in 1, 2, 30:
        holds('run', 'process/differentiators.dae', f'k={count}')


def test_any_number_of_links():
    for count in 1, 2, 25:
        holds('run', 'mechanics/bead_chain.dae', f'n={count}')


main(globals())
