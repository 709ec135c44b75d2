"""`expect` lines in dae run and dae test."""

import os

from support import DECAY, contains, dae, equal, main, write


def check(lines, status, command='run'):
    write('m.dae', DECAY + lines)
    return dae(command, 'm.dae', status=status)


def test_those_that_hold():
    lines = ('expect x ~ exp(-2) within 1e-6\n'
             'expect x ~ exp(-1) within 1e-6 at 0.5\n'
             'expect x ~ 1 within 0 at 0\n'
             'expect total ~ 1 within 1e-9 always\n'
             'expect x > 0 always\n'
             'expect total ~ initial(total) within 1e-9 always\n'
             'expect y > x final\n')
    contains(check(lines, 0).out, '7 expectations hold')
    contains(check(lines, 0, 'test').out, 'pass')


def test_those_that_do_not():
    for line, values in [
            ('expect x ~ 1 within 1e-3', ['0.135335', '1']),
            ('expect x ~ 1 within 1e-3 at 0.5', ['0.367879', 't = 0.5']),
            ('expect x > 0.5 always', ['t = 0.3', '0.5']),
            ('expect x < 0.99999999 always', ['at t = 0 ', 'is 1,']),
            ('expect x ~ 0/0*t within 1', []),
            ('expect x > 2 final', ['0.135335', '2']),
            ('expect x > 0 at 3', ['outside'])]:
        if '0/0' in line:
            line = 'expect x ~ log(-x) within 1'
        for command in 'run', 'test':
            r = check(line + '\n', 1, command)
            contains(r.err, 'E0601')
            contains(r.err, 'm.dae:9:1')
            for value in values:
                contains(r.err, value)


def test_the_element_that_fails():
    write('m.dae', "var x[i in 0..2, 2] = i\nx' = 0*x\nsolve t in 0..1\n"
          "expect x < 2 final\nexpect x ~ ones(3, 2) within 0.5 always\n")
    err = dae('run', 'm.dae', status=1).err
    contains(err, '`expect x < 2 final` does not hold, at [2,1]')
    contains(err, '`expect x < 2 final` does not hold, at [2,2]')
    for index in ['[0,1]', '[0,2]', '[2,1]', '[2,2]']:
        contains(err, '`expect x ~ ones(3, 2) within 0.5 always` '
                 'does not hold, at ' + index)
    equal(err.count('E0601'), 6)


def test_between_output_times():
    # a peak of width 0.02 that no output time meets
    write('m.dae', "var x = 0\nx' = 100*exp(-((t - 0.503)/0.01)^2)\n"
          "let p = exp(-((t - 0.503)/0.01)^2)\n"
          "solve t in 0..1, points = 2, rtol = 1e-8, max_step = 0.002\n"
          "expect p < 0.95 always\n")
    contains(dae('run', 'm.dae', status=1).err, 'at t = 0.50')


def test_index_and_freedom():
    # x' = -k*x, y algebraic
    r = check('expect index == 1\nexpect dof == 1\n', 0, 'test')
    contains(r.out, 'pass')
    r = check('expect index == 2\nexpect x > 0\n', 1, 'test')
    contains(r.out, 'FAIL')
    contains(r.err, 'the index is 1')
    contains(check('expect index == 1\n', 0, 'run').out,
             '1 expectation holds')
    contains(check('expect dof == 2\n', 1, 'run').err, 'E0601')


def test_expected_codes():
    write('count.dae', 'var x = 1, y = 2\nx\' = -x\nsolve t in 0..1\n'
          'expect "E0301"\n')
    contains(dae('test', 'count.dae', status=0).out, 'pass')
    dae('run', 'count.dae', status=3)
    write('other.dae', 'var x = 1, y = 2\nx\' = -z\nsolve t in 0..1\n'
          'expect "E0301"\n')
    r = dae('test', 'other.dae', status=3)
    contains(r.out, 'FAIL')
    contains(r.err, 'expected E0301')
    write('fine.dae', DECAY + 'expect "E0301"\n')
    dae('test', 'fine.dae', status=1)
    dae('run', 'fine.dae', status=1)
    write('start.dae', 'var x = 2, y = 0\ny\' = x\nx^2 + y^2 = 1\n'
          'solve t in 0..1 ; expect "E0401"\n')
    dae('test', 'start.dae', status=0)
    write('run.dae', "var x = 1\nx' = x^2\nsolve t in 0..2\n"
          'expect "E0501"\n')
    dae('test', 'run.dae', status=0)
    # neither a comment nor a string is an expectation
    write('comment.dae', 'var x = 1, y = 2\nx\' = -x\nsolve t in 0..1\n'
          '# expect "E0301"\n')
    dae('test', 'comment.dae', status=3)


def test_folders():
    os.makedirs('models/deep')
    write('models/b.dae', DECAY + 'expect x > 0\n')
    write('models/deep/a.dae', DECAY + 'expect x < 0\n')
    write('models/c.dae', DECAY)
    write('models/notes.txt', 'no model')
    r = dae('test', 'models', status=1)
    equal([line.split()[-1] for line in r.out.splitlines()[:3]],
          ['models/b.dae', 'models/c.dae', 'models/deep/a.dae'])
    contains(r.out, '1 passed, 1 failed, 1 without expectations')
    dae('test', 'models/b.dae', 'models/c.dae', status=0)
    os.makedirs('empty')
    dae('test', 'empty', status=5)
    dae('test', 'nowhere.dae', status=5)
    d = dae('test', 'models', '--json', status=1).json
    equal([(m['model'], m['verdict']) for m in d],
          [('models/b.dae', 'pass'), ('models/c.dae', 'no expectations'),
           ('models/deep/a.dae', 'FAIL')])


main(globals())
