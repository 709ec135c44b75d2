"""Reads pictures as the tests want to see them: an SVG of gnuplot's as panels
with axes and curves in the units of the axes, a PNG as rows of pixels."""

import ctypes
import math
import re
from xml.etree import ElementTree

SVG = '{http://www.w3.org/2000/svg}'
BORDER = 'rgb( 64,  64,  64)'
RAISED = str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789')


def value_of(text):
    """The number that a tick's text shows: −0.5, 10⁻³, 5×10⁻¹."""
    match = re.fullmatch(r'(?:(\d)×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)', text)
    if match:
        return int(match[1] or 1) * 10.0 ** int(match[2].translate(RAISED))
    return float(text.replace('−', '-'))


def colour_of(text):
    """rgb(  0, 114, 178) as #0072B2."""
    return '#' + ''.join(f'{int(part):02X}' for part in re.findall(r'\d+', text))


class Axis:
    """Ticks as (place, value); places become values by two of them."""

    def __init__(self):
        self.ticks = []
        self.has_powers = True  # all texts are powers of ten
        self.known_log = None  # by who knows; two ticks do not tell

    @property
    def values(self):
        return [value for _, value in sorted(self.ticks, key=lambda t: t[1])]

    @property
    def is_log(self):
        v = self.values
        if self.known_log is not None:
            return self.known_log
        if len(v) == 2:
            return self.has_powers
        if len(v) < 3 or v[0] <= 0:
            return False
        return self.unevenness(math.log) < self.unevenness(float)

    def unevenness(self, scale):
        """How far places are from even ones where values are scaled so."""
        (p, v), (q, w) = min(self.ticks), max(self.ticks)
        return max(abs((place - p) / (q - p)
                       - (scale(value) - scale(v)) / (scale(w) - scale(v)))
                   for place, value in self.ticks)

    def at(self, place):
        (p, v), (q, w) = min(self.ticks), max(self.ticks)
        part = (place - p) / (q - p)
        if self.is_log:
            return v * (w / v) ** part
        return v + (w - v) * part

    def place(self, value):
        """In decades or units: what is even along the axis."""
        return math.log10(value) if self.is_log else value


class Panel:
    def __init__(self):
        self.x, self.y = Axis(), Axis()
        self.curves = []  # of (colour, [piece, ...]), a piece: [(x, y), ...]
        self.box = None  # left, right, bottom, top: where the axes end
        self.areas = []  # of (colour, [(x, y), ...])
        self.marks = []  # of (colour, (x, y))
        self.slopes = []  # of triangles: [foot, below its top, top]

    def colours(self):
        return [colour for colour, _ in self.curves]

    def points(self, k):
        return [point for piece in self.curves[k][1] for point in piece]


