"""The pages about several runs in a real browser: no page scrolls sideways, and axe-core finds nothing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples.committee.infrastructure.run_finder import FoundRuns, LeftOut, UnfinishedRun
from examples.committee.reports.comparison_page import comparison_page
from examples.committee.reports.runs_index import Order, index_page, index_view
from examples.committee.tests.reports.recorded import data_of, earlier, recorded, with_close
from examples.committee.tests.reports.runs import DOSSIER, DOWN
from examples.committee.tests.reports.test_comparison import old, side_by_side
from examples.committee.tests.reports.test_runs_index import COMMANDS, ROOT
from src.shared.domain.language import VARIABLE, Message
from tests.entrypoints.reports.chromium import measure, measure_all, violations

pytestmark = [pytest.mark.anyio, pytest.mark.browser("axe")]
WORD = "W" * 400


def wordy(data: dict[str, Any]) -> None:
    data.update(name=WORD, warnings=[{"code": WORD, "zh": WORD, "en": WORD}])
    data["verdict"].update(action=WORD, stop_loss=WORD, risk_warnings=[WORD])


async def over_time() -> str:
    data, failed = await data_of(), await data_of(估值建模师=DOWN, 裁决=DOWN)
    return comparison_page(side_by_side(with_close(earlier(data, old), 33.1), recorded(data), recorded(failed)))


async def several_stocks() -> str:
    data = await data_of()
    others = [recorded({**data, "symbol": f"{number}"}, wordy) for number in range(6)]
    return comparison_page(side_by_side(recorded(data), *others))


async def index() -> str:
    data, failed = await data_of(), await data_of(裁决=DOWN)
    runs = [recorded(data), earlier(data, old), recorded(failed), recorded(data, wordy)]
    found = FoundRuns(
        [replace(run, folder=ROOT / f"{WORD}{at}") for at, run in enumerate(runs)],
        [UnfinishedRun(ROOT / WORD, DOSSIER)],
        [LeftOut(ROOT / "broken", Message("坏的", "broken"))],
        is_all=False,
    )
    return index_page(index_view(ROOT, found, Order.DATE, COMMANDS))


each_page = pytest.mark.parametrize("page", [over_time, several_stocks, index])


async def written(page: Callable[[], Any], folder: Path) -> Path:
    file = folder / "page.html"
    file.write_text(await page(), encoding="utf-8")
    return file


@each_page
async def test_page_is_no_wider_than_the_window(page: Callable[[], Any], tmp_path: Path) -> None:
    widths = (1280, 768, 390)
    for width, found in zip(widths, measure_all(await written(page, tmp_path), *widths), strict=True):
        assert (found["client"], found["scroll"]) == (width, width)
        assert found["right"] <= width
        assert found["height"] > 900


async def test_no_text_of_a_ladder_lies_over_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")  # the longer words
    assert measure(await written(over_time, tmp_path), 390)["overlapping"] == 0


@pytest.mark.parametrize(
    ("page", "scheme"),
    [(over_time, "light"), (over_time, "dark"), (several_stocks, "light"), (index, "light"), (index, "dark")],
)
async def test_page_has_no_violation(page: Callable[[], Any], scheme: str, tmp_path: Path) -> None:
    assert violations(await written(page, tmp_path), 1280, 768, 390, dark=scheme == "dark") == []
