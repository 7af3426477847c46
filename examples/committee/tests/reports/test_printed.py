"""The HTML report on paper: no page is left half empty, and no section is lost."""

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from PIL import Image

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.html_report import html_report
from examples.committee.reports.view import report_view
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from tests.entrypoints.reports.chromium import printed
from tests.installed import PDFTOPPM, PDFTOTEXT
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT

pytestmark = [pytest.mark.anyio, pytest.mark.browser("poppler")]

LEAST_FULL = 0.6
"""Share of a page's height down to which something is printed; the last page ends where the report does."""
WIDEST_GAP = 0.25
"""Share of a page's height that may be empty between two things on it."""
INK = 200
"""Grey below which a dot is ink."""
MANY = {"support_levels": [36.9, 34.5, 33.0, 31.0], "resistance_levels": [39.9, 42.8, 44.0, 46.0]}


async def good() -> tuple[Dossier, CommitteeResult]:
    return DOSSIER, await sat()


async def failed() -> tuple[Dossier, CommitteeResult]:
    return DOSSIER, await sat(宏观情报员=DOWN, 裁决=DOWN)


async def many_levels() -> tuple[Dossier, CommitteeResult]:
    assert DOSSIER.technical is not None
    technical = DOSSIER.technical.model_copy(update=MANY)
    plan = {"stop_loss": "29 元、30 元、32 元或 35 元", "take_profit": "41 元、43 元、45 元或 47 元"}
    verdict = json.dumps(VERDICT.answer | plan | {"reasoning": "理由。" * 300})
    return DOSSIER.model_copy(update={"technical": technical}), await sat(裁决=verdict)


def ink(page: Image.Image) -> Iterator[tuple[bool, int]]:
    """Runs of lines of dots from the top: whether there is ink on them, and how many they are."""
    width, height = page.size
    data = page.tobytes()
    inked = (min(data[line * width : (line + 1) * width]) < INK for line in range(height))
    for has_ink, lines in groupby(inked):
        yield has_ink, sum(1 for _ in lines)


def pages_of(pdf: Path) -> list[Image.Image]:
    """Each page as a picture, in their order."""
    assert PDFTOPPM
    subprocess.run([PDFTOPPM, "-r", "30", "-gray", pdf, pdf.with_name("page")], check=True)  # noqa: S603 - our own file
    return [Image.open(file) for file in sorted(pdf.parent.glob("page-*.pgm"))]


def lines_of(pdf: Path) -> list[str]:
    """The printed text, line by line, without blanks."""
    assert PDFTOTEXT
    text = subprocess.run([PDFTOTEXT, pdf, "-"], capture_output=True, check=True).stdout.decode()  # noqa: S603 - our own file
    return [re.sub(r"\s", "", line) for line in text.splitlines()]


@pytest.mark.parametrize("run", [good, failed, many_levels])
async def test_no_page_is_half_empty_and_no_section_is_lost(run: object, tmp_path: Path) -> None:
    dossier, result = await run()  # type: ignore[operator]  # one of the above
    page = tmp_path / "report.html"
    page.write_text(html_report(dossier, result), encoding="utf-8")
    pdf = printed(page)
    pages = [[*ink(one)] for one in pages_of(pdf)]
    assert len(pages) > 4
    for number, runs in enumerate(pages, 1):
        height = sum(lines for _, lines in runs)
        end = height - (0 if runs[-1][0] else runs[-1][1])
        gaps = [lines for has_ink, lines in runs[1:-1] if not has_ink]
        assert number == len(pages) or end >= LEAST_FULL * height, number
        assert max(gaps, default=0) <= WIDEST_GAP * height, number

    lines = lines_of(pdf)
    folded = {"replies"}  # a page that nobody has unfolded prints none
    titles = {anchor: title for anchor, title in report_view(dossier, result).contents.items() if anchor not in folded}
    assert [title for title in titles.values() if title.replace(" ", "") not in lines] == []
    assert "本纪要由语言模型的答复汇编而成" in "".join(lines)
