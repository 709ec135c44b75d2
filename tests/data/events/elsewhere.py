"""Closed forms of event models of control, circuits, processes, biology and
medicine; see derive.py."""

from mpmath import (asin, atan, cos, exp, expm, inverse, lambertw, log, matrix,
                    mpf, pi, sin, sqrt)

from mechanics import first_root
from phases import Case, near, relaxation


def thermostat():
    c = Case('thermostat', 'models/control/thermostat.dae')
    tau, cold, warm, low, high, T = (mpf(x) for x in ('10', '10', '40', '19', '21', '60'))
    t, x, on = mpf(0), mpf(15), 1
    c.beside = [tau*log((x - warm)/(low - warm))]  # on the way up
    while True:
        to = warm if on else cold
        y = {'T': relaxation(t, x, 1/tau, to)}
        rates = {'T': lambda t, y, to=to: (to - y['T'])/tau}
        edge = high if on else low
        guard = lambda t, y, on=on, edge=edge: (edge - y['T']) if on else y['T'] - edge
        end = t + tau*log((x - to)/(edge - to))
        if end > T:
            return c.finish(T, y, rates, guard, {'on': on})
        on = 1 - on
        c.phase(end, y, rates, guard, 'on_again' if on else 'off', None, {'on': on})
        t, x = end, edge


def relay_hysteresis():
    c = Case('relay_hysteresis', 'models/control/relay_hysteresis.dae')
    t, x, u, T = mpf(0), mpf(0), mpf(3), mpf('19.5')
    while True:
        y = {'x': lambda t, t0=t, x=x, u=u: x + u*(t - t0)}
        rates = {'x': lambda t, y, u=u: u}
        edge = mpf(1) if u > 0 else mpf(-1)
        end = t + (edge - x)/u
        if end > T:
            return c.finish(T, y, rates, None, {'u': u})
        u = mpf(-2) if u > 0 else mpf(3)
        c.phase(end, y, rates, None, 'down' if u < 0 else 'up', None, {'u': u})
        t, x = end, edge


def saturating_integrator():
    """x' = u = sin t + 1/10, but not upwards at the top. The sign of u is looked at
    everywhere, so that its changes are events also where x is below."""
    c = Case('saturating_integrator', 'models/control/saturating_integrator.dae')
    top, T, p = mpf(3)/2, mpf(18), asin(mpf(1)/10)
    downs = [(2*k + 1)*pi + p for k in range(3)]
    ups = [2*k*pi - p for k in range(1, 4)]
    u = lambda t: sin(t) + mpf(1)/10
    c.rests = ['x >= top']
    free, held = {'x': lambda t, y: u(t)}, {'x': lambda t, y: 0*t}
    t, x = mpf(0), mpf(0)
    while True:
        y = {'x': lambda t, t0=t, x=x: x + cos(t0) - cos(t) + (t - t0)/10}
        end = first_root(lambda s: top - y['x'](s), t, T)
        turns = [s for s in sorted(downs + ups) if t < s < (end or T)]
        for s in turns:
            c.phase(s, y, free)
        if end is None:
            return c.finish(T, y, free, lambda t, y: top - y['x'])
        c.phase(end, y, free, lambda t, y: top - y['x'])
        t = next(s for s in downs if s > end)
        c.phase(t, {'x': lambda t: top + 0*t}, held, lambda t, y: u(t))
        x = top


def sampled_controller():
    """x' = u - x with u = -k x(t_j) held over each interval of length h."""
    c = Case('sampled_controller', 'models/control/sampled_controller.dae')
    k, h = mpf(6), mpf(1)/4
    t, x = mpf(0), mpf(1)
    u = -k*x
    for j in range(1, 13):
        y = {'x': relaxation(t, x, 1, u)}
        rates = {'x': lambda t, y, u=u: u - y['x']}
        if j == 12:
            return c.finish(mpf('2.9'), y, rates, None, {'u': u})
        t = j*h
        x = y['x'](t)
        u = -k*x
        c.phase(t, y, rates, None, 'sample', None, {'u': u})


def clock():
    """The integral of mod(t, p): p^2/2 for each whole tooth."""
    c = Case('clock', 'models/control/clock.dae')
    p = mpf('0.3')
    for k in range(14):
        y = {'y': lambda t, k=k: k*p**2/2 + (t - k*p)**2/2}
        rates = {'y': lambda t, y, k=k: t - k*p}
        if k == 13:
            return c.finish(4, y, rates)
        c.phase((k + 1)*p, y, rates)


