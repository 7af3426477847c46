"""What is done to a part of a page before it is read: dark letters on white, no ruled lines, letters of one height.

Everything is whole-image arithmetic of Pillow's. A mask is a greyscale image: 255 where something is, 0 elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from examples.visual_rag.tool_errors import needs_extra

with needs_extra():
    from PIL import Image, ImageChops, ImageFilter, ImageOps

LETTERS = 30
"""Pixels to which the height of letters is brought: what Chinese letters of 10 points have at 230 dpi."""
USUAL_LETTERS = 24
"""Their height where none can be measured."""
LARGEST_SCALE = 4.0
MOST_READ = 16_000_000
"""Pixels of an image that is read at most: A4 at 400 dpi."""
_NEARLY = 0.1
"""A change of size by less than this would only blur."""

_WHITE = 255
_CONTRAST = 40
"""Shades by which ink is darker than the paper around it."""
_DARK = 100
"""Mean shade below which a field is dark: its letters are light."""
_REDUCED = 4
"""Paper and dark fields are looked for in an image this many times smaller."""
_WIDEST_STROKE = 9
"""Pixels of that image: what is dark and narrower is ink; wider, the paper is dark there."""
_BLUR = 4
"""Pixels of that image over which shades are averaged to each side, to look for dark fields."""

_STRIPS = 24
"""Upright strips in which the heights of lines of text are measured."""
_INK_IN_ROW = 8
"""Of 255: the share of a strip's row that is ink where there is a line of text."""
_LOWEST, _HIGHEST = 6, 200
"""Heights of lines of text, in pixels; what is lower is a stroke, what is higher a picture."""
_MIDDLE, _SMALL = 0.5, 0.33
"""Which of the heights counts: ruled lines and fields disturb the first measure; the second is for the small print."""
_RULE_LENGTH = 4
"""A ruled line is this many times as long as letters are high, or longer."""
_RULE_THICKNESS = 6
"""Pixels below which a line of ink is thin whatever the letters; else half their height."""


@dataclass(frozen=True, slots=True)
class CleanPart:
    """A part of a page, made ready.

    Attributes:
        image: dark letters on white, without ruled lines; not enlarged yet.
        original: greyscale, as it came.
        strokes: a mask of what may be letters: ink that is neither a ruled line nor a filled area.
        letters: how high letters are, in pixels; two thirds of the lines of text are at least so high.
        is_ruled: there are ruled lines, across and down.
    """

    image: Image.Image
    original: Image.Image
    strokes: Image.Image
    letters: int
    is_ruled: bool

    @property
    def scale(self) -> float:
        """By how much the part is enlarged, or reduced, so that its letters are `LETTERS` high."""
        return min(LETTERS / self.letters, LARGEST_SCALE)


def clean(image: Image.Image) -> CleanPart:
    """Make a part ready to be read; the image that was given stays as it is, and a huge one is reduced first."""
    grey = scaled(image.convert("L"), 1.0)
    shade = ImageChops.subtract(*_paper_and_ink(grey))
    ink = shade.point(lambda value: _WHITE if value > _CONTRAST else 0)
    letters = _letters(ink, _MIDDLE)
    thick = max(_RULE_THICKNESS, letters // 2)
    thin = ImageChops.subtract(ink, _opened(_opened(ink, thick, across=True), thick, across=False))
    level, upright = _rules(thin, letters * _RULE_LENGTH)
    rules = ImageChops.lighter(level, upright).filter(ImageFilter.MaxFilter(3 if letters < LETTERS else 5))
    cleaned = ImageOps.invert(ImageChops.subtract(shade, rules))
    strokes = ImageChops.subtract(thin, rules)
    is_ruled = None not in (level.getbbox(), upright.getbbox())
    return CleanPart(cleaned, grey, strokes, _letters(strokes, _SMALL), is_ruled)


def scaled(image: Image.Image, scale: float) -> Image.Image:
    """Enlarge or reduce an image; it has `MOST_READ` pixels at most afterwards, whatever the scale."""
    bounded = min(scale, (MOST_READ / (image.width * image.height)) ** 0.5)
    if bounded == scale and abs(scale - 1) < _NEARLY:
        return image
    size = max(1, int(image.width * bounded)), max(1, int(image.height * bounded))
    return image.resize(size, Image.Resampling.LANCZOS)


def _paper_and_ink(grey: Image.Image) -> tuple[Image.Image, Image.Image]:
    """The shade of the paper at each pixel, and the image; where a field is dark, both are turned to light."""
    small = grey.reduce(_REDUCED)
    field = _dark_fields(small)
    if field.getbbox() is not None:
        grey = Image.composite(ImageOps.invert(grey), grey, field.resize(grey.size, Image.Resampling.NEAREST))
        small = grey.reduce(_REDUCED)
    framed = ImageOps.expand(small, _WIDEST_STROKE, fill=_WHITE)
    for change in (_grown, _shrunk):
        for across in (True, False):
            framed = change(framed, _WIDEST_STROKE, across=across)
    paper = ImageOps.crop(framed, _WIDEST_STROKE)
    return paper.resize(grey.size, Image.Resampling.BILINEAR), grey


def _dark_fields(small: Image.Image) -> Image.Image:
    """A mask of the areas that are dark on the whole, such as a table's head or a slide."""
    dark = small.filter(ImageFilter.BoxBlur(_BLUR)).point(lambda shade: _WHITE if shade < _DARK else 0)
    core = _opened(_opened(dark, 4 * _BLUR, across=True), 2, across=False)
    return core.filter(ImageFilter.MaxFilter(2 * _BLUR + 1))


def _letters(ink: Image.Image, share: float) -> int:
    """The height of lines of text; this share of them is lower."""
    strips = ink.resize((_STRIPS, ink.height), Image.Resampling.BOX)
    heights: list[int] = []
    for strip in range(_STRIPS):
        rows = strips.crop((strip, 0, strip + 1, ink.height)).tobytes()
        runs = (len(list(run)) for is_text, run in groupby(rows, lambda row: row >= _INK_IN_ROW) if is_text)
        heights += [height for height in runs if _LOWEST <= height <= _HIGHEST]
    return sorted(heights)[int(len(heights) * share)] if heights else USUAL_LETTERS


def _rules(thin: Image.Image, length: int) -> tuple[Image.Image, Image.Image]:
    """The level and the upright lines; one may climb by a pixel within its length, as on a scan."""
    level = _opened(_grown(thin, 2, across=False), length, across=True)
    return level, _opened(_grown(thin, 2, across=True), length, across=False)


def _opened(mask: Image.Image, length: int, *, across: bool) -> Image.Image:
    """What is left of a mask where its runs across, or down, have at least this length."""
    return _grown(_shrunk(mask, length, across=across), length, across=across)


def _shrunk(mask: Image.Image, length: int, *, across: bool) -> Image.Image:
    """The darkest of each run of this length, at its start; steps double, so that long runs cost little more."""
    done = 1
    while done < length:
        step = min(done, length - done)
        mask = ImageChops.darker(mask, _moved(mask, step, across=across))
        done += step
    return mask


def _grown(mask: Image.Image, length: int, *, across: bool) -> Image.Image:
    """The lightest of each run of this length, at its end."""
    done = 1
    while done < length:
        step = min(done, length - done)
        mask = ImageChops.lighter(mask, _moved(mask, -step, across=across))
        done += step
    return mask


def _moved(mask: Image.Image, step: int, *, across: bool) -> Image.Image:
    """The same size, moved to the left or up; what comes in from outside is 0."""
    x, y = (step, 0) if across else (0, step)
    return mask.crop((x, y, x + mask.width, y + mask.height))