class Picture:
    def __init__(self, path, is_log=None):
        root = ElementTree.parse(path).getroot()
        self.width, self.height = int(root.get('width')), int(root.get('height'))
        self.panels, self.texts = [], []
        self.key = []  # (where it begins, name)
        self.tick, self.has_curves = None, True
        self.walk(root)
        for panel in self.panels:
            panel.x.known_log = panel.y.known_log = is_log
        for panel, below in zip(self.panels[::-1], [None] + self.panels[::-1]):
            # one without times has those of the panel below
            panel.over = panel.x if panel.x.ticks else below.over
            panel.curves = [
                (colour, [[(panel.over.at(x), panel.y.at(y)) for x, y in piece]
                          for piece in pieces])
                for colour, pieces in panel.curves]
            left, right, bottom, top = panel.box
            panel.box = (panel.over.at(left), panel.over.at(right),
                         panel.y.at(bottom), panel.y.at(top))
            panel.areas = [
                (colour, [(panel.over.at(x), panel.y.at(y)) for x, y in points])
                for colour, points in panel.areas]
            panel.slopes = [[(panel.over.at(x), panel.y.at(y))
                             for x, y in points] for points in panel.slopes]
            panel.marks = [(colour, (panel.over.at(x), panel.y.at(y)))
                           for colour, (x, y) in panel.marks]

    def walk(self, element):
        for part in element:
            if part.tag == SVG + 'g' and 'gnuplot_plot_' in part.get('id', ''):
                self.curve(part)
            elif part.tag == SVG + 'path' and part.get('d'):
                self.path(part)
            elif part.tag == SVG + 'polygon' and self.panels:
                points = re.findall(r'([\d.]+),([\d.]+)', part.get('points'))
                self.panels[-1].slopes.append(
                    [(float(x), float(y)) for x, y in points[:3]])
            elif part.tag == SVG + 'text':
                self.text((part.text or '').strip())
            elif part.tag != SVG + 'defs':
                self.walk(part)

    def path(self, part):
        """A tick is a short line, and its text follows. The axes, drawn when
        all curves are, are one line from the top left to the bottom right."""
        places = re.findall(r'([\d.]+),([\d.]+)', part.get('d'))
        self.tick = None
        if len(places) == 2 and part.get('class') != 'gridline':
            (a, b), (c, d) = [(float(x), float(y)) for x, y in places]
            if abs(a - c) + abs(b - d) < 12:
                self.tick = ('x', a) if a == c else ('y', b)
        elif len(places) > 2 and part.get('stroke') == BORDER:
            (a, b), (c, d), (e, f) = [(float(x), float(y))
                                      for x, y in places[:3]]
            # neither short ticks nor a triangle
            if a == c and d == f and abs(b - d) > 12:
                self.panels[-1].box = (a, e, d, b)

    def text(self, text):
        if self.tick and text:
            if self.has_curves:
                self.panels.append(Panel())
                self.has_curves = False
            axis = getattr(self.panels[-1], self.tick[0])
            axis.ticks.append((self.tick[1], value_of(text)))
            axis.has_powers &= text.startswith('10') and text[-1] not in '0.5'
        elif text:
            self.texts.append(text)
        self.tick = None

    def curve(self, part):
        pieces, colour = [], None
        for path in part.iter(SVG + 'path'):
            colour = colour_of(path.get('stroke'))
            for piece in path.get('d').split('M')[1:]:
                points = re.findall(r'(-?[\d.]+),(-?[\d.]+)', piece)
                pieces.append([(float(x), float(y)) for x, y in points])
        for group in part.iter(SVG + 'g'):
            place = re.match(r'translate\(([\d.]+),', group.get('transform', ''))
            for text in group.findall(SVG + 'text') if place else ():
                self.texts.append((text.text or '').strip())
                self.key.append((float(place[1]), self.texts[-1]))
        # a key of its own, for all panels, has no curves
        if self.panels and not self.is_key(part, pieces):
            self.fillings(part, self.panels[-1])
            self.panels[-1].curves.append((colour, pieces))
        self.has_curves = True
        self.tick = None


    def is_key(self, part, pieces):
        return len(pieces) == 1 and len(list(part.iter(SVG + 'use'))) == 1

    def fillings(self, part, panel):
        for polygon in part.iter(SVG + 'polygon'):
            points = re.findall(r'(-?[\d.]+),(-?[\d.]+)', polygon.get('points'))
            panel.areas.append((colour_of(polygon.get('fill')),
                                [(float(x), float(y)) for x, y in points]))
        for mark in part.iter(SVG + 'use'):
            place = re.match(r'translate\(([\d.]+),([\d.]+)\)',
                             mark.get('transform'))
            panel.marks.append((colour_of(mark.get('color')),
                                (float(place[1]), float(place[2]))))


class PngImage(ctypes.Structure):
    """What the simplified interface of libpng reads."""

    _fields_ = [('opaque', ctypes.c_void_p), ('version', ctypes.c_uint32),
                ('width', ctypes.c_uint32), ('height', ctypes.c_uint32),
                ('format', ctypes.c_uint32), ('flags', ctypes.c_uint32),
                ('colours', ctypes.c_uint32), ('fault', ctypes.c_uint32),
                ('message', ctypes.c_char * 64)]


def read_png(path):
    """Rows of (red, green, blue)."""
    png = ctypes.CDLL('libpng16.so.16')
    image = PngImage(version=1)
    assert png.png_image_begin_read_from_file(
        ctypes.byref(image), path.encode()), image.message
    image.format = 2  # colours without transparency
    length = 3 * image.width
    data = ctypes.create_string_buffer(length * image.height)
    assert png.png_image_finish_read(
        ctypes.byref(image), None, data, length, None), image.message
    raw = data.raw
    rows = [raw[y * length:(y + 1) * length] for y in range(image.height)]
    return [list(zip(row[::3], row[1::3], row[2::3])) for row in rows]
