"""Closed forms of mechanical event models; see derive.py."""

from mpmath import (acos, asin, atan, cos, ellipf, ellipk, exp, lambertw, log,
                    mpf, pi, sin, sqrt, tan)

from phases import Case, fall, oscillation, root

G = mpf('9.81')


def bouncing_ball():
    e = mpf('0.8')
    c = Case('bouncing_ball', 'models/mechanics/bouncing_ball.dae')
    t, h, v, n = mpf(0), mpf(1), mpf(0), 0
    rates = {'h': lambda t, y: y['v'], 'v': lambda t, y: -G}
    while True:
        place, speed = fall(t, h, v, G)
        end = t + (v + sqrt(v*v + 2*G*h))/G
        if end > 3:
            return c.finish(3, {'h': place, 'v': speed}, rates,
                            lambda t, y: y['h'], {'n': n})
        n += 1
        c.phase(end, {'h': place, 'v': speed}, rates,
                lambda t, y: y['h'], 'bounce', {'v': -e*speed(end)}, {'n': n})
        t, h, v = end, mpf(0), -e*speed(end)


def ball_on_incline():
    """Along and across the plane two falls with the parts of gravity."""
    e, a = mpf('0.7'), mpf('0.3')
    c = Case('ball_on_incline', 'models/mechanics/ball_on_incline.dae')
    rates = {'x': lambda t, y: y['u'], 'y': lambda t, y: y['v'],
             'u': lambda t, y: 0, 'v': lambda t, y: -G}
    # down the plane and away from it, from rest at height 1 above the origin
    s = fall(mpf(0), -sin(a), mpf(0), -G*sin(a))
    t, above, v, n = mpf(0), cos(a), mpf(0), 0
    while True:
        p = fall(t, above, v, G*cos(a))
        y = {'x': lambda t, p=p: cos(a)*s[0](t) + sin(a)*p[0](t),
             'y': lambda t, p=p: -sin(a)*s[0](t) + cos(a)*p[0](t),
             'u': lambda t, p=p: cos(a)*s[1](t) + sin(a)*p[1](t),
             'v': lambda t, p=p: -sin(a)*s[1](t) + cos(a)*p[1](t)}
        guard = lambda t, y: sin(a)*y['x'] + cos(a)*y['y']
        end = t + (v + sqrt(v*v + 2*G*cos(a)*above))/(G*cos(a))
        if end > 2:
            return c.finish(2, y, rates, guard, {'n': n})
        n += 1
        w = -e*p[1](end)
        c.phase(end, y, rates, guard, 'bounce',
                {'u': cos(a)*s[1](end) + sin(a)*w,
                 'v': -sin(a)*s[1](end) + cos(a)*w}, {'n': n})
        t, above, v = end, mpf(0), w


def ball_with_drag():
    """h = h0 + ((v0 + g/k)(1 - exp(-k s)) - g s)/k; the landing by Lambert's W."""
    e, k = mpf('0.9'), mpf('0.5')
    c = Case('ball_with_drag', 'models/mechanics/ball_with_drag.dae')
    rates = {'h': lambda t, y: y['v'], 'v': lambda t, y: -G - k*y['v']}
    t, h, v, n = mpf(0), mpf(5), mpf(0), 0
    while True:
        A = (v + G/k)/k
        if v > 0 and t + log(A*k*k/G)/k < 5:
            c.beside.append(t + log(A*k*k/G)/k)  # the top of the flight
        y = {'h': lambda t, t0=t, h=h, A=A:
                  h + A*(1 - exp(-k*(t - t0))) - G/k*(t - t0),
             'v': lambda t, t0=t, A=A: A*k*exp(-k*(t - t0)) - G/k}
        # h + A - A z - g s/k = 0 with z = exp(-k s)
        B = G/k
        s = (h + A)/B + lambertw(-A*k/B*exp(-k*(h + A)/B)).real/k
        end = t + s
        if end > 5:
            return c.finish(5, y, rates, lambda t, y: y['h'], {'n': n})
        n += 1
        c.phase(end, y, rates, lambda t, y: y['h'], 'bounce',
                {'v': -e*y['v'](end)}, {'n': n})
        t, h, v = end, mpf(0), -e*y['v'](end)


