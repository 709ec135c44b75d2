#!/usr/bin/env python3
"""Writes solver/methods/radau_rules.h: the Radau IIA methods of 3, 5 and 7 stages.

Usage: tools/dev/radau_rules.py > solver/methods/radau_rules.h   (needs python3-mpmath)

Nodes are the zeros of P_s - P_(s-1) on [0, 1] [HW96 IV.5]. A has the row sums of collocation;
A^-1 = T diag(g, pairs) T^-1 with the block [[a, -b], [b, a]] of each pair a +- ib, in order of falling a.
Columns of T are scaled so that the last row is 1, (1, 0), (1, 0). The error estimate is the
distance of the embedded formula with the slope at the start, weighted by 1/g, from the method
[HW96 IV.8], multiplied by g A^-1 so that it is of changes and not of slopes.
"""
import mpmath as mp

mp.mp.dps = 50


def legendre(n):
    """Coefficients of P_n, highest power first."""
    before, now = [mp.mpf(1)], [mp.mpf(1), mp.mpf(0)]
    if n == 0:
        return before
    for k in range(1, n):
        up = [mp.mpf(2 * k + 1) / (k + 1) * v for v in now] + [mp.mpf(0)]
        down = [mp.mpf(0)] * 2 + [mp.mpf(k) / (k + 1) * v for v in before]
        before, now = now, [u - d for u, d in zip(up, down)]
    return now


def nodes(s):
    difference = [a - b for a, b in zip(legendre(s), [mp.mpf(0)] + legendre(s - 1))]
    roots = mp.polyroots(difference, maxsteps=500, extraprec=400)
    return sorted((mp.re(x) + 1) / 2 for x in roots)[:-1] + [mp.mpf(1)]


def transformation(inverse):
    """g, the pairs and T."""
    s = inverse.rows
    values, vectors = mp.eig(inverse)
    real = min(range(s), key=lambda i: abs(mp.im(values[i])))
    pairs = sorted((i for i in range(s) if i != real and mp.im(values[i]) > 0),
                   key=lambda i: -mp.re(values[i]))
    t = mp.matrix(s, s)
    for i in range(s):
        t[i, 0] = mp.re(vectors[i, real] / vectors[s - 1, real])
        for q, k in enumerate(pairs):
            z = vectors[i, k] / vectors[s - 1, k]
            t[i, 1 + 2 * q], t[i, 2 + 2 * q] = mp.re(z), -mp.im(z)
    return mp.re(values[real]), [values[k] for k in pairs], t


def estimate(c, a, inverse, g):
    """What the changes of the stages count for in the estimate."""
    s = len(c)
    powers = mp.matrix(s, s)
    integrals = mp.matrix(s, 1)
    for k in range(s):
        integrals[k] = mp.mpf(1) / (k + 1) - (1 / g if k == 0 else 0)
        for j in range(s):
            powers[k, j] = c[j] ** k
    embedded = mp.lu_solve(powers, integrals)
    off = [embedded[j] - a[s - 1, j] for j in range(s)]
    return [g * sum(off[i] * inverse[i, j] for i in range(s)) for j in range(s)]


def bubble(c):
    """Coefficients of (1 - x/c_1)...(1 - x/c_s), lowest power first."""
    power = [mp.mpf(1)]
    for node in c:
        power = [p - q / node for p, q in zip(power + [mp.mpf(0)], [mp.mpf(0)] + power)]
    return power


def largest_product(c):
    """Of x (x - c_1)...(x - c_s), at the places halfway between two zeros, in doubles as the
    curve has it."""
    most, before = 0.0, 0.0
    for node in map(float, c):
        x = (before + node) / 2
        value = x
        for k in map(float, c):
            value *= x - k
        most, before = max(most, abs(value)), node
    return most


def listed(name, values):
    text, line = [], '        '
    for v in values:
        word = mp.nstr(v, 20, strip_zeros=False) + ','
        if len(line) + len(word) > 78:
            text.append(line.rstrip())
            line = '        '
        line += word + ' '
    text.append(line.rstrip())
    return '    .%s = {\n%s\n    },\n' % (name, '\n'.join(text).rstrip(','))


def rule(s):
    c = nodes(s)
    v, w = mp.matrix(s, s), mp.matrix(s, s)
    for i in range(s):
        for k in range(s):
            v[i, k], w[i, k] = c[i] ** k, c[i] ** (k + 1) / (k + 1)
    a = w * v ** -1
    inverse = a ** -1
    g, pairs, t = transformation(inverse)
    back = t ** -1
    flat = lambda m: [m[i, j] for i in range(s) for j in range(s)]
    text = '{.stages = %d,\n    .real = %s,\n' % (s, mp.nstr(g, 20))
    text += listed('re', [mp.re(z) for z in pairs])
    text += listed('im', [mp.im(z) for z in pairs])
    text += listed('node', c)
    text += listed('lagrange', [1 / (c[k] * mp.fprod(c[k] - c[m] for m in range(s) if m != k))
                                for k in range(s)])
    text += listed('bubble', bubble(c))
    text += listed('integral', [b / (k + 1) for k, b in enumerate(bubble(c))])
    text += '    .product = %r,\n' % largest_product(c)
    text += listed('matrix', flat(a)) + listed('inverse', flat(inverse))
    text += listed('from', flat(t)) + listed('to', flat(back))
    text += listed('error', estimate(c, a, inverse, g))
    return text + '}'


print('/* Made by tools/dev/radau_rules.py; do not edit. */')
print('/* clang-format off */')
print('static const stage_rule rules[] = {')
print(',\n'.join(rule(s) for s in (3, 5, 7)))
print('};')
print('/* clang-format on */')
