"""Pages whose text is known, drawn for `benchmarks.ocr`: small print, ruled tables, slides, and scans of them.

Company and numbers are invented. Sizes are in points, as on paper; the resolution makes them pixels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

FONTS = Path("/usr/share/fonts/opentype/noto")
FONT_PACKAGE = "fonts-noto-cjk"
"""Debian's package of the fonts."""
SANS, SERIF = FONTS / "NotoSansCJK-Regular.ttc", FONTS / "NotoSerifCJK-Regular.ttc"
SIMPLIFIED_CHINESE = 2
"""The face of both collections."""
POINTS = 72
"""In an inch."""
RULE = 0.75
"""Thickness of a table's lines, in points."""

PRINT = (
    "本报告所载财务数据按照企业会计准则编制，除特别说明外，金额单位均为人民币万元。",
    "报告期内公司实现营业收入186,240万元，较上年同期下降7.3%，主要系机器人业务验收",
    "延后所致。归属于母公司股东的净亏损为21,370万元，上年同期净亏损34,080万元。",
    "注1：岚桥光电于2025年6月向法院起诉，主张公司侵犯其两项扫描镜专利，请求赔偿。",
    "注2：若败诉，公司预计一次性赔偿金额为1.27亿元，已就此计提预计负债3,810万元。",
    "注3：期末应收账款账面余额52,918万元，坏账准备4,206万元，其中账龄一年以内的占",
    "81.5%；前五名客户合计占应收账款余额的46.2%，不存在单项计提的重大坏账准备。",
    "注4：公司于2025年11月28日与银行签订借款合同，年利率3.85%，以厂房及土地使用权",
    "作为抵押。截至资产负债表日，抵押资产账面价值为40,655万元，借款尚未到期。",
    "注5：限售股份1.9亿股将于2026年12月上市流通，占总股本的23.4%，详见相关公告。",
)
BALANCE = (
    ("项目", "2023年", "2024年", "2025年", "同比"),
    ("营业收入", "172,650", "200,910", "186,240", "-7.3%"),
    ("营业成本", "121,480", "139,230", "133,605", "-4.0%"),
    ("销售费用", "9,814", "11,027", "10,356", "-6.1%"),
    ("管理费用", "14,290", "15,772", "16,048", "1.7%"),
    ("研发费用", "33,165", "39,518", "42,090", "6.5%"),
    ("财务费用", "2,036", "1,873", "1,594", "-14.9%"),
    ("净利润", "-41,226", "-34,080", "-21,370", "37.3%"),
)
SEGMENTS = (
    ("Segment", "Revenue", "Cost", "Margin", "Staff"),
    ("Lidar", "98.4", "71.2", "27.6%", "412"),
    ("Robots", "52.7", "41.9", "20.5%", "268"),
    ("Software", "24.1", "9.3", "61.4%", "137"),
    ("Services", "11.0", "8.8", "20.0%", "95"),
    ("Total", "186.2", "131.2", "29.5%", "912"),
)
SLIDE = ("星汀智能 2025 年经营回顾", "营业收入 18.6 亿元，同比下降 7.3%", "毛利率提升至 28.3%", "研发投入占比 22.6%")
BARS = (("2021", 9.8), ("2022", 14.1), ("2023", 17.3), ("2024", 20.1), ("2025", 18.6))

