"""A crossing is told once, until it recovers."""

import pytest

from src.modules.monitoring.domain.alarm import Alarm, AlarmKind, message_of
from src.modules.monitoring.domain.rate import Rate, Share
from src.shared.domain.language import VARIABLE
from src.shared.domain.repair_rate import RateLevel, RateScope, RepairRate


def told(*percents: int) -> list[AlarmKind | None]:
    """What is told as the rate goes through these values."""
    alarm, kinds = Alarm(RateScope.AGENT, "裁决"), []
    for percent in percents:
        alarm, kind = alarm.after(Rate("裁决", RepairRate(parses=100, asked=percent)), at=percent)
        kinds.append(kind)
    return kinds


W, A, R = AlarmKind


@pytest.mark.parametrize(
    ("percents", "kinds"),
    [
        ((0, 4), [None, None]),
        ((5,), [W]),
        ((10,), [W]),
        ((11,), [A]),
        ((5, 6, 10), [W, None, None]),
        ((5, 11, 12), [W, A, None]),
        ((5, 4, 5), [W, None, None]),
        ((5, 3, 5), [W, R, W]),
        ((11, 9, 11), [A, None, None]),
        ((11, 7, 11), [A, None, A]),
        ((11, 7, 3), [A, None, R]),
        ((11, 3, 2), [A, R, None]),
    ],
)
def test_each_crossing_is_told_once_until_it_recovers(percents: tuple[int, ...], kinds: list[AlarmKind | None]) -> None:
    assert told(*percents) == kinds


def test_alarm_says_since_when_it_stands() -> None:
    alarm, _ = Alarm(RateScope.AGENT, "a").after(Rate("a", RepairRate(100, 6)), at=1)
    later, _ = alarm.after(Rate("a", RepairRate(100, 7)), at=2)
    assert (later.level, later.since) == (RateLevel.WARNING, 1)


@pytest.mark.parametrize(("spoken", "text"), [("zh", "已恢复"), ("en", "has recovered: 2.0% of the last 100 outputs")])
def test_recovery_is_told_in_words(monkeypatch: pytest.MonkeyPatch, spoken: str, text: str) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    assert text in message_of(AlarmKind.RECOVERY, RateScope.MODEL, "m1", RepairRate(100, 2))


def test_alarm_is_told_with_its_threshold_and_what_to_do() -> None:
    text = message_of(AlarmKind.ALARM, RateScope.AGENT, "裁决", RepairRate(100, 12))
    assert ("above 10%" in text, "请改进提示词" in text) == (True, True)


def test_alarm_is_told_in_outputs() -> None:
    text = message_of(AlarmKind.ALARM, RateScope.AGENT, "裁决", RepairRate(124, 12, re_asked=24))
    assert "最近 100 个输出中有 12 个需要修复智能体，修复率 12.0%" in text


def test_re_asks_are_no_outputs_that_make_a_rate_sure() -> None:
    assert Rate("a", RepairRate(98, 12, re_asked=49)).level is RateLevel.NORMAL
    assert Rate("a", RepairRate(99, 12, re_asked=49)).level is RateLevel.ALARM


@pytest.mark.parametrize(
    ("parses", "asked", "level"),
    [(49, 49, RateLevel.NORMAL), (50, 50, RateLevel.ALARM), (100, 5, RateLevel.WARNING), (100, 4, RateLevel.NORMAL)],
)
def test_level_of_a_rate_needs_enough_texts(parses: int, asked: int, level: RateLevel) -> None:
    assert Rate("a", RepairRate(parses, asked)).level is level


def test_shares_are_parts_of_all_texts() -> None:
    assert (Share("s", 1, 4).share, Share("s", 0, 0).share) == (0.25, 0)
    assert Rate("", RepairRate(4, repaired=1, refused=1)).clean == 2
