"""How often texts need the repair agent, by agent and by model. Source: its specification, 监控修复率."""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.caller import Caller
from src.shared.domain.ports.events import CallStarted, Event, OutputParsed, ParseOutcome, RepairAsked
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair_rate import (
    MINIMUM,
    WINDOW,
    RateLevel,
    RateScope,
    RepairRate,
    RepairRates,
    RepairRateWarning,
)
from tests.shared.event_samples import ASKED, CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED

NEEDED = (REFUSED, ASKED)
"""What is told of a text that the repair agent was asked about in vain."""
MENDED = (REFUSED, ASKED, MODEL_REPAIRED)
"""What is told of one that it repaired."""


@dataclass
class Heard:
    """Keeps what it is told."""

    warnings: list[RepairRateWarning] = field(default_factory=list)

    def crossed(self, warning: RepairRateWarning) -> None:
        self.warnings.append(warning)

    def of_agents(self) -> list[tuple[RateLevel, int]]:
        """The level and the number of texts asked about of each crossing of an agent."""
        return [(w.level, w.rate.asked) for w in self.warnings if w.scope is RateScope.AGENT]


def rates_of(events: Iterable[Event], listener: Heard | None = None, **bounds: int) -> RepairRates:
    rates = RepairRates(listener, **bounds)
    for event in events:
        rates.publish(event)
    return rates


def rate_of(*events: Event) -> RepairRate:
    return rates_of(events).by_agent()["裁决"]


def damaged(*kinds: RepairKind) -> OutputParsed:
    return replace(REPAIRED, repair_kinds=kinds)


def asked(*damage: str) -> RepairAsked:
    return replace(ASKED, damage=damage)


# --- the rate -------------------------------------------------------------------------------------------


def test_rate_is_the_share_of_texts_that_the_repair_agent_was_asked_about() -> None:
    """Seed, 成本: 触发频率, 仅在常规解析失败时触发."""
    assert rate_of(CLEAN, CLEAN, *NEEDED, *MENDED).repair_rate == 0.5


RE_ASKED = (REFUSED, replace(REFUSED, attempt=2), replace(REFUSED, attempt=3), ASKED)
"""What is told of an output whose two re-asks, and then the repair agent, were in vain."""


def test_rate_counts_outputs_and_not_their_re_asks() -> None:
    """Seed, 监控修复率: 12 of 100 outputs are 12 %, whatever the texts that their re-asks took."""
    rate = rate_of(*[CLEAN] * 88, *RE_ASKED * 12)
    assert (rate.parses, rate.re_asked, rate.outputs, rate.repair_rate) == (124, 24, 100, 0.12)


def test_rate_of_a_model_that_answered_re_asks_alone_is_no_more_than_one() -> None:
    other = replace(REFUSED, model="m-2", attempt=2)
    assert rates_of([REFUSED, other, ASKED]).by_model()["m-2"].repair_rate == 1.0


def test_re_asks_that_left_the_window_are_counted_no_more() -> None:
    assert rates_of([*RE_ASKED * 4, *[CLEAN] * 4], window=4, minimum=1).by_agent()["裁决"] == RepairRate(parses=4)


def test_re_asks_do_not_make_a_rate_sure() -> None:
    heard = Heard()
    rates_of(RE_ASKED * 9, heard, minimum=10)
    assert heard.of_agents() == []
    rates_of(RE_ASKED * 10, heard, minimum=10)
    assert heard.of_agents() == [(RateLevel.ALARM, 10)]


def test_text_that_the_parser_repaired_is_no_part_of_the_rate() -> None:
    rate = rate_of(CLEAN, REPAIRED)
    assert (rate.repair_rate, rate.repaired_share) == (0.0, 0.5)


def test_question_counts_whether_it_succeeded_or_not() -> None:
    assert (rate_of(*NEEDED).asked, rate_of(*MENDED).asked) == (1, 1)


def test_text_that_was_refused_and_then_repaired_by_the_agent_is_one_text() -> None:
    assert rate_of(*MENDED) == RepairRate(1, 1, 1, 1, 0, tuple((name, 1) for name in sorted(ASKED.damage)), ())


