"""Which outcome an event belongs to."""

from collections.abc import Sequence

import pytest

from src.shared.domain.outcome import REMEMBERED, Outcome, OutcomeTracker, outcome_of
from src.shared.domain.ports.events import Event, OutputParsed, ParseOutcome
from tests.shared.event_samples import asked, attempted, clean, read_by_agent, refused

CLEAN, REFUSED, MODEL_REPAIRED = ParseOutcome.CLEAN, ParseOutcome.REFUSED, ParseOutcome.MODEL_REPAIRED


def outcomes(*events: Event, tracker: OutcomeTracker | None = None) -> list[Outcome]:
    """The different outcomes that are new or of which more is known, in the order of their numbers."""
    tracker = tracker or OutcomeTracker()
    heard = (outcome_of(event, at=7) for event in events)
    found = {one.number: one for each in heard if each and (one := tracker.take(each))}
    return [found[number] for number in sorted(found)]


def test_text_that_was_read_is_an_outcome_with_its_kinds() -> None:
    counted = {"trailing_comma": 2, "single_quote": 1}
    event = OutputParsed("裁决", ParseOutcome.REPAIRED, "m1", "p", 2, ("repair",), counted, 30)
    assert outcomes(event) == [
        Outcome(7, "裁决", ParseOutcome.REPAIRED, "m1", "p", attempt=2, kinds=counted, length=30)
    ]


def test_accepted_answer_makes_the_same_outcome_a_repaired_one() -> None:
    (one,) = outcomes(refused(), asked(), attempted(), read_by_agent())
    assert one == Outcome(
        7, "裁决", MODEL_REPAIRED, "m1", asked=True, damage=("comma expected",), length=10, kinds={"trailing_comma": 1}
    )


STATES: list[tuple[str, Sequence[Event], list[tuple[ParseOutcome, str, bool, str]]]] = [
    ("a refused text names the stage that refused it", [refused()], [(REFUSED, "extract", False, "")]),
    ("a refusal without a stage has none", [OutputParsed("a", REFUSED)], [(REFUSED, "", False, "")]),
    ("a question belongs to the refused text", [refused(), asked()], [(REFUSED, "extract", True, "")]),
    (
        "a refused answer says why",
        [refused(), asked(), attempted(code="REPAIR_VALUE_CHANGED")],
        [(REFUSED, "extract", True, "REPAIR_VALUE_CHANGED")],
    ),
    (
        "an answer that cannot be read leaves it refused",
        [refused(), asked(), attempted(), read_by_agent(outcome=REFUSED)],
        [(REFUSED, "extract", True, "")],
    ),
    ("a text that was not parsed here is refused", [asked()], [(REFUSED, "", True, "")]),
    (
        "a question goes to the text of its prompt and length",
        [refused(length=5, prompt_id="a"), refused(length=6, prompt_id="b"), asked(length=5, prompt_id="a")],
        [(REFUSED, "extract", True, ""), (REFUSED, "extract", False, "")],
    ),
    (
        "a question of another agent is about another text",
        [refused(), asked("讨论")],
        [(REFUSED, "extract", False, ""), (REFUSED, "", True, "")],
    ),
    (
        "a text that is too long is refused by the repair agent without a question",
        [refused(), asked(), refused(length=99), attempted(length=99, code="REPAIR_INPUT_TOO_LONG")],
        [(REFUSED, "extract", True, ""), (REFUSED, "extract", False, "")],
    ),
    ("an answer without a question changes nothing", [clean(), read_by_agent()], [(CLEAN, "", False, "")]),
    ("nor does a refusal without one", [clean(), attempted(code="X")], [(CLEAN, "", False, "")]),
]


@pytest.mark.parametrize(("events", "states"), [row[1:] for row in STATES], ids=[row[0] for row in STATES])
def test_what_is_heard_of_a_text_is_one_outcome(
    events: Sequence[Event], states: list[tuple[ParseOutcome, str, bool, str]]
) -> None:
    assert [(one.outcome, one.stage, one.asked, one.repair_code) for one in outcomes(*events)] == states


def test_outcomes_are_numbered_and_what_is_heard_later_changes_an_earlier_one() -> None:
    tracker = OutcomeTracker()
    assert [one.number for one in outcomes(clean(), refused(), clean(), tracker=tracker)] == [1, 2, 3]
    assert [(one.number, one.asked) for one in outcomes(asked(), tracker=tracker)] == [(2, True)]


@pytest.mark.parametrize(("others", "number"), [(REMEMBERED - 1, 1), (REMEMBERED, REMEMBERED + 2)])
def test_number_of_refused_texts_that_are_remembered_is_bounded(others: int, number: int) -> None:
    tracker = OutcomeTracker()
    outcomes(refused(prompt_id="first"), *[refused("b")] * others, tracker=tracker)
    assert [one.number for one in outcomes(asked(prompt_id="first"), tracker=tracker)] == [number]
