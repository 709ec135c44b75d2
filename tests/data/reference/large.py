"""Reference values of models with a size of models/: gray_scott, allen_cahn3d, truss, power_grid, supply_mesh,
gas_network, distillation_train, foodweb.

    tests/data/reference/large.py

Written apart from the models' texts. The classical Runge-Kutta method with constant steps, twice, the
second time with half the step, and extrapolated; the last column is by how much that moved the value."""

import math


def runge_kutta(f, y, t, end, steps):
    h = (end - t)/steps
    for k in range(steps):
        s = t + k*h
        k1 = f(s, y)
        k2 = f(s + h/2, [a + h/2*b for a, b in zip(y, k1)])
        k3 = f(s + h/2, [a + h/2*b for a, b in zip(y, k2)])
        k4 = f(s + h, [a + h*b for a, b in zip(y, k3)])
        y = [a + h/6*(p + 2*q + 2*r + s4)
             for a, p, q, r, s4 in zip(y, k1, k2, k3, k4)]
    return y


def report(name, f, start, breaks, rate, values):
    """Intervals between `breaks` in rate steps per unit of time, then twice as many."""
    found = []
    for many in rate, 2*rate:
        y = start
        for t, end in zip(breaks, breaks[1:]):
            y = runge_kutta(f, y, t, end, round(many*(end - t)))
        found.append(values(y))
    for label in found[0]:
        coarse, fine = found[0][label], found[1][label]
        print(f'{name:14} {label:14} {fine + (fine - coarse)/15:.13g}'
              f'   {(fine - coarse)/15:.1e}')


def gray_scott(n=20, d1=8e-5, d2=4e-5, feed=0.024, kill=0.06, length=1):
    h = length/n
    start_u, start_v = [], []
    for i in range(n):
        for j in range(n):
            x, y = i*h, j*h
            is_in = 0.25 <= x <= 0.75 and 0.25 <= y <= 0.75
            v = (math.sin(4*math.pi*x)*math.sin(4*math.pi*y))**2/4
            start_v.append(v if is_in else 0)
            start_u.append(1 - 2*start_v[-1])
    next_to = [((i - 1) % n*n + j, (i + 1) % n*n + j,
                i*n + (j - 1) % n, i*n + (j + 1) % n)
               for i in range(n) for j in range(n)]

    def f(t, y):
        u, v = y[:n*n], y[n*n:]
        du, dv = [], []
        for p, (a, b, c, d) in enumerate(next_to):
            uvv = u[p]*v[p]*v[p]
            du.append(d1*(u[a] + u[b] + u[c] + u[d] - 4*u[p])/h**2 - uvv
                      + feed*(1 - u[p]))
            dv.append(d2*(v[a] + v[b] + v[c] + v[d] - 4*v[p])/h**2 + uvv
                      - (feed + kill)*v[p])
        return du + dv

    def values(y):
        at = lambda i, j: (i - 1)*n + j - 1
        return {'u[11,11]': y[at(11, 11)], 'v[11,11]': y[n*n + at(11, 11)],
                'u[10,8]': y[at(10, 8)], 'v[14,10]': y[n*n + at(14, 10)],
                'umean': sum(y[:n*n])/n**2, 'vmean': sum(y[n*n:])/n**2}
    report('gray_scott', f, start_u + start_v, [0, 100], 2, values)


def allen_cahn(n=8, eps=0.12):
    h = 1/(n - 1)
    pi, cos = math.pi, math.cos
    points = [(i, j, k) for i in range(n) for j in range(n) for k in range(n)]
    start = [0.1 + 0.25*cos(pi*i*h) + 0.4*cos(2*pi*j*h)*cos(pi*k*h)
             + 0.2*cos(3*pi*i*h)*cos(pi*j*h) for i, j, k in points]
    at = {p: q for q, p in enumerate(points)}
    mirror = lambda i: 1 if i < 0 else n - 2 if i >= n else i
    next_to = []
    for p in points:
        near = []
        for d in range(3):
            for by in -1, 1:
                q = list(p)
                q[d] = mirror(q[d] + by)
                near.append(at[tuple(q)])
        next_to.append(near)

    def f(t, u):
        return [eps**2*(sum(u[q] for q in near) - 6*u[p])/h**2 + u[p] - u[p]**3
                for p, near in enumerate(next_to)]

    def values(u):
        return {'u[1,1,1]': u[at[0, 0, 0]], 'u[4,5,2]': u[at[3, 4, 1]],
                'u[8,3,6]': u[at[7, 2, 5]], 'mean': sum(u)/n**3}
    report('allen_cahn3d', f, start, [0, 5], 64, values)


