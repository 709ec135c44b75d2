"""Closed forms of models that a `stop` ends; see derive.py."""

from mpmath import (acos, cos, ellipfun, ellipk, exp, findroot, log, mpf, sin,
                    sqrt)

from mechanics import G
from phases import Case, near, relaxation


def tank_emptied():
    """sqrt(h) = 1 - c t/2."""
    k, low = mpf('0.3'), mpf('0.01')
    c = Case('tank_emptied', 'models/process/tank_emptied.dae')
    h = lambda t: (1 - k*t/2)**2
    c.phase(2*(1 - sqrt(low))/k, {'h': h, 'out': lambda t: 1 - h(t)},
            {'h': lambda t, y: -k*sqrt(y['h']), 'out': lambda t, y: k*sqrt(y['h'])},
            lambda t, y: y['h'] - low, 'empty')
    near(c.t, mpf(6), 'the tank is empty')
    return c.stop()


def one_shot():
    R, C, U = mpf(47000), mpf('1e-5'), mpf(5)
    c = Case('one_shot', 'models/circuits/one_shot.dae')
    u = relaxation(mpf(0), mpf(0), 1/(R*C), U)
    c.phase(R*C*log(3), {'u': u, 'i': lambda t: (U - u(t))/R},
            {'u': lambda t, y: y['i']/C}, lambda t, y: 2*U/3 - y['u'], 'full')
    return c.stop()


def decay_peak():
    """Bateman's; the guard is the daughter's slope."""
    a, b = mpf(1), mpf(3)
    c = Case('decay_peak', 'models/chemistry/decay_peak.dae')
    rate = lambda t, y: a*y['A'] - b*y['B']
    c.phase(log(b/a)/(b - a), {'A': lambda t: exp(-a*t),
                               'B': lambda t: a/(b - a)*(exp(-a*t) - exp(-b*t))},
            {'A': lambda t, y: -a*y['A'], 'B': rate}, rate, 'most')
    return c.stop()


def second_order():
    k, start = mpf(2), mpf('1.5')
    c = Case('second_order', 'models/chemistry/second_order.dae')
    left = lambda t: 1/(1/start + k*t)
    c.phase(9/(k*start), {'A': left, 'B': lambda t: (start - left(t))/2},
            {'A': lambda t, y: -k*y['A']**2}, lambda t, y: y['A'] - start/10, 'enough')
    return c.stop()


def radial_fall():
    """r = cos(a)^2 at t = (a + sin a cos a)/sqrt(2), v = -sqrt(2 (1/r - 1))."""
    c = Case('radial_fall', 'models/mechanics/radial_fall.dae')
    time = lambda a: (a + sin(a)*cos(a))/sqrt(mpf(2))
    # a series about a = 0, where the time has the slope sqrt(2), begins the search
    angle = lambda t: findroot(lambda a: time(a) - t, t/sqrt(mpf(2)))
    r = lambda t: cos(angle(t))**2
    v = lambda t: -sqrt(mpf(2))*sin(angle(t))/cos(angle(t))
    c.phase(time(acos(sqrt(mpf(1)/10))), {'r': r, 'v': v},
            {'r': lambda t, y: y['v'], 'v': lambda t, y: -1/y['r']**2},
            lambda t, y: y['r'] - mpf(1)/10, 'near')
    return c.stop()


def pendulum_let_go():
    """sin(angle/2) = k cd(w t, k) with k = sin(45 deg), the angle from below; the
    rod pulls with 3 m g cos(angle) on the way from the horizontal."""
    c = Case('pendulum_let_go', 'models/mechanics/pendulum_let_go.dae')
    w, m = sqrt(G), mpf(1)/2
    half = lambda t: sqrt(m)*ellipfun('cd', w*t, m=m)
    x = lambda t: 2*half(t)*sqrt(1 - half(t)**2)
    y = lambda t: 2*half(t)**2 - 1
    # the speed from the energy: down from the horizontal
    speed = lambda t: -sqrt(max(-2*G*y(t), mpf(0)))
    u, v = lambda t: -speed(t)*y(t), lambda t: speed(t)*x(t)
    pull = lambda y: -3*G*y['y']
    c.phase(ellipk(m)/w, {'x': x, 'y': y, 'u': u, 'v': v},
            {'x': lambda t, y: y['u'], 'y': lambda t, y: y['v'],
             'u': lambda t, y: -pull(y)*y['x'],
             'v': lambda t, y: -pull(y)*y['y'] - G},
            lambda t, y: y['x'], 'lowest')
    return c.stop()


CASES = [tank_emptied, one_shot, decay_peak, second_order, radial_fall,
         pendulum_let_go]