def stacked_balls():
    """Both fall alike; between hits their distance changes uniformly."""
    m, M, T = mpf('0.1'), mpf(1), mpf('1.2')
    c = Case('stacked_balls', 'models/mechanics/stacked_balls.dae')
    rates = {'x': lambda t, y: y['u'], 'y': lambda t, y: y['v'],
             'u': lambda t, y: -G, 'v': lambda t, y: -G}
    t, x, u, z, v = mpf(0), mpf(1), mpf(0), mpf('1.1'), mpf(0)
    grounds = hits = 0
    while True:
        a, b = fall(t, x, u, G), fall(t, z, v, G)
        y = {'x': a[0], 'u': a[1], 'y': b[0], 'v': b[1]}
        ground = t + (u + sqrt(u*u + 2*G*x))/G
        hit = t + (z - x)/(u - v) if u > v else mpf(10)
        end = min(ground, hit)
        if end > T:
            return c.finish(T, y, rates, lambda t, y: min(y['x'], y['y'] - y['x']),
                            {'grounds': grounds, 'hits': hits})
        if ground < hit:
            grounds += 1
            x, u, z, v = mpf(0), -a[1](end), b[0](end), b[1](end)
            c.phase(end, y, rates, lambda t, y: y['x'], 'ground', {'u': u},
                    {'grounds': grounds})
        else:
            hits += 1
            p, q = a[1](end), b[1](end)
            x, z = a[0](end), a[0](end)
            u = ((M - m)*p + 2*m*q)/(M + m)
            v = ((m - M)*q + 2*M*p)/(M + m)
            c.phase(end, y, rates, None, 'hit', {'u': u, 'v': v}, {'hits': hits})
        t = end


def ball_between_walls():
    c = Case('ball_between_walls', 'models/mechanics/ball_between_walls.dae')
    t, x, v, n = mpf(0), mpf('0.3'), pi, 0
    rates = {'x': lambda t, y: y['v'], 'v': lambda t, y: 0}
    while True:
        y = {'x': lambda t, t0=t, x=x, v=v: x + v*(t - t0), 'v': lambda t, v=v: v}
        end = t + ((1 - x) if v > 0 else -x)/v
        if end > 10:
            return c.finish(10, y, rates, lambda t, y: y['x']*(1 - y['x']), {'n': n})
        n += 1
        c.phase(end, y, rates, None, 'right' if v > 0 else 'left', {'v': -v},
                {'n': n})
        t, x, v = end, mpf(1) if v > 0 else mpf(0), -v


def braking_block():
    """v' = -(a + b v^2): v = sqrt(a/b) tan(p - sqrt(a b) t)."""
    a, b, v0 = mpf('0.4')*G, mpf('0.05'), mpf(20)
    c = Case('braking_block', 'models/mechanics/braking_block.dae')
    w, k = sqrt(a*b), sqrt(a/b)
    p = atan(v0/k)
    y = {'x': lambda t: log(cos(p - w*t)/cos(p))/b, 'v': lambda t: k*tan(p - w*t)}
    c.phase(p/w, y, {'x': lambda t, y: y['v'],
                     'v': lambda t, y: -a - b*y['v']**2},
            lambda t, y: y['v'], 'rest', {'v': mpf(0)}, {'sliding': 0})
    x = log(1 + b*v0**2/a)/(2*b)
    return c.finish(5, {'x': lambda t: x + 0*t, 'v': lambda t: 0*t},
                    {'x': lambda t, y: y['v']}, None, {'sliding': 0})


def belt_stick_slip():
    """Stick: x = v_belt t. Slip: an oscillation about the place where the spring
    holds the kinetic friction, until the block is as fast as the belt."""
    k, m, vb = mpf(10), mpf(1), mpf('0.5')
    Fs, Fk, T = mpf(5), mpf(3), mpf(8)
    w = sqrt(k/m)
    c = Case('belt_stick_slip', 'models/mechanics/belt_stick_slip.dae')
    t, x, n = mpf(0), mpf(0), 0
    while True:
        y = {'x': lambda t, t0=t, x=x: x + vb*(t - t0), 'v': lambda t: vb + 0*t,
             'F': lambda t, t0=t, x=x: k*(x + vb*(t - t0))}
        rates = {'x': lambda t, y: y['v'], 'v': lambda t, y: (-k*y['x'] + y['F'])/m}
        end = t + (Fs/k - x)/vb
        if end > T:
            return c.finish(T, y, rates, lambda t, y: Fs - y['F'],
                            {'sticks': 1, 'slips': n})
        n += 1
        c.phase(end, y, rates, lambda t, y: Fs - y['F'], 'slip', {'F': Fk},
                {'sticks': 0, 'slips': n})
        t = end
        s = oscillation(t, Fs/k, vb, w, Fk/k)
        y = {'x': s[0], 'v': s[1], 'F': lambda t: Fk + 0*t}
        end = t + (2*pi - 2*atan((Fs - Fk)/k*w/vb))/w
        if end > T:
            return c.finish(T, y, rates, None, {'sticks': 0, 'slips': n})
        x = (2*Fk - Fs)/k
        c.phase(end, y, rates, None, 'stick', {'F': k*x, 'v': vb}, {'sticks': 1})
        t = end


