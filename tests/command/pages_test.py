"""The examples of docs/diagnostics: each provokes the code of its page, by the
command that the page shows."""

import glob
import os
import re
import subprocess

from support import DAE, ROOT, contains, equal, main, write


def check_page(path):
    with open(path, encoding='utf-8') as file:
        page = file.read()
    code = os.path.basename(path)[:5]
    model = re.search(r'```dae\n(.*?)```', page, re.S)
    shown = re.search(r'```text\n\$ (.*?)\n(.*?)\n```', page, re.S)
    if not shown:
        equal(code, 'E0003', 'the only page without an example')
        return 0
    if model:
        write('example.dae', model.group(1))
    os.makedirs('bin', exist_ok=True)
    if not os.path.exists('bin/dae'):
        os.symlink(DAE, 'bin/dae')
    environment = dict(os.environ, PATH='bin:' + os.environ['PATH'])
    result = subprocess.run(['sh', '-c', shown.group(1)], env=environment,
                            timeout=60, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    contains(result.stderr.decode(), f'[{code}]')
    contains(shown.group(2), f'[{code}]')
    return 1


def test_pages():
    paths = sorted(glob.glob(os.path.join(ROOT, 'docs/diagnostics/*.md')))
    shown = sum(check_page(path) for path in paths)
    with open(os.path.join(ROOT, 'solver/base/diag_codes.def')) as file:
        codes = re.findall(r'^X\((\w+),', file.read(), re.M)
    equal([os.path.basename(path)[:5] for path in paths], sorted(codes))
    equal(shown, len(codes) - 1)


main(globals())
