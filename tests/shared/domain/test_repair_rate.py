"""How often texts need the repair agent, by agent and by model. Source: its specification, 监控修复率."""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

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
RE_ASKED = (REFUSED, replace(REFUSED, attempt=2), replace(REFUSED, attempt=3), ASKED)
"""What is told of an output whose two re-asks, and then the repair agent, were in vain."""
COMMA, QUOTE, BRACKET = RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.MISSING_BRACKET


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


def damaged(*kinds: RepairKind) -> OutputParsed:
    return replace(REPAIRED, repairs=Counter(kinds))


def asked(*damage: str) -> RepairAsked:
    return replace(ASKED, damage=damage)


def of(label: str, *events: Any) -> Sequence[Event]:  # noqa: ANN401 - events with a label or a caller
    return [
        replace(event, caller=Caller(label)) if isinstance(event, RepairAsked) else replace(event, context_label=label)
        for event in events
    ]


# --- the rate -------------------------------------------------------------------------------------------

AGENTS: list[tuple[str, Sequence[Event], dict[str, Any]]] = [
    (
        "share of texts that the agent was asked about, in vain or not; seed, 成本: 仅在常规解析失败时触发",
        (CLEAN, CLEAN, *NEEDED, *MENDED),
        {"asked": 2, "repair_rate": 0.5, "parses": 4},
    ),
    (
        "outputs count and not their re-asks; seed, 监控修复率: 12 of 100 outputs are 12 %",
        ([CLEAN] * 88 + [*RE_ASKED] * 12),
        {"parses": 124, "re_asked": 24, "outputs": 100, "repair_rate": 0.12},
    ),
    ("what the parser repaired is no part of it", (CLEAN, REPAIRED), {"repair_rate": 0.0, "repaired_share": 0.5}),
    (
        "text that was refused and then repaired is one text",
        MENDED,
        {"parses": 1, "asked": 1, "repaired": 1, "model_repaired": 1, "refused": 0, "kinds": ()},
    ),
    (
        "answer that breaks the contract is the refused text still",
        (*NEEDED, replace(REFUSED, by_repair_agent=True)),
        {"parses": 1, "asked": 1, "refused": 1},
    ),
    (
        "refused texts have a rate of their own",
        (CLEAN, REPAIRED, REFUSED, REFUSED),
        {"parses": 4, "repair_rate": 0.0, "refusal_rate": 0.5, "kinds": (("trailing_comma", 1),)},
    ),
    ("text that was never parsed here is refused once it is asked about", (ASKED,), {"refused": 1, "asked": 1}),
    ("second question is about another text", (REFUSED, REFUSED, ASKED, ASKED), {"asked": 2}),
    (
        "damage is counted in texts, the most frequent first",
        (REFUSED, asked("x", "x", "y"), REFUSED, asked("y"), REFUSED, asked("a")),
        {"damage": (("y", 2), ("a", 1), ("x", 1))},
    ),
    (
        "repairs are counted in texts, the most frequent first",
        (damaged(QUOTE, QUOTE, QUOTE), damaged(COMMA), damaged(COMMA, BRACKET)),
        {"kinds": ((COMMA, 2), (BRACKET, 1), (QUOTE, 1)), "damage": ()},
    ),
]


@pytest.mark.parametrize(("events", "numbers"), [row[1:] for row in AGENTS], ids=[row[0] for row in AGENTS])
def test_rate_of_an_agent(events: Sequence[Event], numbers: dict[str, Any]) -> None:
    rate = rates_of(events).by_agent()["裁决"]
    assert {name: getattr(rate, name) for name in numbers} == numbers


def test_nothing_parsed_is_a_rate_of_zero() -> None:
    none = RepairRate()
    assert (none.repair_rate, none.repaired_share, none.refusal_rate) == (0.0, 0.0, 0.0)
    assert rates_of([CallStarted(Caller("裁决"), "m-1")]).by_agent() == {}


NAMED: list[tuple[str, Sequence[Event], dict[str, int], dict[str, int]]] = [
    ("agents and models are apart", [*NEEDED, *of("b", CLEAN)], {"裁决": 1, "b": 0}, {"m-1": 1}),
    ("the model that wrote it", [*NEEDED, replace(MODEL_REPAIRED, model="repairer")], {"裁决": 1}, {"m-1": 1}),
    ("another agent's question", [REFUSED, *of("b", ASKED)], {"裁决": 0, "b": 1}, {"m-1": 0}),
    ("no model", [replace(REPAIRED, model="")], {"裁决": 0}, {}),
    ("re-asks alone", [REFUSED, replace(REFUSED, model="m-2", attempt=2), ASKED], {"裁决": 1}, {"m-1": 0, "m-2": 1}),
]