def test_answer_of_the_agent_that_breaks_the_contract_is_the_refused_text_still() -> None:
    rate = rate_of(*NEEDED, replace(REFUSED, by_repair_agent=True))
    assert (rate.parses, rate.asked, rate.refused) == (1, 1, 1)


def test_repaired_text_that_has_left_the_window_is_not_counted_again() -> None:
    rates = rates_of([*NEEDED, CLEAN, MODEL_REPAIRED], window=1, minimum=1)
    assert rates.by_agent()["裁决"] == RepairRate(parses=1)


def test_refused_texts_are_parses_and_have_a_rate_of_their_own() -> None:
    rate = rate_of(CLEAN, REPAIRED, REFUSED, REFUSED)
    assert (rate.parses, rate.repair_rate, rate.refusal_rate) == (4, 0.0, 0.5)


def test_nothing_parsed_is_a_rate_of_zero() -> None:
    none = RepairRate()
    assert (none.repair_rate, none.repaired_share, none.refusal_rate) == (0.0, 0.0, 0.0)


def test_agents_and_models_are_counted_apart() -> None:
    other = replace(CLEAN, context_label="冲突消解")
    rates = rates_of([*NEEDED, other])
    assert {name: rate.repair_rate for name, rate in rates.by_agent().items()} == {"裁决": 1.0, "冲突消解": 0.0}
    assert {name: rate.repair_rate for name, rate in rates.by_model().items()} == {"m-1": 0.5}


def test_question_is_the_models_that_wrote_the_damaged_text() -> None:
    rates = rates_of([*NEEDED, replace(MODEL_REPAIRED, model="repairer")])
    assert {name: (rate.parses, rate.asked) for name, rate in rates.by_model().items()} == {"m-1": (1, 1)}


def test_question_of_one_agent_is_not_another_ones() -> None:
    other = replace(ASKED, caller=Caller("冲突消解"))
    rates = rates_of([REFUSED, other])
    assert {name: rate.asked for name, rate in rates.by_agent().items()} == {"裁决": 0, "冲突消解": 1}


def test_text_that_was_never_parsed_here_counts_as_refused_once_it_is_asked_about() -> None:
    rates = rates_of([ASKED])
    assert (rates.by_agent()["裁决"].refused, rates.by_model()) == (1, {})


def test_second_question_is_about_another_text() -> None:
    assert rate_of(REFUSED, REFUSED, ASKED, ASKED).asked == 2


def test_text_that_came_from_no_model_counts_for_its_agent_alone() -> None:
    rates = rates_of([replace(REPAIRED, model="")])
    assert (list(rates.by_agent()), list(rates.by_model())) == (["裁决"], [])


def test_events_that_are_no_parse_change_nothing() -> None:
    assert rates_of([CallStarted(Caller("裁决"), "m-1")]).by_agent() == {}


def test_only_the_last_parses_count() -> None:
    assert rates_of([*NEEDED * 10, *[CLEAN] * 4], window=4, minimum=1).by_agent()["裁决"] == RepairRate(parses=4)


def test_former_model_of_an_agent_goes_out_of_the_agents_rate() -> None:
    new = replace(CLEAN, model="m-2")
    rates = rates_of([*NEEDED * 4, *[new] * 4], window=4, minimum=1)
    assert (rates.by_agent()["裁决"].repair_rate, rates.by_model()["m-1"].repair_rate) == (0.0, 1.0)


def test_damage_that_made_the_agent_necessary_is_counted_in_texts_the_most_frequent_first() -> None:
    rate = rate_of(REFUSED, asked("x", "x", "y"), REFUSED, asked("y"), REFUSED, asked("a"))
    assert rate.damage == (("y", 2), ("a", 1), ("x", 1))


def test_repairs_are_counted_in_texts_the_most_frequent_first() -> None:
    comma, quote, bracket = RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.MISSING_BRACKET
    rate = rate_of(damaged(quote, quote, quote), damaged(comma), damaged(comma, bracket))
    assert (rate.kinds, rate.damage) == (((comma, 2), (bracket, 1), (quote, 1)), ())


