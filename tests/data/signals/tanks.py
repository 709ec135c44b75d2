#!/usr/bin/env python3
"""Tanks with measured inlets: the numbers of models/process/tank1_measured.dae
and tank2_measured.dae.

The inlet is a polynomial p between rows, so the tank c' = a*(p - c) is
q + (c0 - q(0))*exp(-a*u) there, with q = p - p'/a + p''/a^2 - ...: summed from
row to row, no integration. Coefficients come from splines.py.
"""
from fractions import Fraction as F
from math import exp
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).parent))
import splines

ROOT = Path(__file__).resolve().parents[3]
A = F(1, 2)


def rows():
    lines = (ROOT / "models/process/inlet.csv").read_text().split("\n")
    cells = [l.split(",") for l in lines if l and not l.startswith("#")][1:]
    return [F(c[0]) for c in cells], [F(c[1]) for c in cells]


def pieces(kind, x, y):
    if kind == "hold":
        return [[v] for v in y[:-1]]
    if kind == "linear":
        return [[y[i], (y[i + 1] - y[i]) / (x[i + 1] - x[i])]
                for i in range(len(x) - 1)]
    splines.X, splines.Y = x, y
    return splines.spline(int(kind[-1]))


def derivative(c):
    return [k * v for k, v in enumerate(c)][1:]


def value(c, u):
    return sum(v * u**k for k, v in enumerate(c))


def particular(c):
    q, d, sign = [F(0)] * len(c), list(c), F(1)
    while d:
        for k, v in enumerate(d):
            q[k] += sign * v
        d, sign = derivative(d), -sign / A
    return q


def tank(kind, x, y, at, start):
    c0 = float(start)
    for i, c in enumerate(pieces(kind, x, y)):
        q = particular(c)
        end = min(at, x[i + 1])
        u = end - x[i]
        c0 = float(value(q, u)) + (c0 - float(q[0])) * exp(-float(A * u))
        if end == at:
            return c0
    return c0


def outlet(kind, x, y, at):
    i = max(k for k in range(len(x) - 1) if x[k] <= at)
    c, u = pieces(kind, x, y)[i], at - x[i]
    return float(value(c, u) + value(derivative(c), u) / A)


def main():
    x, y = rows()
    for at in (F(1, 2), F(3), F(13, 2), F(10)):
        print("tank 1 at", float(at), [tank(k, x, y, at, F(1, 5)) for k in
              ("hold", "linear", "spline3", "spline5")])
    for at in (F(0), F(1, 2), F(3), F(13, 2), F(10)):
        print("tank 2 at", float(at), [outlet(k, x, y, at)
              for k in ("spline3", "spline5")])


if __name__ == "__main__":
    main()
