"""How often texts need a repair, by agent and by model. Source: the repair agent's specification, 监控修复率."""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.repair_rates import RateLevel, RateScope, RepairRate, RepairRateWarning
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair_rate import MINIMUM, WINDOW, RepairRates
from tests.shared.event_samples import CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED


@dataclass
class Heard:
    """Keeps what it is told."""

    warnings: list[RepairRateWarning] = field(default_factory=list)

    def crossed(self, warning: RepairRateWarning) -> None:
        self.warnings.append(warning)

    def of_agents(self) -> list[tuple[RateLevel, int]]:
        """The level and the number of repaired texts of each crossing of an agent."""
        return [(w.level, w.rate.repaired) for w in self.warnings if w.scope is RateScope.AGENT]


def rates_of(events: Iterable[OutputParsed], listener: Heard | None = None, **bounds: int) -> RepairRates:
    rates = RepairRates(listener, **bounds)
    for event in events:
        rates.publish(event)
    return rates


def damaged(*kinds: RepairKind) -> OutputParsed:
    return replace(REPAIRED, repair_kinds=kinds)


# --- the rate -------------------------------------------------------------------------------------------


def test_rate_counts_texts_repaired_by_the_parser_and_by_the_repair_agent() -> None:
    rate = rates_of([CLEAN, CLEAN, REPAIRED, MODEL_REPAIRED]).by_agent()["裁决"]
    assert (rate.repair_rate, rate.repaired, rate.model_repaired) == (0.5, 2, 1)


def test_refused_texts_are_parses_and_have_a_rate_of_their_own() -> None:
    rate = rates_of([CLEAN, REPAIRED, REFUSED, REFUSED]).by_agent()["裁决"]
    assert (rate.parses, rate.repair_rate, rate.refusal_rate) == (4, 0.25, 0.5)


def test_nothing_parsed_is_a_rate_of_zero() -> None:
    assert (RepairRate().repair_rate, RepairRate().refusal_rate) == (0.0, 0.0)


def test_agents_and_models_are_counted_apart() -> None:
    other = replace(CLEAN, context_label="冲突消解")
    rates = rates_of([REPAIRED, other])
    assert {name: rate.repair_rate for name, rate in rates.by_agent().items()} == {"裁决": 1.0, "冲突消解": 0.0}
    assert {name: rate.repair_rate for name, rate in rates.by_model().items()} == {"m-1": 0.5}


def test_text_that_came_from_no_model_counts_for_its_agent_alone() -> None:
    rates = rates_of([replace(REPAIRED, model="")])
    assert (list(rates.by_agent()), list(rates.by_model())) == (["裁决"], [])


def test_only_the_last_parses_count() -> None:
    assert rates_of([REPAIRED] * 10 + [CLEAN] * 4, window=4, minimum=1).by_agent()["裁决"] == RepairRate(parses=4)


def test_former_model_of_an_agent_goes_out_of_the_agents_rate() -> None:
    new = replace(CLEAN, model="m-2")
    rates = rates_of([REPAIRED] * 4 + [new] * 4, window=4, minimum=1)
    assert (rates.by_agent()["裁决"].repair_rate, rates.by_model()["m-1"].repair_rate) == (0.0, 1.0)


def test_damage_is_counted_in_texts_the_most_frequent_first() -> None:
    comma, quote, bracket = RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.MISSING_BRACKET
    events = [damaged(quote, quote, quote), damaged(comma), damaged(comma, bracket)]
    assert rates_of(events).by_agent()["裁决"].kinds == ((comma, 2), (bracket, 1), (quote, 1))


def test_damage_of_refused_texts_is_no_part_of_the_repair_rate() -> None:
    assert rates_of([REFUSED]).by_agent()["裁决"].kinds == ()


@given(
    events=st.lists(st.sampled_from([CLEAN, REPAIRED, MODEL_REPAIRED, REFUSED]), max_size=40),
    window=st.integers(1, 12),
)
def test_rate_is_always_that_of_the_last_events(events: list[OutputParsed], window: int) -> None:
    rate = rates_of(events, window=window, minimum=1).by_agent().get("裁决", RepairRate())
    last = [event.outcome for event in events[-window:]]
    count = {outcome: last.count(outcome) for outcome in ParseOutcome}
    repaired = count[ParseOutcome.REPAIRED]
    assert rate == RepairRate(
        parses=len(last),
        repaired=repaired + count[ParseOutcome.MODEL_REPAIRED],
        model_repaired=count[ParseOutcome.MODEL_REPAIRED],
        refused=count[ParseOutcome.REFUSED],
        kinds=((RepairKind.TRAILING_COMMA, repaired),) if repaired else (),
    )


# --- warnings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("repaired", "level"),
    [
        (0, RateLevel.NORMAL),
        (4, RateLevel.NORMAL),
        (5, RateLevel.NOTICE),
        (10, RateLevel.NOTICE),
        (11, RateLevel.WARNING),
        (100, RateLevel.WARNING),
    ],
)
def test_five_per_cent_are_a_notice_and_more_than_ten_a_warning(repaired: int, level: RateLevel) -> None:
    """Seed, 成本: 预计 < 5%; 最佳实践: 如果修复率过高（> 10%）."""
    warnings = rates_of([REPAIRED] * repaired + [CLEAN] * (100 - repaired)).warnings()
    assert {(w.scope, w.level) for w in warnings} == ({(scope, level) for scope in RateScope} if level else set())


