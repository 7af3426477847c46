"""Which texts a window holds, what a rate comes to, and that a crossing is told once, until it recovers."""

import pytest

from src.modules.monitoring.domain.alarm import Alarm, AlarmKind, message_of
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.domain.rate import SECOND, Rate, Share, Window, time_of
from src.shared.domain.language import VARIABLE
from src.shared.domain.repair_rate import WINDOW, RateLevel, RateScope, RepairRate
from tests.modules.monitoring.stored import START

WINDOWS = {
    "200": Window(),
    "1": Window(1),
    "9999999": Window(9_999_999),
    "45s": Window(None, 45),
    "15m": Window(None, 900),
    "24h": Window(None, 86_400),
    "7d": Window(None, 604_800),
    "200,24h": Window(WINDOW, 86_400),
    "24h,200": Window(WINDOW, 86_400),
}


@pytest.mark.parametrize("written", WINDOWS)
def test_window_is_a_number_a_time_or_both_and_by_default_that_of_the_rates_in_memory(written: str) -> None:
    assert Window.of(written) == WINDOWS[written]


@pytest.mark.parametrize("written", ["", "0", "-1", "1.5h", "h", "24H", "1,2", "1h,2h", "1,2h,3", "10000000", "١"])
def test_anything_else_is_no_window(written: str) -> None:
    with pytest.raises(MonitoringSettingsError, match="a window is written as"):
        Window.of(written)


def test_window_of_a_time_begins_so_long_before_its_end() -> None:
    assert (Window(None, 60).since(100 * SECOND), Window(5).since(100)) == (40 * SECOND, 0)
    assert time_of(START).isoformat() == "2027-01-15T08:00:00+00:00"


def test_shares_are_parts_of_all_texts() -> None:
    assert (Share("s", 1, 4).share, Share("s", 0, 0).share) == (0.25, 0)
    assert Rate("", RepairRate(4, repaired=1, refused=1)).clean == 2


NORMAL, WARNING, ALARM = RateLevel


@pytest.mark.parametrize(
    ("parses", "asked", "re_asked", "level"),
    [
        (49, 49, 0, NORMAL),
        (50, 50, 0, ALARM),
        (100, 5, 0, WARNING),
        (100, 4, 0, NORMAL),
        (98, 12, 49, NORMAL),
        (99, 12, 49, ALARM),
    ],
)
def test_level_of_a_rate_needs_enough_outputs(parses: int, asked: int, re_asked: int, level: RateLevel) -> None:
    assert Rate("a", RepairRate(parses, asked, re_asked=re_asked)).level is level


W, A, R = AlarmKind


@pytest.mark.parametrize(
    ("percents", "told"),
    [
        ((0, 4), [None, None]),
        ((5, 6, 10), [W, None, None]),
        ((10,), [W]),
        ((11,), [A]),
        ((5, 11, 12), [W, A, None]),
        ((5, 4, 5), [W, None, None]),
        ((5, 3, 5), [W, R, W]),
        ((11, 9, 11), [A, None, None]),
        ((11, 7, 11), [A, None, A]),
        ((11, 7, 3), [A, None, R]),
        ((11, 3, 2), [A, R, None]),
    ],
)
def test_each_crossing_is_told_once_until_it_recovers_and_says_since_when(
    percents: tuple[int, ...], told: list[AlarmKind | None]
) -> None:
    alarm = Alarm(RateScope.AGENT, "裁决")
    for at, (percent, expected) in enumerate(zip(percents, told, strict=True), 1):
        before = alarm
        alarm, kind = before.after(Rate("裁决", RepairRate(parses=100, asked=percent)), at)
        assert kind is expected
        assert alarm.since == (before.since if alarm.level is before.level else at)


@pytest.mark.parametrize(
    ("spoken", "kind", "rate", "parts"),
    [
        ("zh", R, RepairRate(100, 2), ["已恢复"]),
        ("en", R, RepairRate(100, 2), ["has recovered: 2.0% of the last 100 outputs"]),
        ("both", A, RepairRate(100, 12), ["above 10%", "请改进提示词"]),
        ("zh", A, RepairRate(124, 12, re_asked=24), ["最近 100 个输出中有 12 个需要修复智能体，修复率 12.0%"]),
    ],
)
def test_event_is_told_in_words_and_in_outputs(
    monkeypatch: pytest.MonkeyPatch, spoken: str, kind: AlarmKind, rate: RepairRate, parts: list[str]
) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    message = message_of(kind, RateScope.MODEL, "m1", rate)
    assert [part for part in parts if part not in message] == []
