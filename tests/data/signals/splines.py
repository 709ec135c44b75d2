#!/usr/bin/env python3
"""Values of splines by their definition, in rational numbers: writes splines.txt.

Unknowns are the coefficients of all polynomials; the equations say that each
goes through its two points, that derivatives up to degree - 1 agree at inner
points, and that at the (degree - 1)/2 inner points next to either end the
highest derivative agrees too (not-a-knot). No B-splines, no rounding.
"""
from fractions import Fraction as F
from math import factorial
from pathlib import Path

X = [0, 0.5, 0.75, 1.5, 2.25, 2.5, 4, 4.125, 6, 7.5]
Y = [1, -0.25, 0.375, 2, 1.5, -1, 0.5, 0.75, 3, -2.5]
AT = [0, 0.125, 0.5, 0.625, 1.0, 1.5, 2.0, 2.375, 3.0, 3.875, 4.0625, 5, 6,
      6.75, 7.5]


def derivative_row(degree, order, u):
    """d^order/du^order of u^k, for k = 0 .. degree."""
    return [F(factorial(k), factorial(k - order)) * u ** (k - order)
            if k >= order else F(0) for k in range(degree + 1)]


def solve(matrix, right):
    n = len(matrix)
    for p in range(n):
        r = next(i for i in range(p, n) if matrix[i][p] != 0)
        matrix[p], matrix[r] = matrix[r], matrix[p]
        right[p], right[r] = right[r], right[p]
        for i in range(n):
            if i == p or matrix[i][p] == 0:
                continue
            f = matrix[i][p] / matrix[p][p]
            matrix[i] = [a - f * b for a, b in zip(matrix[i], matrix[p])]
            right[i] -= f * right[p]
    return [right[p] / matrix[p][p] for p in range(n)]


def spline(degree):
    x, y = [F(v) for v in X], [F(v) for v in Y]
    pieces, w = len(x) - 1, degree + 1
    matrix, right = [], []

    def put(value, *parts):
        row = [F(0)] * (pieces * w)
        for piece, sign, part in parts:
            for k in range(w):
                row[piece * w + k] += sign * part[k]
        matrix.append(row)
        right.append(F(value))

    for i in range(pieces):
        put(y[i], (i, 1, derivative_row(degree, 0, F(0))))
        put(y[i + 1], (i, 1, derivative_row(degree, 0, x[i + 1] - x[i])))
    loose = (degree - 1) // 2
    for i in range(1, pieces):
        is_left_out = i <= loose or i >= pieces - loose
        for order in range(1, degree + is_left_out):
            h = x[i] - x[i - 1]
            put(0, (i - 1, 1, derivative_row(degree, order, h)),
                (i, -1, derivative_row(degree, order, F(0))))
    c = solve(matrix, right)
    return [c[i * w:(i + 1) * w] for i in range(pieces)]


def main():
    out = ["# degree order argument value, by splines.py"]
    for degree in (3, 5):
        c = spline(degree)
        for order in range(degree):
            for a in AT:
                i = max(k for k in range(len(X) - 1) if X[k] <= a)
                row = derivative_row(degree, order, F(a) - F(X[i]))
                value = sum(p * q for p, q in zip(c[i], row))
                out.append(f"{degree} {order} {a!r} {float(value)!r}")
    Path(__file__).with_name("splines.txt").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
