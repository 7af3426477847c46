"""How a window is written, and where it begins."""

import pytest

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.domain.rate import SECOND, Window
from src.shared.domain.repair_rate import WINDOW


@pytest.mark.parametrize(
    ("written", "window"),
    [
        ("200", Window(200)),
        ("1", Window(1)),
        ("9999999", Window(9_999_999)),
        ("45s", Window(None, 45)),
        ("15m", Window(None, 900)),
        ("24h", Window(None, 86_400)),
        ("7d", Window(None, 604_800)),
        ("200,24h", Window(200, 86_400)),
        ("24h,200", Window(200, 86_400)),
    ],
)
def test_window_is_a_number_a_time_or_both(written: str, window: Window) -> None:
    assert Window.of(written) == window


@pytest.mark.parametrize("written", ["", "0", "-1", "1.5h", "h", "24H", "1,2", "1h,2h", "1,2h,3", "10000000", "١"])
def test_anything_else_is_refused(written: str) -> None:
    with pytest.raises(MonitoringSettingsError, match="a window is written as"):
        Window.of(written)


def test_default_is_that_of_the_rates_in_memory() -> None:
    assert Window() == Window(WINDOW, None)


def test_window_of_a_time_begins_so_long_before_its_end() -> None:
    assert Window(None, 60).since(100 * SECOND) == 40 * SECOND


def test_window_of_a_number_has_no_first_moment() -> None:
    assert Window(5).since(100) == 0
