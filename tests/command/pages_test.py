"""The examples of docs/diagnostics: each provokes the code of its page, by the
command that the page shows, and prints what the page shows, but for digits. The
models of docs/structure.md: each is one, and has a consistent start."""

import glob
import os
import re
import subprocess

from support import DAE, ROOT, contains, dae, equal, main, write


def blocks(path):
    with open(path, encoding='utf-8') as file:
        return re.findall(r'```(dae|text|csv \S+)\n(.*?)```', file.read(), re.S)


# Values, and how far an iteration goes, differ between machines in the last
# digits.
def without_numbers(text):
    text = re.sub(r'\d+(\.\d+)?(e[-+]?\d+)?', '#', text)
    return text.replace('iterations', 'iteration')


def show(command):
    os.makedirs('bin', exist_ok=True)
    if not os.path.exists('bin/dae'):
        os.symlink(DAE, 'bin/dae')
    environment = dict(os.environ, PATH='bin:' + os.environ['PATH'])
    return subprocess.run(['sh', '-c', command], env=environment, timeout=60,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stderr.decode()


def check_page(path):
    code = os.path.basename(path)[:5]
    shown = 0
    for kind, text in blocks(path):
        if kind == 'dae':
            write('example.dae', text)
            continue
        if kind.startswith('csv '):
            write(kind[4:], text)
            continue
        first, _, rest = text.partition('\n')
        equal(first[:2], '$ ', 'a command')
        result = show(first[2:])
        contains(rest, f'[{code}]')
        contains(result, f'[{code}]')
        equal(without_numbers(rest), without_numbers(result), code)
        shown += 1
    return shown > 0


def test_pages():
    paths = sorted(glob.glob(os.path.join(ROOT, 'docs/diagnostics/*.md')))
    shown = [path for path in paths if check_page(path)]
    with open(os.path.join(ROOT, 'solver/base/diag_codes.def')) as file:
        codes = re.findall(r'^X\((\w+),', file.read(), re.M)
    equal([os.path.basename(path)[:5] for path in paths], sorted(codes))
    equal([os.path.basename(path)[:5] for path in paths if path not in shown],
          ['E0003', 'E0007'], 'pages of what no command tells by its code')


def test_listing_of_the_readme():
    """It is the model that the first command runs, without its comments."""
    with open(os.path.join(ROOT, 'README.md'), encoding='utf-8') as file:
        readme = file.read()
    with open(os.path.join(ROOT, 'models/chemistry/robertson.dae'), encoding='utf-8') as file:
        lines = [line for line in file if not line.startswith('#')]
    contains(readme, ''.join(line if line == '\n' else '    ' + line for line in lines))


def test_models_of_the_lesson():
    models = [text for kind, text in
              blocks(os.path.join(ROOT, 'docs/structure.md')) if kind == 'dae']
    equal(len(models) >= 5, True, 'models')
    for text in models:
        write('lesson.dae', text)
        contains(dae('check', 'lesson.dae', status=0).out,
                 'lesson: consistent, index ')
        dae('test', 'lesson.dae', status=0)


main(globals())