def zero_crossings():
    """sin is 0 at k pi; it turns negative at the odd ones, positive at the even."""
    c = Case('zero_crossings', 'models/oscillators/zero_crossings.dae')
    y = {'x': sin, 'v': cos}
    rates = {'x': lambda t, y: y['v'], 'v': lambda t, y: -y['x']}
    down, up = 0, 1
    # it begins at 0 and rises: `x > 0` turns true at once
    start = {'x': mpf(0), 'v': mpf(1)}
    c.events.append((mpf(0), 'up', start, start, {'ups': 1}))
    for k in range(1, 32):
        if k % 2:
            down += 1
            c.phase(k*pi, y, rates, lambda t, y: y['x'], 'down', None, {'downs': down})
        else:
            up += 1
            c.phase(k*pi, y, rates, lambda t, y: -y['x'], 'up', None, {'ups': up})
    return c.finish(100, y, rates, lambda t, y: -y['x'], {'downs': down, 'ups': up})


def rectified_sine():
    """x' = |sin t|: 2 for each half turn."""
    c = Case('rectified_sine', 'models/oscillators/rectified_sine.dae')
    for k in range(7):
        sign = (-1)**k
        y = {'x': lambda t, k=k, sign=sign: 2*k + 1 - sign*cos(t)}
        rates = {'x': lambda t, y, sign=sign: sign*sin(t)}
        if k == 6:
            return c.finish(20, y, rates)
        c.phase((k + 1)*pi, y, rates, lambda t, y, sign=sign: sign*sin(t))


# --- circuits ------------------------------------------------------------------

def half_wave_rectifier():
    """A diode that is ideal but for its resistance charges C while the source is
    above it: a particular sine and a decay; the places where they are equal by
    bisection and Newton's method."""
    c = Case('half_wave_rectifier', 'models/circuits/half_wave_rectifier.dae')
    R, Rd, C, w, T = mpf(10), mpf(1), mpf('0.02'), 2*pi, mpf(5)/2
    a, b = (1/R + 1/Rd)/C, 1/(Rd*C)
    # u' = -a u + b sin(w t) has the particular solution P
    P = lambda t: b*(a*sin(w*t) - w*cos(w*t))/(a*a + w*w)
    on_rates = {'u': lambda t, y: -a*y['u'] + b*sin(w*t)}
    off_rates = {'u': lambda t, y: -y['u']/(R*C)}
    over = lambda t, y: sin(w*t) - y['u']
    under = lambda t, y: y['u'] - sin(w*t)
    t, x, on = mpf(0), mpf(0), True
    while True:
        if on:
            y = {'u': lambda t, t0=t, x=x: P(t) + (x - P(t0))*exp(-a*(t - t0))}
            rates, guard = on_rates, over
        else:
            y = {'u': relaxation(t, x, 1/(R*C), 0)}
            rates, guard = off_rates, under
        end = first_root(lambda s: guard(s, {'u': y['u'](s)}), t + mpf(1)/1000, T)
        if end is None:
            return c.finish(T, y, rates, guard)
        c.phase(end, y, rates, guard)
        t, x, on = end, y['u'](end), not on


def peak_detector():
    """The capacitor is the source while current flows, which ends where
    C u' + u/R = 0: tan(w t) = -w R C; then it decays until the source is back."""
    c = Case('peak_detector', 'models/circuits/peak_detector.dae')
    c.rests = ['source > u', 'i < 0']
    R, C, w, T = mpf(10), mpf('0.1'), mpf(5), mpf(4)
    c.beside = [(pi/2 + k*pi)/w for k in range(6)]  # source' > 0
    on = {'u': lambda t: sin(w*t), 'i': lambda t: C*w*cos(w*t) + sin(w*t)/R}
    off_rates = {'u': lambda t, y: -y['u']/(R*C)}
    on_rates = {'u': lambda t, y: (y['i'] - y['u']/R)/C}
    k = 0
    while True:
        end = (pi - atan(w*R*C) + 2*pi*k)/w
        if end > T:
            return c.finish(T, on, on_rates, lambda t, y: y['i'], {'conducts': 1})
        c.phase(end, on, on_rates, lambda t, y: y['i'], 'off', {'i': mpf(0)},
                {'conducts': 0})
        u = relaxation(end, sin(w*end), 1/(R*C), 0)
        y = {'u': u, 'i': lambda t: 0*t}
        guard = lambda t, y: y['u'] - sin(w*t)
        back = first_root(lambda s: u(s) - sin(w*s), end + mpf(1)/1000, T)
        if back is None:
            return c.finish(T, y, off_rates, guard, {'conducts': 0})
        c.phase(back, y, off_rates, guard, 'on',
                {'i': C*w*cos(w*back) + sin(w*back)/R}, {'conducts': 1})
        k += 1