def truss(n=12, g=9.81):
    a = 2/n
    x = [a*k/2 for k in range(1, n)]
    y = [-a*math.sqrt(3)/2 if k % 2 else 0 for k in range(1, n)]
    inertia = sum(p*p + q*q for p, q in zip(x, y))

    def f(t, z):
        return [z[1], -g*(sum(x)*math.cos(z[0]) - sum(y)*math.sin(z[0]))/inertia]

    def values(z):
        s, c = math.sin(z[0]), math.cos(z[0])
        return {'phi': z[0], "phi'": z[1],
                f'x[{n}]': x[-1]*c - y[-1]*s, f'y[{n}]': x[-1]*s + y[-1]*c}
    report('truss', f, [0, 0], [0, 1], 1000, values)


def power_grid(n=6, inertia=0.2, damping=0.3, line=4, power=1, step=0.5):
    buses = [(i, j) for i in range(1, n + 1) for j in range(1, n + 1)]
    machines = [b for b in buses if sum(b) % 2 == 0]
    index = {b: k for k, b in enumerate(machines)}
    near = {(i, j): [(k, l) for k, l in ((i - 1, j), (i + 1, j), (i, j - 1),
                                         (i, j + 1)) if (k, l) in set(buses)]
            for i, j in buses}
    count = len(machines)

    def load_angle(angles, drawn):
        x = sum(angles)/len(angles)
        for _ in range(50):
            by = (-drawn - sum(line*math.sin(x - y) for y in angles))/sum(
                line*math.cos(x - y) for y in angles)
            x += by
            if abs(by) < 1e-15: break
        return x

    def loads(z, is_later):
        return {b: load_angle([z[index[m]] for m in near[b]],
                              power + (step if is_later and b == (1, 2) else 0))
                for b in buses if b not in index}

    def slopes(is_later):
        def f(t, z):
            at = loads(z, is_later)
            return z[count:] + [
                (power - damping*z[count + k]
                 - sum(line*math.sin(z[k] - at[b]) for b in near[m]))/inertia
                for m, k in index.items()]
        return f

    found = []
    for rate in 200, 400:
        z = runge_kutta(slopes(False), [0.0]*(2*count), 0, 1, rate)
        z = runge_kutta(slopes(True), z, 1, 5, 4*rate)
        at = loads(z, True)
        found.append({'angle[1,1]': z[index[1, 1]], 'angle[1,2]': at[1, 2],
                      f'angle[{n},{n}]': z[index[n, n]],
                      "angle[1,1]'": z[count + index[1, 1]],
                      "angle[3,3]'": z[count + index[3, 3]]})
    for label in found[0]:
        coarse, fine = found[0][label], found[1][label]
        print(f'{"power_grid":14} {label:14} {fine + (fine - coarse)/15:.13g}'
              f'   {(fine - coarse)/15:.1e}')


def supply_mesh(n=6, r=0.2, c=0.5, rb=0.05, lb=0.1, supply=1, draw=0.06):
    nodes = [(i, j) for i in range(1, n + 1) for j in range(1, n + 1)]
    at = {p: k for k, p in enumerate(nodes)}
    near = [[at[q] for q in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
             if q in at] for i, j in nodes]
    bumps = [at[p] for p in nodes if p[0] % 3 == 1 and p[1] % 3 == 1]

    def f(t, y):
        v, current = y[:n*n], y[n*n:]
        slope = [sum(v[q] - v[k] for q in near[k])/r
                 - draw*math.sin(math.pi*(t - (i + 2*j)/(3*n)))**2
                 for k, (i, j) in enumerate(nodes)]
        for b, k in enumerate(bumps):
            slope[k] += current[b]
        return [s/c for s in slope] + [
            (supply - v[k] - rb*current[b])/lb for b, k in enumerate(bumps)]

    def values(y):
        return {'V[1,1]': y[at[1, 1]], 'V[3,5]': y[at[3, 5]],
                'V[6,6]': y[at[6, 6]], 'I[2,2]': y[n*n + bumps.index(at[4, 4])]}
    report('supply_mesh', f, [supply]*(n*n) + [0.0]*len(bumps), [0, 4], 400,
           values)


def gas_network(n=6, held=60, c=1, k=4, r=5, draw=1):
    nodes = [(i, j) for i in range(1, n + 1) for j in range(1, n + 1)]
    at = {p: q for q, p in enumerate(nodes)}
    pipes = [(at[i, j], at[q]) for i, j in nodes
             for q in ((i + 1, j), (i, j + 1)) if q in at]

    def flow(p, q):
        d = p*p - q*q
        return math.copysign(
            (math.sqrt(r*r + 4*k*abs(d)) - r)/(2*k), d)

    def drawn(t, i, j):
        return draw*math.sin(math.pi*(t - (i + 2*j)/(3*n)))**2

    def f(t, p):
        slope = [-drawn(t, i, j) for i, j in nodes]
        for a, b in pipes:
            q = flow(p[a], p[b])
            slope[a] -= q
            slope[b] += q
        return [0] + [s/c for s in slope[1:]]

    def values(p):
        return {'p[2,1]': p[at[2, 1]], 'p[3,5]': p[at[3, 5]],
                'p[6,6]': p[at[6, 6]],
                'down[1,1]': flow(p[at[1, 1]], p[at[2, 1]]),
                'across[4,4]': flow(p[at[4, 4]], p[at[4, 5]])}
    report('gas_network', f, [float(held)]*(n*n), [0, 4], 1000, values)