def test_kinds_noted_in_refused_texts_are_no_repairs() -> None:
    assert rate_of(REFUSED).kinds == ()


TEXTS: dict[ParseOutcome | str, tuple[Event, ...]] = {
    ParseOutcome.CLEAN: (CLEAN,),
    ParseOutcome.REPAIRED: (REPAIRED,),
    ParseOutcome.REFUSED: (REFUSED,),
    "asked": NEEDED,
    ParseOutcome.MODEL_REPAIRED: MENDED,
}


@given(texts=st.lists(st.sampled_from([*TEXTS]), max_size=40), window=st.integers(1, 12))
def test_rate_is_always_that_of_the_last_texts(texts: list[ParseOutcome | str], window: int) -> None:
    events = [event for text in texts for event in TEXTS[text]]
    rate = rates_of(events, window=window, minimum=1).by_agent().get("裁决", RepairRate())
    count = {text: texts[-window:].count(text) for text in TEXTS}
    repaired, mended = count[ParseOutcome.REPAIRED], count[ParseOutcome.MODEL_REPAIRED]
    needed = count["asked"] + mended
    assert rate == RepairRate(
        parses=len(texts[-window:]),
        asked=needed,
        repaired=repaired + mended,
        model_repaired=mended,
        refused=count[ParseOutcome.REFUSED] + count["asked"],
        damage=tuple((name, needed) for name in sorted(ASKED.damage)) if needed else (),
        kinds=((RepairKind.TRAILING_COMMA, repaired),) if repaired else (),
    )


@given(st.lists(st.sampled_from([CLEAN, REFUSED, ASKED, MODEL_REPAIRED]), max_size=40), st.integers(1, 12))
def test_whatever_the_order_never_more_texts_are_asked_about_than_were_parsed(events: list[Event], window: int) -> None:
    for rate in rates_of(events, window=window, minimum=1).by_agent().values():
        assert 0 <= rate.model_repaired <= rate.asked <= rate.parses <= window


# --- warnings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needed", "level"),
    [
        (0, RateLevel.NORMAL),
        (4, RateLevel.NORMAL),
        (5, RateLevel.WARNING),
        (10, RateLevel.WARNING),
        (11, RateLevel.ALARM),
        (100, RateLevel.ALARM),
    ],
)
def test_five_per_cent_are_a_warning_and_more_than_ten_an_alarm(needed: int, level: RateLevel) -> None:
    """Seed, 成本: 预计 < 5%; 最佳实践: 如果修复率过高（> 10%）."""
    warnings = rates_of([*NEEDED * needed, *[REPAIRED] * (100 - needed)]).warnings()
    assert {(w.scope, w.level) for w in warnings} == ({(scope, level) for scope in RateScope} if level else set())


@pytest.mark.parametrize(("parses", "warned"), [(3, 0), (MINIMUM - 1, 0), (MINIMUM, 2)])
def test_few_parses_say_nothing(parses: int, warned: int) -> None:
    assert len(rates_of(NEEDED * parses).warnings()) == warned


def test_highest_rate_is_the_first_warning() -> None:
    worse = (replace(REFUSED, context_label="冲突消解", model="m-2"), replace(ASKED, caller=Caller("冲突消解")))
    warnings = rates_of([*worse * 50, *NEEDED * 25, *[CLEAN] * 25]).warnings()
    assert [w.name for w in warnings] == ["冲突消解", "m-2", "裁决", "m-1"]


def test_rate_that_rises_is_told_once_at_each_threshold() -> None:
    heard = Heard()
    rates_of([*[CLEAN] * 100, *NEEDED * 100], heard)
    assert heard.of_agents() == [(RateLevel.WARNING, 6), (RateLevel.ALARM, 12)]


def test_rate_that_starts_above_both_thresholds_is_one_warning() -> None:
    heard = Heard()
    rates_of(MENDED * 100, heard)
    assert heard.of_agents() == [(RateLevel.ALARM, MINIMUM)]


def test_crossing_is_told_for_the_agent_and_for_the_model() -> None:
    heard = Heard()
    rates_of(NEEDED * 100, heard)
    assert [(w.scope, w.name) for w in heard.warnings] == [(RateScope.AGENT, "裁决"), (RateScope.MODEL, "m-1")]