@pytest.mark.parametrize(("events", "agents", "models"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_questions_are_counted_by_agent_and_by_model(
    events: Sequence[Event], agents: dict[str, int], models: dict[str, int]
) -> None:
    rates = rates_of(events)
    for found, expected in ((rates.by_agent(), agents), (rates.by_model(), models)):
        assert {name: rate.asked for name, rate in found.items()} == expected
        assert all(rate.repair_rate <= 1 for rate in found.values())


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


@pytest.mark.parametrize("before", [[*NEEDED], [*RE_ASKED], [*NEEDED, CLEAN]])
def test_what_left_the_window_is_counted_no_more(before: list[Event]) -> None:
    """Also where the repair agent's answer to it comes later."""
    rates = rates_of([*before * 4, *[CLEAN] * 4, MODEL_REPAIRED], window=4, minimum=1)
    assert rates.by_agent()["裁决"] == RepairRate(parses=4)


def test_former_model_of_an_agent_goes_out_of_the_agents_rate() -> None:
    new = replace(CLEAN, model="m-2")
    rates = rates_of([*NEEDED * 4, *[new] * 4], window=4, minimum=1)
    assert (rates.by_agent()["裁决"].repair_rate, rates.by_model()["m-1"].repair_rate) == (0.0, 1.0)


# --- warnings -------------------------------------------------------------------------------------------

NORMAL, WARNING, ALARM = RateLevel


@pytest.mark.parametrize(
    ("needed", "level"), [(0, NORMAL), (4, NORMAL), (5, WARNING), (10, WARNING), (11, ALARM), (100, ALARM)]
)
def test_five_per_cent_are_a_warning_and_more_than_ten_an_alarm(needed: int, level: RateLevel) -> None:
    """Seed, 成本: 预计 < 5%; 最佳实践: 如果修复率过高（> 10%）."""
    warnings = rates_of([*NEEDED * needed, *[REPAIRED] * (100 - needed)]).warnings()
    assert {(w.scope, w.level) for w in warnings} == ({(scope, level) for scope in RateScope} if level else set())


@pytest.mark.parametrize(("parses", "warned"), [(3, 0), (MINIMUM - 1, 0), (MINIMUM, 2)])
def test_few_parses_say_nothing(parses: int, warned: int) -> None:
    assert len(rates_of(NEEDED * parses).warnings()) == warned


def test_highest_rate_is_the_first_warning() -> None:
    worse = of("b", replace(REFUSED, model="m-2"), ASKED)
    events: list[Event] = [*[*worse] * 50, *NEEDED * 25, *[CLEAN] * 25]
    warnings = rates_of(events).warnings()
    assert [w.name for w in warnings] == ["b", "m-2", "裁决", "m-1"]


AGAIN: list[Event] = [*[CLEAN] * 2, *NEEDED * 11, *[CLEAN] * 87]
CROSSINGS: list[tuple[str, Sequence[Event], dict[str, Any], list[tuple[RateLevel, int]]]] = [
    ("rises past both", [*[CLEAN] * 100, *NEEDED * 100], {}, [(WARNING, 6), (ALARM, 12)]),
    ("starts above both", MENDED * 100, {}, [(ALARM, MINIMUM)]),
    ("wavers about one", [*NEEDED * 11, *[CLEAN] * 89, *AGAIN * 5], {"window": 100}, [(ALARM, 11)]),
    ("was low again", [*NEEDED * 50, *[CLEAN] * WINDOW] * 2, {}, [(ALARM, 50), (WARNING, 10), (ALARM, 21)]),
    ("re-asks do not make it sure", RE_ASKED * 9, {"minimum": 10}, []),
    ("ten outputs do", RE_ASKED * 10, {"minimum": 10}, [(ALARM, 10)]),
]


@pytest.mark.parametrize(
    ("events", "bounds", "told"), [row[1:] for row in CROSSINGS], ids=[row[0] for row in CROSSINGS]
)
def test_crossing_is_told_once(
    events: Sequence[Event], bounds: dict[str, Any], told: list[tuple[RateLevel, int]]
) -> None:
    heard = Heard()
    rates_of(events, heard, **bounds)
    assert heard.of_agents() == told
    assert [w.name for w in heard.warnings if w.scope is RateScope.MODEL] == ["m-1"] * len(told)
    assert rates_of(events, **bounds).by_agent()["裁决"].parses > 0  # which needs no listener


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


@pytest.mark.parametrize(
    ("damage", "asked", "parts"),
    [
        ([("comment", 10)], 10, ["达到 5%", "at or above 5%"]),
        ([], 25, ["最常见的原因：未记录", "most frequent reasons: none recorded"]),
        ([("a", 4), ("b", 3), ("c", 2), ("d", 1)], 25, ["most frequent reasons: a 4, b 3, c 2)"]),
    ],
)
def test_message_names_its_threshold_and_the_three_most_frequent_kinds_of_damage(
    damage: list[tuple[str, int]], asked: int, parts: list[str]
) -> None:
    message = warning_of(*damage, asked=asked).message
    assert [part for part in parts if part not in message] == []


# --- bounds ---------------------------------------------------------------------------------------------


def test_agent_longest_without_a_parse_gives_way_to_a_new_one() -> None:
    labels = ["a", "b", "a", "c"]
    rates = rates_of([replace(CLEAN, context_label=label) for label in labels], names=2)
    assert sorted(rates.by_agent()) == ["a", "c"]


def test_agent_that_gave_way_is_counted_from_nothing_when_it_is_back() -> None:
    rates = rates_of([*NEEDED, *of("b", CLEAN), CLEAN], names=1)
    assert rates.by_agent()["裁决"] == RepairRate(parses=1)
    assert (rates.by_model()["m-1"].parses, rates.by_model()["m-1"].asked) == (3, 1)


def test_question_about_a_text_whose_agent_gave_way_is_nobodys() -> None:
    assert list(rates_of([REFUSED, *of("b", CLEAN), ASKED], names=1).by_agent()) == ["b"]


@pytest.mark.parametrize("bounds", [{"window": 0}, {"minimum": 0}, {"window": 4, "minimum": 5}, {"names": 0}])
def test_bounds_that_make_no_sense_are_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="need 1 <= minimum <= window and names >= 1"):
        RepairRates(None, **bounds)


def test_any_thread_may_publish() -> None:
    rates = RepairRates(window=5_000)
    with ThreadPoolExecutor(8) as pool:
        deque(pool.map(rates.publish, [REPAIRED, CLEAN] * 2_000), maxlen=0)
    assert rates.by_agent()["裁决"] == RepairRate(4_000, repaired=2_000, kinds=((RepairKind.TRAILING_COMMA, 2_000),))