Table = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and what stands on it.

    Attributes:
        name: what it shows.
        image: its pixels.
        lines: its text, from the top; empty where no order is right.
        cells: the texts of a table's cells, or of a chart's labels; empty where the page has neither.
    """

    name: str
    image: Image.Image
    lines: tuple[str, ...]
    cells: tuple[str, ...] = ()


def samples() -> list[Sample]:
    """Every page that is read, in the order in which results are shown."""
    return [
        *(print_page(font, dpi) for dpi in (200, 150) for font in (SERIF, SANS)),
        *(ruled_table(BALANCE, dpi) for dpi in (200, 150, 100)),
        ruled_table(SEGMENTS, 200),
        ruled_table(SEGMENTS, 150, header="dark"),
        ruled_table(BALANCE, 200, header="grey"),
        three_rules(BALANCE, 200),
        *(report_page(dpi) for dpi in (200, 100)),
        scanned(print_page(SERIF, 200)),
        scanned(ruled_table(BALANCE, 200)),
        scanned(ruled_table(SEGMENTS, 150, header="grey")),
        slide("white"),
        slide("dark"),
        chart(),
    ]


def print_page(font: Path, dpi: int) -> Sample:
    """Chinese small print of 9 points, as wide as a page of A4."""
    face, step, margin = _face(font, 9, dpi), _pixels(15, dpi), _pixels(60, dpi)
    page = Image.new("L", (_pixels(595, dpi), 2 * margin + step * len(PRINT)), 255)
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(PRINT):
        pen.text((margin, margin + number * step), line, font=face, fill=0)
    return Sample(f"print of 9 points, {_kind(font)}, {dpi} dpi", page, PRINT)


def ruled_table(table: Table, dpi: int, header: str = "white") -> Sample:
    """A table of 10 points with a line around each cell; the first row is white, grey, or dark with white letters."""
    width, height, margin = _pixels(80, dpi), _pixels(20, dpi), _pixels(30, dpi)
    rule = max(1, _pixels(RULE, dpi))
    right, bottom = margin + width * len(table[0]), margin + height * len(table)
    page = Image.new("L", (right + margin, bottom + margin), 255)
    pen = ImageDraw.Draw(page)
    band, ink = {"white": (255, 0), "grey": (205, 0), "dark": (60, 255)}[header]
    pen.rectangle((margin, margin, right, margin + height), fill=band)
    for column in range(len(table[0]) + 1):
        x = margin + column * width
        pen.line((x, margin, x, bottom), fill=0, width=rule)
    for row in range(len(table) + 1):
        y = margin + row * height
        pen.line((margin, y, right, y), fill=0, width=rule)
    _write_cells(pen, table, (margin, margin, width, height), _face(SANS, 10, dpi), ink)
    language = "Chinese" if table is BALANCE else "English"
    return Sample(f"ruled table, {language}, {header} header, {dpi} dpi", page, _rows(table), _cells(table))


def three_rules(table: Table, dpi: int) -> Sample:
    """A table with a line above, below, and under its first row, as in books."""
    width, height, margin = _pixels(80, dpi), _pixels(20, dpi), _pixels(30, dpi)
    right, bottom = margin + width * len(table[0]), margin + height * len(table)
    page = Image.new("L", (right + margin, bottom + margin), 255)
    pen = ImageDraw.Draw(page)
    for y in (margin, margin + height, bottom):
        pen.line((margin, y, right, y), fill=0, width=_pixels(RULE, dpi))
    _write_cells(pen, table, (margin, margin, width, height), _face(SANS, 10, dpi), 0)
    return Sample(f"table of three lines, {dpi} dpi", page, _rows(table), _cells(table))


def report_page(dpi: int) -> Sample:
    """A page of A4: small print, a ruled table below it, and small print again."""
    above, below, middle = print_page(SANS, dpi), print_page(SERIF, dpi), ruled_table(BALANCE, dpi)
    page = Image.new("L", (_pixels(595, dpi), _pixels(842, dpi)), 255)
    top = 0
    for part in (above, middle, below):
        page.paste(part.image, (_pixels(30, dpi) if part is middle else 0, top))
        top += part.image.height
    lines = (*above.lines, *middle.lines, *below.lines)
    return Sample(f"page of A4 with a ruled table, {dpi} dpi", page, lines, middle.cells)


def slide(paper: str) -> Sample:
    """A slide of 1280 x 720 pixels: a title and points, on white or on a dark colour."""
    ground, ink = {"white": ("#ffffff", "#1f2937"), "dark": ("#12264a", "#e8eef9")}[paper]
    page = Image.new("RGB", (1280, 720), ground)
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 1280, 14), fill="#d9822b")
    for number, line in enumerate(SLIDE):
        face = ImageFont.truetype(str(SANS), 28 if number else 52, index=SIMPLIFIED_CHINESE)
        pen.text((80, 200 + number * 90 if number else 70), line, font=face, fill=ink)
    pen.line((80, 160, 1200, 160), fill="#d9822b", width=4)
    return Sample(f"slide, {paper}", page, SLIDE)


def chart() -> Sample:
    """A slide with a chart of bars: labels of 18 pixels below and values above the bars."""
    page = Image.new("RGB", (1280, 720), "white")
    pen = ImageDraw.Draw(page)
    face = ImageFont.truetype(str(SANS), 18, index=SIMPLIFIED_CHINESE)
    title = "营业收入（亿元）"
    pen.text((80, 40), title, font=ImageFont.truetype(str(SANS), 36, index=SIMPLIFIED_CHINESE), fill="#1f2937")
    pen.line((80, 640, 1200, 640), fill="black", width=2)
    for number, (year, value) in enumerate(BARS):
        x, top = 160 + number * 210, 640 - int(value * 24)
        pen.rectangle((x, top, x + 100, 639), fill="#2f6db5")
        pen.text((x + 50, top - 8), f"{value}", font=face, fill="black", anchor="ms")
        pen.text((x + 50, 668), year, font=face, fill="black", anchor="ms")
    return Sample("chart of bars", page, (), (title, *(text for year, value in BARS for text in (str(value), year))))


def scanned(sample: Sample, seed: int = 1) -> Sample:
    """The same as from a scanner: a little turned, blurred, on grey paper with grain, and saved as JPEG."""
    page = sample.image.convert("L").rotate(0.6, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    page = page.filter(ImageFilter.GaussianBlur(0.7)).point(lambda shade: 25 + shade * 205 // 255)
    grain = Image.frombytes("L", page.size, random.Random(seed).randbytes(page.width * page.height))  # noqa: S311
    page = ImageChops.add(page, grain.point(lambda shade: shade // 12), offset=-10)
    file = BytesIO()
    page.save(file, "JPEG", quality=70)
    return Sample(f"scan of {sample.name}", Image.open(file), sample.lines, sample.cells)


def _write_cells(
    pen: ImageDraw.ImageDraw, table: Table, place: tuple[int, int, int, int], face: ImageFont.FreeTypeFont, ink: int
) -> None:
    """Names to the left, numbers to the right; the first row in its own shade."""
    left, top, width, height = place
    gap = width // 20
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            x = left + column * width + (width - gap if column else gap)
            at = (x, top + row * height + height // 2)
            pen.text(at, text, font=face, fill=0 if row else ink, anchor="rm" if column else "lm")


def _rows(table: Table) -> tuple[str, ...]:
    return tuple(" ".join(row) for row in table)


def _cells(table: Table) -> tuple[str, ...]:
    return tuple(text for row in table for text in row)


def _kind(font: Path) -> str:
    return "serif" if font == SERIF else "sans"


@cache
def _face(font: Path, points: float, dpi: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(font), points * dpi / POINTS, index=SIMPLIFIED_CHINESE)


def _pixels(points: float, dpi: int) -> int:
    return round(points * dpi / POINTS)
