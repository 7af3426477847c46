"""Draw the slides of the chart example anew: `python -m examples.visual_rag.make_chart`.

One of the five slides is a bar chart. The number of a bar stands on it as dice, one digit a die, which no OCR reads:
the question can only be answered by looking. Company and numbers are invented.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

CHART = Path(__file__).parent / "chart"
PAGES = CHART / "pages"
SIZE = (1280, 720)
MARGIN, TITLE, TEXT = 80, 44, 28
"""Pixels: the margin, and the heights of the letters."""
BASE, STEP, TALLEST = 620, 220, 320
"""Pixels: the foot of the bars, the way from one to the next, and the height of the tallest."""
DIE, DOT = 40, 4
"""Pixels: the side of a die, and the radius of its dots."""
PAPER, BAR, INK = 255, 150, 0

UNITS = {"North": 463, "East": 315, "South": 526, "West": 241, "Export": 412}
"""What the bars show; a die has the digits 1 to 6."""
CHART_PAGE = "page-3.png"
SLIDES: dict[str, list[str]] = {
    "page-1.png": ["Harbour Robotics", "Sales review 2025", "All names and numbers are invented."],
    "page-2.png": ["Markets", "The home market is served from four offices.", "Export goes through two partners."],
    CHART_PAGE: ["Units sold by region in 2025", "The dice on a bar are its number, one digit a die."],
    "page-4.png": ["Service", "Most repairs are done within a week.", "A second workshop opens in spring."],
    "page-5.png": ["Outlook", "Prices stay as they are.", "The new arm will be shown in autumn."],
}
_DOTS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568"}
"""Which of the nine places of a die have a dot, row by row."""


class Bar(NamedTuple):
    """A bar of the chart: whose, how many units, and the edges of its pixels."""

    region: str
    units: int
    box: tuple[int, int, int, int]

    @property
    def label(self) -> tuple[int, int, int, int]:
        """The edges of its dice."""
        left, top, *_ = self.box
        return left, top, left + DIE * len(str(self.units)), top + DIE


def bars() -> Iterator[Bar]:
    """The bars of the chart, from left to right."""
    for number, (region, units) in enumerate(UNITS.items()):
        left, top = MARGIN + 20 + number * STEP, BASE - TALLEST * units // max(UNITS.values())
        yield Bar(region, units, (left, top, left + 3 * DIE, BASE))


def slide(name: str) -> Image.Image:
    """One of the slides, in greys."""
    page = Image.new("L", SIZE, PAPER)
    pen = ImageDraw.Draw(page)
    title, *lines = SLIDES[name]
    pen.text((MARGIN, MARGIN), title, fill=INK, font=ImageFont.load_default(TITLE))
    for number, line in enumerate(lines):
        pen.text((MARGIN, 2 * MARGIN + number * 2 * TEXT), line, fill=INK, font=ImageFont.load_default(TEXT))
    for bar in bars() if name == CHART_PAGE else ():
        _draw(bar, pen)
    return page


def _draw(bar: Bar, pen: ImageDraw.ImageDraw) -> None:
    left, top, right, foot = bar.box
    pen.rectangle((left, top, right - 1, foot - 1), fill=BAR)
    face = ImageFont.load_default(TEXT)
    pen.text(((left + right) // 2, foot + 12), bar.region, fill=INK, font=face, anchor="mt")
    for number, digit in enumerate(str(bar.units)):
        _draw_die(int(digit), left + number * DIE, top, pen)


def _draw_die(digit: int, left: int, top: int, pen: ImageDraw.ImageDraw) -> None:
    pen.rectangle((left, top, left + DIE - 1, top + DIE - 1), fill=PAPER, outline=INK)
    for place in map(int, _DOTS[digit]):
        x, y = left + (1 + place % 3) * DIE // 4, top + (1 + place // 3) * DIE // 4
        pen.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), fill=INK)


if __name__ == "__main__":
    PAGES.mkdir(parents=True, exist_ok=True)
    for slide_name in SLIDES:
        slide(slide_name).save(PAGES / slide_name, optimize=True)