def coulomb_oscillator():
    """About +-mu g/w^2 by turns; it stays where the spring is weaker than
    friction. Every half period costs 2 mu g/w^2."""
    w, a, x0 = mpf(3), mpf('0.9'), mpf('0.74')
    c = Case('coulomb_oscillator', 'models/mechanics/coulomb_oscillator.dae')
    d = a/w**2
    t, x, way, n = mpf(0), x0, -1, 0
    while True:
        s = oscillation(t, x, mpf(0), w, -way*d)
        end = t + pi/w
        end_x = -x - 2*way*d
        rest = abs(end_x) <= d
        n += 1
        c.phase(end, {'x': s[0], 'v': s[1]},
                {'x': lambda t, y: y['v'],
                 'v': lambda t, y, way=way: -w**2*y['x'] - way*a},
                None, 'turn', {'v': mpf(0)}, {'turns': n, 'way': 0 if rest else -way})
        t, x, way = end, end_x, -way
        if rest:
            return c.finish(6, {'x': lambda t: x + 0*t, 'v': lambda t: 0*t},
                            {'x': lambda t, y: y['v']}, None, {'turns': n, 'way': 0})


def impact_oscillator():
    """x'' + w0^2 x = f cos(w t) between hits of a wall at x = d."""
    w0, w, f, d, e = mpf(1), mpf('2.7'), mpf(1), mpf('0.1'), mpf('0.8')
    c = Case('impact_oscillator', 'models/mechanics/impact_oscillator.dae')
    A = f/(w0**2 - w**2)
    t, x, v, n = mpf(0), mpf(0), mpf(0), 0
    rates = {'x': lambda t, y: y['v'],
             'v': lambda t, y: f*cos(w*t) - w0**2*y['x']}
    guard = lambda t, y: d - y['x']
    while True:
        s = oscillation(t, x - A*cos(w*t), v + A*w*sin(w*t), w0)
        y = {'x': lambda t, s=s: s[0](t) + A*cos(w*t),
             'v': lambda t, s=s: s[1](t) - A*w*sin(w*t)}
        end = first_root(lambda t: d - y['x'](t), t, 12)
        if end is None:
            return c.finish(12, y, rates, guard, {'n': n})
        n += 1
        c.phase(end, y, rates, guard, 'hit', {'v': -e*y['v'](end)}, {'n': n})
        t, x, v = end, d, -e*y['v'](end)


def first_root(f, a, b, pieces=3000):
    """The first place behind a where f, positive there, turns negative."""
    step = (mpf(b) - a)/pieces
    for k in range(1, pieces):
        if f(a + k*step) > 0 > f(a + (k + 1)*step):
            return root(f, a + k*step, a + (k + 1)*step)
    return None


def one_sided_spring():
    """Half periods pi/w1 above and pi/w2 below; nothing jumps."""
    w1, w2, v0, T = mpf(2), mpf(5), mpf(1), mpf(12)
    c = Case('one_sided_spring', 'models/mechanics/one_sided_spring.dae')
    t, v = mpf(0), v0
    while True:
        w = w1 if v > 0 else w2
        s = oscillation(t, mpf(0), v, w)
        y = {'x': s[0], 'v': s[1]}
        rates = {'x': lambda t, y: y['v'], 'v': lambda t, y, w=w: -w**2*y['x']}
        end = t + pi/w
        if end > T:
            return c.finish(T, y, rates)
        c.phase(end, y, rates)
        t, v = end, -v


def dead_zone_spring():
    """Uniform within +-d, half an oscillation beyond: period 2 pi/w + 4 d/v."""
    w, d, v0, T = mpf(2), mpf('0.3'), mpf(1), mpf(10)
    c = Case('dead_zone_spring', 'models/mechanics/dead_zone_spring.dae')
    t, x, v = mpf(0), mpf(0), v0
    while True:
        y = {'x': lambda t, t0=t, x=x, v=v: x + v*(t - t0),
             'v': lambda t, v=v: v + 0*t}
        rates = {'x': lambda t, y: y['v'], 'v': lambda t, y: 0}
        edge = d if v > 0 else -d
        end = t + (edge - x)/v
        if end > T:
            return c.finish(T, y, rates)
        c.phase(end, y, rates)
        t = end
        s = oscillation(t, edge, v, w, edge)
        y = {'x': s[0], 'v': s[1]}
        rates = {'x': lambda t, y: y['v'],
                 'v': lambda t, y, edge=edge: -w**2*(y['x'] - edge)}
        end = t + pi/w
        if end > T:
            return c.finish(T, y, rates)
        c.phase(end, y, rates)
        t, x, v = end, edge, -v


