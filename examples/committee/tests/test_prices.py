"""A technical section is made of daily prices: by the formulas, and of nothing later than the dossier."""

import math
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from examples.committee.dossier import DossierError
from examples.committee.prices import WARM_UP, Bar, read_bars, technical_section, with_prices
from examples.committee.tests.committees import DOSSIER
from tests.modules.inputs import DOSSIER_FILE

PRICES = DOSSIER_FILE.with_name("prices.csv")


def section(closes: list[float], **also: list[float]) -> dict[str, object]:
    rows = [dict(zip(also, row, strict=True)) for row in zip(*also.values(), strict=True)] or [{}] * len(closes)
    days = [date(2025, 1, 1) + timedelta(days=place) for place in range(len(closes))]
    bars = zip(days, closes, rows, strict=True)
    return technical_section([Bar(date=day, close=close, **row) for day, close, row in bars])


def written(folder: Path, text: str) -> Path:
    file = folder / "prices.csv"
    file.write_text(text, encoding="utf-8-sig")
    return file


def test_prices_that_are_shipped_give_the_figures_of_the_dossier_that_is_shipped() -> None:
    made = with_prices(DOSSIER, PRICES)
    assert made.technical is not None
    assert DOSSIER.technical is not None
    for name in ("close", "ma5", "ma10", "ma20", "ma60", "ma120", "bollinger_upper", "bollinger_lower"):
        assert round(getattr(made.technical, name), 2) == getattr(DOSSIER.technical, name), name
    for name in ("change_1d", "change_20d", "change_60d"):
        assert getattr(made.technical, name) == pytest.approx(getattr(DOSSIER.technical, name), abs=0.05)
    assert (made.technical.ma250, made.technical.high_52w, made.technical.volume) == (None, None, None)
    assert (made.stock, made.financial) == (DOSSIER.stock, DOSSIER.financial)


def test_prices_after_the_day_of_the_dossier_are_not_used(tmp_path: Path) -> None:
    later = written(tmp_path, PRICES.read_text(encoding="utf-8") + "2025-11-24,99\n")
    assert with_prices(DOSSIER, later) == with_prices(DOSSIER, PRICES)
    with pytest.raises(DossierError, match="no price up to"):
        with_prices(DOSSIER, written(tmp_path, "date,close\n2025-11-24,99\n"))


def test_rows_may_come_in_any_order_with_columns_of_their_own(tmp_path: Path) -> None:
    file = written(tmp_path, 'name,close,date,volume\nA,"2",2025-01-03,\nB,1,2025-01-02,500\n')
    assert [(bar.date.day, bar.close, bar.volume) for bar in read_bars(file)] == [(2, 1, 500), (3, 2, None)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("date,close\n2025-01-02,1\n2025-01-02,2\n", "line 3 repeats a day"),
        ("date,close\n2025-01-02,n/a\n", "line 2 is wrong: close"),
        ("date,close\nyesterday,0\n", "line 2 is wrong: date, close"),
        ("day,close\n2025-01-02,1\n", "line 2 is wrong: date"),
    ],
)
def test_row_that_cannot_be_used_is_named(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(DossierError, match=why):
        read_bars(written(tmp_path, text))


def test_rsi_is_smoothed_as_wilder_does_and_100_where_every_day_rises() -> None:
    closes = [20 + 3 * math.sin(place / 5) + place / 100 for place in range(122)]
    steps = [after - before for before, after in pairwise(closes)]
    gain, loss = (sum(max(sign * step, 0) for step in steps[:6]) / 6 for sign in (1, -1))
    for step in steps[6:]:
        gain, loss = (gain * 5 + max(step, 0)) / 6, (loss * 5 + max(-step, 0)) / 6
    assert section(closes)["rsi6"] == pytest.approx(100 - 100 / (1 + gain / loss), abs=0.001)
    assert section([10 + place / 10 for place in range(200)])["rsi14"] == 100
    assert not {"rsi6", "rsi14"} & {*section([10.0] * 200), *section(closes[:WARM_UP])}


def test_highs_lows_and_volumes_are_used_where_they_are_given() -> None:
    closes = [10.0] * 400
    found = section(closes, high=[12.0] * 400, low=[9.0] * 400, volume=[30_000.0] * 400)
    assert (found["high_52w"], found["low_52w"], found["volume"]) == (12, 9, 3)
    assert (found["support_levels"], found["resistance_levels"]) == ([9], [12])