def pulse_train():
    c = Case('pulse_train', 'models/circuits/pulse_train.dae')
    period, width, RC, T = mpf(1), mpf('0.3'), mpf('0.5'), mpf('4.7')
    x = mpf(0)
    for k in range(5):
        y = {'u': relaxation(k*period, x, 1/RC, 1)}
        c.phase(k*period + width, y, {'u': lambda t, y: (1 - y['u'])/RC})
        x = y['u'](k*period + width)
        y = {'u': relaxation(k*period + width, x, 1/RC, 0)}
        rates = {'u': lambda t, y: -y['u']/RC}
        if k == 4:
            return c.finish(T, y, rates)
        c.phase((k + 1)*period, y, rates)
        x = y['u']((k + 1)*period)


def buck_converter():
    """Two linear systems by turns; the start is the fixed point of one period, so
    every period ends where it began."""
    c = Case('buck_converter', 'models/circuits/buck_converter.dae')
    L, C, R, U, period, duty = (mpf(x) for x in ('5e-3', '1e-4', '5', '12', '1e-3', '0.4'))
    A = matrix([[0, -1/L], [1/C, -1/(R*C)]])
    inv = inverse(A)
    rest = -(inv*matrix([U/L, 0]))
    on, off = expm(A*duty*period), expm(A*(1 - duty)*period)
    one = matrix([[1, 0], [0, 1]])
    # z -> off (rest + on (z - rest))
    z = inverse(one - off*on)*(off*(rest - on*rest))
    begin, t, n = z, mpf(0), 0
    while True:
        for closed in 1, 0:
            at = rest if closed else matrix([0, 0])
            move = lambda t, j, t0=t, z=z, at=at: (at + expm(A*(t - t0))*(z - at))[j]
            y = {'i': lambda t, m=move: m(t, 0), 'u': lambda t, m=move: m(t, 1)}
            rates = {'i': lambda t, y, s=closed: (s*U - y['u'])/L,
                     'u': lambda t, y: (y['i'] - y['u']/R)/C}
            end = n*period + (duty*period if closed else period)
            if n == 5 and not closed:
                return c.finish(mpf('5.7')*period, y, rates)
            z = matrix([y['i'](end), y['u'](end)])
            c.phase(end, y, rates)
            t = end
        n += 1
        for j in range(2):
            near(z[j], begin[j], 'buck converter: periodic')


# --- processes -----------------------------------------------------------------

def tank_level_switch():
    """h' = q - c sqrt(h): with s = sqrt(h), t = (2/c) (s0 - s + (q/c)
    log((q - c s0)/(q - c s))); s(t) by Lambert's W."""
    c = Case('tank_level_switch', 'models/process/tank_level_switch.dae')
    q, k, low, high, T = (mpf(x) for x in ('0.5', '0.3', '0.4', '1.2', '20'))
    t, h, pump, n = mpf(0), mpf(1), 0, 0
    while True:
        s0 = sqrt(h)
        if pump:
            # b = q/k - s solves b exp(-b k/q) = its start, times exp(-k^2 t/(2 q))
            b0 = q/k - s0
            y = {'h': lambda t, t0=t, b0=b0: (q/k + q/k*lambertw(
                -b0*k/q*exp(-b0*k/q - k*k*(t - t0)/(2*q))).real)**2}
            end = t + 2/k*(s0 - sqrt(high) + q/k*log((q - k*s0)/(q - k*sqrt(high))))
        else:
            y = {'h': lambda t, t0=t, s0=s0: (s0 - k*(t - t0)/2)**2}
            end = t + 2/k*(s0 - sqrt(low))
        rates = {'h': lambda t, y, p=pump: p*q - k*sqrt(y['h'])}
        guard = lambda t, y, p=pump: high - y['h'] if p else y['h'] - low
        if end > T:
            return c.finish(T, y, rates, guard, {'pump': pump, 'starts': n})
        h, pump = (high, 0) if pump else (low, 1)
        n += pump
        c.phase(end, y, rates, guard, 'start' if pump else 'halt', None,
                {'pump': pump, 'starts': n} if pump else {'pump': pump})
        t = end


def tank_overflow():
    """h' = sin t + 1/4 - k max(0, h - top): an integral up to the edge, a linear
    equation above it."""
    c = Case('tank_overflow', 'models/process/tank_overflow.dae')
    k, top, T = mpf(4), mpf(1), mpf(10)
    inflow = lambda t: sin(t) + mpf(1)/4
    # above: z = h - top, z' = -k z + sin t + 1/4
    P = lambda t: (k*sin(t) - cos(t))/(k*k + 1) + 1/(4*k)
    t, x, above = mpf(0), mpf(0), False
    while True:
        if above:
            y = {'h': lambda t, t0=t: top + P(t) - P(t0)*exp(-k*(t - t0))}
            rates = {'h': lambda t, y: inflow(t) - k*(y['h'] - top)}
            guard = lambda t, y: y['h'] - top
        else:
            y = {'h': lambda t, t0=t, x=x: x + (t - t0)/4 - cos(t) + cos(t0)}
            rates = {'h': lambda t, y: inflow(t)}
            guard = lambda t, y: top - y['h']
        end = first_root(lambda s: guard(s, {'h': y['h'](s)}), t + mpf(1)/1000, T)
        if end is None:
            return c.finish(T, y, rates, guard)
        c.phase(end, y, rates, guard)
        t, x, above = end, top, not above