def projectile():
    u, v, h = mpf(20), mpf(15), mpf(2)
    c = Case('projectile', 'models/mechanics/projectile.dae')
    s = fall(0, h, v, G)
    y = {'x': lambda t: u*t, 'y': s[0], 'v': s[1]}
    c.phase((v + sqrt(v*v + 2*G*h))/G, y,
            {'x': lambda t, y: u, 'y': lambda t, y: y['v'], 'v': lambda t, y: -G},
            lambda t, y: y['y'], 'ground')
    return c.stop()


def rocket_stages():
    """Tsiolkovsky's v = ve log(m0/m) - g t, and its integral, stage by stage."""
    c = Case('rocket_stages', 'models/mechanics/rocket_stages.dae')
    c.rests = ['m < 110']  # what is left when the fuel is used up
    flow, ve = (mpf(8), mpf(2)), (mpf(2500), mpf(3000))
    dry, drop = (mpf(400), mpf(110)), (mpf(100), mpf(0))
    t, h, v, m = mpf(0), mpf(0), mpf(0), mpf(1000)
    for k in range(2):
        y = {'m': lambda t, t0=t, m=m, k=k: m - flow[k]*(t - t0),
             'v': lambda t, t0=t, m=m, v=v, k=k:
                  v + ve[k]*log(m/(m - flow[k]*(t - t0))) - G*(t - t0),
             'h': lambda t, t0=t, m=m, v=v, h=h, k=k:
                  h + v*(t - t0) - G*(t - t0)**2/2
                  + ve[k]*((t - t0) - (m - flow[k]*(t - t0))/flow[k]
                           *log(m/(m - flow[k]*(t - t0))))}
        rates = {'m': lambda t, y, k=k: -flow[k],
                 'v': lambda t, y, k=k: ve[k]*flow[k]/y['m'] - G,
                 'h': lambda t, y: y['v']}
        end = t + (m - dry[k])/flow[k]
        c.phase(end, y, rates, lambda t, y, k=k: y['m'] - dry[k],
                ('separation', 'burnout')[k],
                {'m': dry[k] - drop[k]}, {'stage': k + 2})
        t, h, v, m = end, y['h'](end), y['v'](end), dry[k] - drop[k]
    s = fall(t, h, v, G)
    return c.finish(200, {'m': lambda t: m + 0*t, 'v': s[1], 'h': s[0]},
                    {'v': lambda t, y: -G, 'h': lambda t, y: y['v']}, None,
                    {'stage': 3})


def pendulum_wall():
    """A rod as a constraint, and a wall at the lowest point. The time from the
    amplitude A to the bottom is sqrt(L/g) K(sin(A/2)); a hit keeps e of the speed."""
    L, e = mpf(1), mpf('0.75')
    c = Case('pendulum_wall', 'models/mechanics/pendulum_wall.dae')
    v = sqrt(2*G*L)  # at the bottom, from the horizontal
    t = sqrt(L/G)*ellipk(mpf(1)/2)
    T, events = mpf(3), []
    while t < T:
        after = e*v
        events.append((t, v, after))
        A = acos(1 - after**2/(2*G*L))
        last = t, A, after
        t += 2*sqrt(L/G)*ellipk(sin(A/2)**2)
        v = after
    for t, before, after in events:
        c.events.append((t, 'wall', {'x': mpf(0), 'u': -before},
                         {'x': mpf(0), 'u': after}, {}))
    # from the bottom upwards: t = sqrt(L/g) F(asin(sin(theta/2)/k), k)
    t0, A, _ = last
    k = sin(A/2)
    s = T - t0
    quarter = sqrt(L/G)*ellipk(k**2)
    down = s > quarter
    s = 2*quarter - s if down else s
    phi = root(lambda p: sqrt(L/G)*ellipf(p, k**2) - s, 0, pi/2)
    theta = 2*asin(k*sin(phi))
    speed = sqrt(2*G*(cos(theta) - cos(A))/L)*(-1 if down else 1)
    return c.document(T, {'x': L*sin(theta), 'y': -L*cos(theta),
                          'u': L*speed*cos(theta), 'v': L*speed*sin(theta)},
                      {'n': len(events)})


CASES = [bouncing_ball, ball_on_incline, ball_with_drag, stacked_balls,
         ball_between_walls, braking_block, belt_stick_slip, coulomb_oscillator,
         impact_oscillator, one_sided_spring, dead_zone_spring, projectile,
         rocket_stages, pendulum_wall]