def distillation_train(n=3, m=8, alpha=1.8, reflux=3, feed=1, z=0.5):
    taken = feed/(n + 1)
    vapour, above = (reflux + 1)*taken, reflux*taken
    hold = [0.5] + [0.1]*(m - 2) + [0.5]
    middle = m//2

    def gas(x):
        return alpha*x/(1 + (alpha - 1)*x)

    def f(t, x):
        slopes = []
        for c in range(n):
            own = x[c*m:(c + 1)*m]
            y = [gas(v) for v in own]
            fed, of = feed - c*taken, z if c == 0 else x[c*m - 1]
            below = above + fed
            gain = [vapour*(y[1] - own[0])]
            for s in range(1, m - 1):
                number = s + 1
                into = above if number - 1 < middle else below
                out = above if number < middle else below
                gain.append(into*own[s-1] - out*own[s] + vapour*(y[s+1] - y[s])
                            + (fed*of if number == middle else 0))
            gain.append(below*own[m-2] - vapour*y[m-1]
                        - (below - vapour)*own[m-1])
            slopes += [g/h for g, h in zip(gain, hold)]
        return slopes

    def values(x):
        return {'x[1,1]': x[0], 'x[1,8]': x[7], 'x[2,4]': x[m + 3],
                'x[3,1]': x[2*m], 'x[3,8]': x[3*m - 1]}
    report('distillation', f, [0.5]*(n*m), [0, 5], 200, values)


def solve_banded(rows, b, width):
    """In place, without pivots: rows[i] = {column: value}, |i - column| <= width."""
    count = len(b)
    for i in range(count):
        for k in range(i + 1, min(i + width + 1, count)):
            factor = rows[k].pop(i, 0)/rows[i][i]
            if factor == 0: continue
            for j, value in rows[i].items():
                if j > i: rows[k][j] = rows[k].get(j, 0) - factor*value
            b[k] -= factor*b[i]
    for i in reversed(range(count)):
        b[i] = (b[i] - sum(v*b[j] for j, v in rows[i].items() if j > i))/rows[i][i]
    return b


def foodweb(n=6):
    h = 1/(n - 1)
    points = [(i*h, j*h) for i in range(n) for j in range(n)]
    growth = [1 + 50*x*y + 1000*math.sin(4*math.pi*x)*math.sin(4*math.pi*y)
              for x, y in points]
    mirror = lambda i: 1 if i < 0 else n - 2 if i >= n else i
    near = [[mirror(i - 1)*n + j, mirror(i + 1)*n + j, i*n + mirror(j - 1),
             i*n + mirror(j + 1)] for i in range(n) for j in range(n)]
    by = 0.05/h**2
    kept = [[1e4*10]*(n*n)]

    def hunters(prey):
        c = list(kept[0])
        for _ in range(50):
            rows, off = [], []
            for p in range(n*n):
                rate = -growth[p] + 1e4*prey[p]
                off.append(-(c[p]*(rate - c[p])
                             + by*(sum(c[q] for q in near[p]) - 4*c[p])))
                row = {p: rate - 2*c[p] - 4*by}
                for q in near[p]: row[q] = row.get(q, 0) + by
                rows.append(row)
            moved = solve_banded(rows, off, n)
            c = [a + b for a, b in zip(c, moved)]
            if max(abs(b)/abs(a) for a, b in zip(c, moved)) < 1e-14: break
        kept[0] = c
        return c

    def f(t, prey):
        c = hunters(prey)
        return [v*(g - v - 0.5e-6*w) + (sum(prey[q] for q in at) - 4*v)/h**2
                for v, w, g, at in zip(prey, c, growth, near)]

    def values(prey):
        c = hunters(prey)
        at = lambda i, j: (i - 1)*n + j - 1
        return {'prey[1,1]': prey[at(1, 1)], 'prey[3,4]': prey[at(3, 4)],
                'prey[6,6]': prey[at(6, 6)], 'hunters[1,1]': c[at(1, 1)],
                'hunters[3,4]': c[at(3, 4)], 'hunters[6,6]': c[at(6, 6)]}
    start = [10 + (16*x*(1 - x)*y*(1 - y))**2 for x, y in points]
    report('foodweb', f, start, [0, 0.02], 20000, values)


if __name__ == '__main__':
    allen_cahn()
    truss()
    power_grid()
    supply_mesh()
    gas_network()
    distillation_train()
    foodweb()
    gray_scott()