def test_rate_that_wavers_about_a_threshold_is_one_crossing() -> None:
    heard = Heard()
    again: list[Event] = [*[CLEAN] * 2, *NEEDED * 11, *[CLEAN] * 87]
    rates_of([*NEEDED * 11, *[CLEAN] * 89, *again * 5], heard, window=100)
    assert heard.of_agents() == [(RateLevel.ALARM, 11)]


def test_rate_that_was_low_again_is_a_new_crossing() -> None:
    heard = Heard()
    rates_of([*NEEDED * 50, *[CLEAN] * WINDOW] * 2, heard)
    levels = [level for level, _ in heard.of_agents()]
    assert levels == [RateLevel.ALARM, RateLevel.WARNING, RateLevel.ALARM]


def test_counting_needs_no_listener() -> None:
    assert rates_of(NEEDED * 100).by_agent()["裁决"].asked == 100


# --- what a warning says --------------------------------------------------------------------------------


def warning_of(*damage: tuple[str, int], asked: int = 25) -> RepairRateWarning:
    rate = RepairRate(200, asked, damage=damage)
    return RepairRateWarning(RateScope.AGENT, "裁决", RateLevel.of(rate.repair_rate), rate)


def test_message_says_how_often_why_and_what_to_do_in_both_languages() -> None:
    assert warning_of(("a value is expected here", 20), ("single_quote", 9)).message == (
        "智能体 裁决 最近 200 个输出中有 25 个需要修复智能体，修复率 12.5%，超过 10%：请改进提示词和前置防护。"
        "最常见的原因：a value is expected here 20 次、single_quote 9 次 "
        "(agent 裁决: 12.5% needed the repair agent (25 of the last 200 outputs), above 10%; "
        "improve the prompt and the guards before the parser; "
        "most frequent reasons: a value is expected here 20, single_quote 9)"
    )


def test_message_of_a_warning_names_its_own_threshold() -> None:
    warning = warning_of(("comment", 10), asked=10)
    assert (warning.threshold, "达到 5%" in warning.message, "at or above 5%" in warning.message) == (0.05, True, True)


def test_message_names_the_three_most_frequent_kinds_of_damage() -> None:
    damage = [(f"reason-{at}", 9 - at) for at in range(5)]
    message = warning_of(*damage).message
    assert [reason in message for reason, _ in damage] == [True, True, True, False, False]


def test_message_says_so_where_no_damage_was_recorded() -> None:
    message = warning_of().message
    assert "最常见的原因：未记录" in message
    assert "most frequent reasons: none recorded" in message


# --- bounds ---------------------------------------------------------------------------------------------


def test_agent_longest_without_a_parse_gives_way_to_a_new_one() -> None:
    labels = ["a", "b", "a", "c"]
    rates = rates_of([replace(CLEAN, context_label=label) for label in labels], names=2)
    assert sorted(rates.by_agent()) == ["a", "c"]


@pytest.mark.parametrize("bounds", [{"window": 0}, {"minimum": 0}, {"window": 4, "minimum": 5}, {"names": 0}])
def test_bounds_that_make_no_sense_are_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="need 1 <= minimum <= window and names >= 1"):
        RepairRates(None, **bounds)


def test_agent_that_gave_way_is_counted_from_nothing_when_it_is_back() -> None:
    other = replace(CLEAN, context_label="b")
    rates = rates_of([*NEEDED, other, CLEAN], names=1)
    assert rates.by_agent()["裁决"] == RepairRate(parses=1)
    assert (rates.by_model()["m-1"].parses, rates.by_model()["m-1"].asked) == (3, 1)


def test_any_thread_may_publish() -> None:
    rates = RepairRates(window=5_000)
    with ThreadPoolExecutor(8) as pool:
        deque(pool.map(rates.publish, [REPAIRED, CLEAN] * 2_000), maxlen=0)
    assert rates.by_agent()["裁决"] == RepairRate(4_000, repaired=2_000, kinds=((RepairKind.TRAILING_COMMA, 2_000),))