def two_tanks_valve():
    """The valve opens once: from then two coupled linear equations, by the
    eigenvalues of their matrix."""
    c = Case('two_tanks_valve', 'models/process/two_tanks_valve.dae')
    q, a, b = mpf(1), mpf('0.5'), mpf('0.25')
    y = {'h1': lambda t: q*t, 'h2': lambda t: exp(-b*t)}
    c.phase(2, y, {'h1': lambda t, y: q, 'h2': lambda t, y: -b*y['h2']},
            lambda t, y: 2 - y['h1'], 'open', None, {'valve': 1})
    A = matrix([[-a, a], [a, -a - b]])
    rest = -(inverse(A)*matrix([q, 0]))
    z = matrix([2, exp(-2*b)])
    move = lambda t, j: (rest + expm(A*(t - 2))*(z - rest))[j]
    return c.finish(10, {'h1': lambda t: move(t, 0), 'h2': lambda t: move(t, 1)},
                    {'h1': lambda t, y: q - a*(y['h1'] - y['h2']),
                     'h2': lambda t, y: a*(y['h1'] - y['h2']) - b*y['h2']},
                    None, {'valve': 1})


# --- biology, medicine -----------------------------------------------------------

def integrate_and_fire():
    """Period tau log((R I - v_reset)/(R I - v_threshold))."""
    c = Case('integrate_and_fire', 'models/biology/integrate_and_fire.dae')
    tau, rest, reset, threshold, drive, T = (
        mpf(x) for x in ('10', '-65', '-70', '-50', '20', '100'))
    t, v, n = mpf(0), rest, 0
    while True:
        y = {'v': relaxation(t, v, 1/tau, rest + drive)}
        rates = {'v': lambda t, y: (rest + drive - y['v'])/tau}
        guard = lambda t, y: threshold - y['v']
        end = t + tau*log((rest + drive - v)/(rest + drive - threshold))
        if end > T:
            return c.finish(T, y, rates, guard, {'spikes': n})
        n += 1
        c.phase(end, y, rates, guard, 'spike', {'v': reset}, {'spikes': n})
        t, v = end, reset


def harvest():
    """The logistic curve from y0: 1/(1 + (1/y0 - 1) exp(-r t))."""
    c = Case('harvest', 'models/biology/harvest.dae')
    r, full, left, T = mpf('0.7'), mpf('0.8'), mpf('0.3'), mpf(20)
    t, x, taken = mpf(0), mpf('0.1'), mpf(0)
    while True:
        y = {'y': lambda t, t0=t, x=x: 1/(1 + (1/x - 1)*exp(-r*(t - t0)))}
        rates = {'y': lambda t, y: r*y['y']*(1 - y['y'])}
        guard = lambda t, y: full - y['y']
        end = t + log((1/x - 1)/(1/full - 1))/r
        if end > T:
            return c.finish(T, y, rates, guard, {'taken': taken})
        taken += full - left
        c.phase(end, y, rates, guard, 'harvest', {'y': left}, {'taken': taken})
        t, x = end, left


def doses():
    """Gut and blood: one dose gives D ka/(ka - ke) (exp(-ke s) - exp(-ka s)), and
    the equations are linear, so doses add. The first is taken at the start."""
    c = Case('doses', 'models/medicine/doses.dae')
    D, ka, ke, every, T = (mpf(x) for x in ('100', '1.2', '0.15', '8', '50'))
    rates = {'gut': lambda t, y: -ka*y['gut'],
             'blood': lambda t, y: ka*y['gut'] - ke*y['blood']}
    c.begin('dose', {'gut': 0, 'blood': 0}, {'gut': D}, {'given': 1})
    n = 1
    while True:
        y = {'gut': lambda t, n=n: sum(D*exp(-ka*(t - k*every)) for k in range(n)),
             'blood': lambda t, n=n: sum(
                 D*ka/(ka - ke)*(exp(-ke*(t - k*every)) - exp(-ka*(t - k*every)))
                 for k in range(n))}
        end = n*every
        if end > T:
            return c.finish(T, y, rates, None, {'given': n})
        c.phase(end, y, rates, None, 'dose', {'gut': y['gut'](end) + D},
                {'given': n + 1})
        n += 1


CASES = [thermostat, relay_hysteresis, saturating_integrator, sampled_controller,
         clock, zero_crossings, rectified_sine, half_wave_rectifier,
         peak_detector, pulse_train, buck_converter, tank_level_switch,
         tank_overflow, two_tanks_valve, integrate_and_fire, harvest, doses]
