"""Draw the pages of this folder anew: `python -m examples.visual_rag.make_pages`.

The pages are committed, so that nobody needs the font. Company, people and numbers are invented.
"""

import argparse
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

PAGES = Path(__file__).parent / "pages"
FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
"""From Debian's package fonts-noto-cjk; another font of Chinese can be named with `--font`."""
SIMPLIFIED_CHINESE = 2
"""The face of the collection."""
SIZE = (1240, 1754)
"""Pixels: A4 at 150 dpi."""
MARGIN = 110
GREYS = 16

TITLE, TEXT, SMALL = 44, 28, 11
"""Heights of the letters, in pixels."""

REPORT: dict[str, list[tuple[int, str]]] = {
    "page-1.png": [
        (TITLE, "星汀智能 2025 年年度报告"),
        (TEXT, "第一节 致股东"),
        (TEXT, "2025 年是公司转型的一年。激光雷达业务进入三家整车厂的"),
        (TEXT, "供应体系，机器人业务完成首批交付。"),
        (TEXT, "董事会感谢全体员工和合作伙伴的支持。"),
        (TEXT, "本报告所载公司、人物与数字均为虚构。"),
    ],
    "page-2.png": [
        (TITLE, "第二节 主要财务数据"),
        (TEXT, "营业收入 18.6 亿元，同比下降 7.3%。"),
        (TEXT, "归属于股东的净亏损 2.1 亿元，上年净亏损 3.4 亿元。"),
        (TEXT, "经营活动现金净流出 0.8 亿元。"),
        (TEXT, "期末货币资金 9.4 亿元。"),
        (TEXT, "研发费用 4.2 亿元，占营业收入 22.6%。"),
    ],
    "page-3.png": [
        (TITLE, "第三节 诉讼与担保"),
        (TEXT, "报告期内公司有一项重大诉讼，即与岚桥光电的专利诉讼。"),
        (TEXT, "一审尚未开庭，赔偿金额见本页附注。"),
        (TEXT, "公司没有对外担保。"),
        (SMALL, "附注 1：岚桥光电于 2025 年 6 月起诉，主张公司侵犯其两项扫描镜专利。"),
        (SMALL, "附注 2：若败诉，公司预计一次性赔偿金额为 1.27 亿元，已计提预计负债 3,810 万元。"),
        (SMALL, "附注 3：诉讼费用由败诉方承担，律师费用计入管理费用。"),
    ],
    "page-4.png": [
        (TITLE, "第四节 公司治理"),
        (TEXT, "董事会由七名董事组成，其中独立董事三名。"),
        (TEXT, "Board meetings were held eleven times in 2025."),
        (TEXT, "审计委员会审阅了内部控制报告。"),
        (TEXT, "限售股 1.9 亿股将于 2026 年 12 月上市流通。"),
    ],
}


def draw(lines: list[tuple[int, str]], font: Path) -> Image.Image:
    """A page: large and normal lines from the top, small print at the foot."""
    page = Image.new("L", SIZE, 255)
    pen = ImageDraw.Draw(page)
    at = {"body": MARGIN, "foot": SIZE[1] - 2 * MARGIN}
    for height, text in lines:
        place = "foot" if height == SMALL else "body"
        face = ImageFont.truetype(str(font), height, index=SIMPLIFIED_CHINESE)
        pen.text((MARGIN, at[place]), text, font=face, fill=0)
        at[place] += height * 2
    return page.quantize(GREYS)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--font", type=Path, default=FONT)
    chosen = arguments.parse_args().font
    PAGES.mkdir(exist_ok=True)
    for name, lines in REPORT.items():
        draw(lines, chosen).save(PAGES / name, optimize=True)