@pytest.mark.parametrize(("parses", "warned"), [(3, 0), (MINIMUM - 1, 0), (MINIMUM, 2)])
def test_few_parses_say_nothing(parses: int, warned: int) -> None:
    assert len(rates_of([REPAIRED] * parses).warnings()) == warned


def test_highest_rate_is_the_first_warning() -> None:
    worse = replace(REPAIRED, context_label="冲突消解", model="m-2")
    warnings = rates_of([worse] * 50 + [REPAIRED] * 25 + [CLEAN] * 25).warnings()
    assert [w.name for w in warnings] == ["冲突消解", "m-2", "裁决", "m-1"]


def test_rate_that_rises_is_told_once_at_each_threshold() -> None:
    heard = Heard()
    rates_of([CLEAN] * 100 + [REPAIRED] * 100, heard)
    assert heard.of_agents() == [(RateLevel.NOTICE, 6), (RateLevel.WARNING, 12)]


def test_rate_that_starts_above_both_thresholds_is_one_warning() -> None:
    heard = Heard()
    rates_of([REPAIRED] * 100, heard)
    assert heard.of_agents() == [(RateLevel.WARNING, MINIMUM)]


def test_crossing_is_told_for_the_agent_and_for_the_model() -> None:
    heard = Heard()
    rates_of([REPAIRED] * 100, heard)
    assert [(w.scope, w.name) for w in heard.warnings] == [(RateScope.AGENT, "裁决"), (RateScope.MODEL, "m-1")]


def test_rate_that_wavers_about_a_threshold_is_one_crossing() -> None:
    heard = Heard()
    wavering = [REPAIRED] * 11 + [CLEAN] * 89 + ([CLEAN] * 2 + [REPAIRED] * 11 + [CLEAN] * 87) * 5
    rates_of(wavering, heard, window=100)
    assert heard.of_agents() == [(RateLevel.WARNING, 11)]


def test_rate_that_was_low_again_is_a_new_crossing() -> None:
    heard = Heard()
    rates_of(([REPAIRED] * 50 + [CLEAN] * WINDOW) * 2, heard)
    levels = [level for level, _ in heard.of_agents()]
    assert levels == [RateLevel.WARNING, RateLevel.NOTICE, RateLevel.WARNING]


def test_counting_needs_no_listener() -> None:
    assert rates_of([REPAIRED] * 100).by_agent()["裁决"].repaired == 100


# --- what a warning says --------------------------------------------------------------------------------


def warning_of(*kinds: tuple[RepairKind, int], repaired: int = 25) -> RepairRateWarning:
    rate = RepairRate(200, repaired, kinds=kinds)
    return RepairRateWarning(RateScope.AGENT, "裁决", RateLevel.of(rate.repair_rate), rate)


def test_message_says_how_often_and_what_to_do_in_both_languages() -> None:
    assert warning_of((RepairKind.TRAILING_COMMA, 20), (RepairKind.SINGLE_QUOTE, 9)).message == (
        "智能体 裁决 最近 200 次解析中修复了 25 次，修复率 12.5%，超过 10%：请改进提示词和前置防护。"
        "最常见的损坏：trailing_comma 20 次、single_quote 9 次 "
        "(agent 裁决: 12.5% repaired, above 10%; improve the prompt and the guards before the parser; "
        "most frequent damage: trailing_comma 20, single_quote 9)"
    )


def test_message_of_a_notice_names_its_own_threshold() -> None:
    notice = warning_of((RepairKind.COMMENT, 10), repaired=10)
    assert (notice.threshold, "达到 5%" in notice.message, "at or above 5%" in notice.message) == (0.05, True, True)


def test_message_names_the_three_most_frequent_kinds_of_damage() -> None:
    kinds = [(kind, 9 - at) for at, kind in enumerate(list(RepairKind)[:5])]
    message = warning_of(*kinds).message
    assert [kind in message for kind, _ in kinds] == [True, True, True, False, False]


def test_message_says_so_where_no_damage_was_recorded() -> None:
    message = warning_of().message
    assert "最常见的损坏：未记录" in message
    assert "most frequent damage: none recorded" in message


# --- bounds ---------------------------------------------------------------------------------------------


def test_agent_longest_without_a_parse_gives_way_to_a_new_one() -> None:
    labels = ["a", "b", "a", "c"]
    rates = rates_of([replace(CLEAN, context_label=label) for label in labels], names=2)
    assert sorted(rates.by_agent()) == ["a", "c"]


@pytest.mark.parametrize("bounds", [{"window": 0}, {"minimum": 0}, {"window": 4, "minimum": 5}, {"names": 0}])
def test_bounds_that_make_no_sense_are_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="need 1 <= minimum <= window and names >= 1"):
        RepairRates(None, **bounds)


def test_any_thread_may_publish() -> None:
    rates = RepairRates(window=5_000)
    with ThreadPoolExecutor(8) as pool:
        deque(pool.map(rates.publish, [REPAIRED, CLEAN] * 2_000), maxlen=0)
    assert rates.by_agent()["裁决"] == RepairRate(4_000, 2_000, kinds=((RepairKind.TRAILING_COMMA, 2_000),))
