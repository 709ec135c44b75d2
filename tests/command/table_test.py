"""Tables by the command: where files are looked for, exit statuses, what a run
leaves, and what it says beyond the rows."""

import os

from support import contains, dae, equal, main, write

LEVEL = 'time,level\n0,1\n1,2\n2,1.5\n3,1.8\n'

MODEL = '''input level = table("{file}", x = "time", y = "level"{more})
var x = 0
x' = level - x
solve t in 0..3, rtol = 1e-8, atol = 1e-10
'''


def model(name, file='level.csv', more=''):
    write(name, MODEL.format(file=file, more=more))


def test_a_name_is_taken_from_the_folder_of_the_model():
    os.makedirs('plant/data', exist_ok=True)
    write('plant/data/level.csv', LEVEL)
    model('plant/tank.dae', 'data/level.csv')
    dae('check', 'plant/tank.dae', status=0)
    os.makedirs('elsewhere', exist_ok=True)
    model('elsewhere/tank.dae', '../plant/data/level.csv')
    dae('check', 'elsewhere/tank.dae', status=0)
    model('elsewhere/root.dae', os.path.abspath('plant/data/level.csv'))
    dae('check', 'elsewhere/root.dae', status=0)


def test_standard_input_is_in_the_working_directory():
    write('level.csv', LEVEL)
    dae('check', '-', stdin=MODEL.format(file='level.csv', more=''), status=0)


def test_a_file_that_is_not_there():
    model('lost.dae', 'nowhere.csv')
    for command in ('check', 'run'):
        result = dae(command, 'lost.dae', status=5)
        contains(result.err, 'error[E0001]: cannot read `nowhere.csv`')
        contains(result.err, 'lost.dae:1:15')


def test_a_folder_is_no_file():
    os.makedirs('folder.csv', exist_ok=True)
    model('folder.dae', 'folder.csv')
    contains(dae('check', 'folder.dae', status=5).err, 'E0001')


def test_the_file_is_shown_at_its_line():
    write('text.csv', 'time,level\n0,1\n1,wet\n2,3\n')
    model('text.dae', 'text.csv')
    result = dae('check', 'text.dae', status=3)
    contains(result.err, '`text.csv`, row 2 (line 3), column `level`')
    contains(result.err, 'text.csv:3:3')


# x' = g - x between rows with g constant: exponentials
def test_hold_is_its_closed_form():
    from math import exp
    write('level.csv', LEVEL)
    model('hold.dae', more=', interp = "hold"')
    x, level = 0.0, (1, 2, 1.5)
    for value in level:
        x = value + (x - value)*exp(-1)
    write('hold_test.dae', open('hold.dae').read()
          + f'expect x ~ {x!r} within 1e-7 final\n')
    dae('test', 'hold_test.dae', status=0)


def test_a_longer_run_is_refused_before_it_begins():
    write('level.csv', LEVEL)
    model('run.dae')
    dae('run', 'run.dae', '--to', '2', status=0)
    result = dae('run', 'run.dae', '--to', '4', status=3)
    contains(result.err, 'rows for `time` from 0 to 3, but t goes from 0 to 4')
    equal(result.out, '', 'output')
    contains(dae('run', 'run.dae', '--from', '-1', status=3).err, 'E0231')


def test_how_it_goes_on():
    write('level.csv', LEVEL)
    for interp in ('hold', 'linear', 'spline3'):
        for beyond in ('hold', 'linear'):
            model('on.dae',
                  more=f', interp = "{interp}", extrapolate = "{beyond}"')
            value = 1.8
            if beyond == 'linear' and interp == 'linear':
                value = 2.1
            text = open('on.dae').read().replace('0..3', '-1..4')
            if not (beyond == 'linear' and interp == 'spline3'):
                text += f'expect level ~ {value} within 1e-12 final\n'
            write('on.dae', text)
            dae('test', 'on.dae', status=0)


def test_another_time():
    write('level.csv', LEVEL)
    model('at.dae', more=', at = t/2')
    write('at.dae', open('at.dae').read().replace('0..3', '0..6')
          + 'expect level ~ 1.5 within 1e-12 at 1\n')
    dae('test', 'at.dae', status=0)
    write('far.dae', open('at.dae').read().replace('0..6', '0..8'))
    result = dae('run', 'far.dae', status=3)
    contains(result.err, 'from 0 to 3, but `t/2` is 4 at t = 8')
    write('let.dae', open('far.dae').read().replace('at = t/2', 'at = slow')
          + 'let slow = t/2\n')
    result = dae('run', 'let.dae', status=3)
    contains(result.err, 'from 0 to 3, but `slow` is 4 at t = 8')
    # what is not seen before the run, which looks at 64 times
    write('late.dae', open('far.dae').read().replace(
        'at = t/2', 'at = t/4 + 3*exp(-((t - 4.06)/0.01)^2)').replace(
            '0..8', '0..8, max_step = 0.005'))
    result = dae('run', 'late.dae', status=4)
    contains(result.err, 'has rows from 0 to 3')


def test_many_rows_are_read_at_once():
    rows = ''.join(f'{k},{k % 7},{1 + k % 3}\n' for k in range(1, 100001))
    write('edges.csv', 'i,j,S\n' + rows)
    write('edges.dae', '''param edge = table("edges.csv")
var x = 1
x' = -x*sum(edge.S)/edge.count
solve t in 0..1
expect x > 0 final
''')
    dae('check', 'edges.dae', status=0)


def test_memory_is_limited():
    rows = ''.join(f'{k}.5,{k}\n' for k in range(300000))
    write('large.csv', 'time,level\n' + rows)
    model('large.dae', 'large.csv', ', interp = "spline5"')
    result = dae('check', 'large.dae', '--memory-limit', '4', status=6)
    contains(result.err, 'E0004')


main(globals())
