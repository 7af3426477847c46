"""The page of a batch in a real browser: it fits every width, axe-core finds nothing, and it prints."""

import re
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.reports.batch.page_view import batch_page, contents
from src.modules.reparsing.domain.tally import Tally
from tests.entrypoints.reports.batch_runs import about, comparison, parsed, tallied, varied
from tests.entrypoints.reports.chromium import lines_of, measure_all, printed, violations
from tests.entrypoints.reports.test_batch_page import hostile

pytestmark = pytest.mark.browser

WORD = "W" * 400
WIDTHS = (390, 768, 1280, 1600)


def crowded() -> Tally:
    """Everything that a page may show, hostile and long names among it."""
    tally = varied()
    names: dict[str, Any] = {"agent": WORD, "model": WORD, "id": WORD, "place": WORD}
    tally.add(tallied(*(parsed(number, **names | {"agent": f"{number}{WORD}"}) for number in range(402, 440))))
    tally.add(hostile())
    tally.comparison.add(comparison())
    return tally


@pytest.fixture
def page(tmp_path: Path) -> Path:
    page = tmp_path / "report.html"
    page.write_text(batch_page(crowded(), about()), encoding="utf-8")
    return page


def test_page_is_no_wider_than_the_window(page: Path) -> None:
    for width, found in zip(WIDTHS, measure_all(page, *WIDTHS), strict=True):
        assert (found["client"], found["scroll"]) == (width, width)
        assert found["right"] <= width
        assert found["height"] > 5_000
        assert (found["overlapping"], found["cut"]) == (0, 0)


@pytest.mark.browser("axe")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_has_no_violation(scheme: str, page: Path) -> None:
    assert violations(page, 1280, 390, dark=scheme == "dark") == []


@pytest.mark.browser("poppler")
def test_every_section_is_printed_on_a4(page: Path) -> None:
    pdf = printed(page)
    sheets = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    assert {(round(float(width)), round(float(height))) for width, height in sheets} == {(595, 842)}
    assert 3 <= len(sheets) <= 20
    titles = contents(crowded()).values()
    assert [title for title in titles if title.replace(" ", "") not in lines_of(pdf)] == []
