#!/usr/bin/env python3
"""Draws the pictures of the documentation from the program's own numbers.

    tools/dev/picture.py DAE        rewrites docs/img/*.svg

Runs `dae run MODEL -o -` and draws chosen columns of the CSV as SVG, with
nothing but the standard library, so that the same numbers give the same file.
"""
import csv
import io
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 30, 40
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7d5ba6")

# file: model, curves as (column, factor, caption), first time of a
# logarithmic axis
PICTURES = {
    "robertson.svg": ("models/chemistry/robertson_long.dae",
                      [("A", 1, "A"), ("B", 1e4, "10⁴ B"), ("C", 1, "C")],
                      1e-6),
}


def columns(dae, model, first):
    """The model's numbers, its logarithmic grid begun at `first`."""
    text = (ROOT / model).read_text(encoding="utf-8")
    if 'grid = "log"' not in text:
        sys.exit(f"{model}: no logarithmic grid")
    text = text.replace('grid = "log"', f'grid = "log", first = {first:g}')
    done = subprocess.run([dae, "run", "-", "--quiet", "-o", "-"], input=text,
                          capture_output=True, text=True, check=True)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    return {name: [float(row[k]) for row in rows[1:]]
            for k, name in enumerate(rows[0])}


def label(value):
    exponent = round(math.log10(value)) if value > 0 else 0
    small = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in str(abs(exponent)))
    return ("10⁻" if exponent < 0 else "10") + small


def draw(table, curves, first):
    times = [t for t in table["t"] if t >= first]
    skip = len(table["t"]) - len(times)
    low, high = math.log10(times[0]), math.log10(times[-1])

    def place_x(t):
        return LEFT + (math.log10(t) - low) / (high - low) \
            * (WIDTH - LEFT - RIGHT)

    def place_y(y):
        return TOP + (1 - y) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for step in range(0, 11, 2):
        y = place_y(step / 10)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" '
                   'stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" '
                   f'text-anchor="end">{step / 10:g}</text>')
    for power in range(math.ceil(low), math.floor(high) + 1, 2):
        x = place_x(10.0 ** power)
        out.append(f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v5" '
                   'stroke="#555555"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 19}" '
                   f'text-anchor="middle">{label(10.0 ** power)}</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" '
               'text-anchor="end">t</text>')
    for k, (name, factor, caption) in enumerate(curves):
        points = "L".join(
            f"{place_x(t):.1f} {place_y(factor * y):.1f}"
            for t, y in zip(times, table[name][skip:]))
        colour = COLOURS[k % len(COLOURS)]
        out.append(f'<path d="M{points}" fill="none" '
                   f'stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{LEFT + 10 + 70 * k}" y="18" '
                   f'fill="{colour}">{caption}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    dae = str(Path(sys.argv[1]).resolve())
    for name, (model, curves, first) in PICTURES.items():
        picture = draw(columns(dae, model, first), curves, first)
        (ROOT / "docs" / "img" / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
