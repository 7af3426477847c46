"""Which outcome an event belongs to."""

from src.modules.monitoring.domain.outcome import REMEMBERED, Note, Outcome, OutcomeTracker, ParseNote, RepairNote
from src.shared.domain.ports.events import OutputParsed, ParseOutcome, RepairAsked, RepairAttempted
from src.shared.domain.repair import RepairKind
from tests.modules.monitoring.stored import asked, attempted, clean, read_by_agent, refused


def note(event: OutputParsed | RepairAsked | RepairAttempted, at: int = 7) -> Note:
    return ParseNote.of(at, event, with_text=False) if isinstance(event, OutputParsed) else RepairNote(at, event)


def outcomes(*events: OutputParsed | RepairAsked | RepairAttempted) -> list[Outcome]:
    return OutcomeTracker().batch(map(note, events)).new


def test_text_that_was_read_is_an_outcome_with_its_kinds() -> None:
    kinds = (RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA)
    event = OutputParsed("裁决", ParseOutcome.REPAIRED, "m1", "p", 2, ("repair",), kinds, 30)
    counted = {"trailing_comma": 2, "single_quote": 1}
    assert outcomes(event) == [
        Outcome(7, "裁决", ParseOutcome.REPAIRED, "m1", "p", attempt=2, kinds=counted, length=30)
    ]


def test_refused_text_names_the_stage_that_refused_it() -> None:
    assert [(one.outcome, one.stage) for one in outcomes(refused())] == [(ParseOutcome.REFUSED, "extract")]


def test_refusal_without_a_stage_has_none() -> None:
    assert outcomes(OutputParsed("a", ParseOutcome.REFUSED))[0].stage == ""


def test_question_of_the_repair_agent_belongs_to_the_refused_text() -> None:
    (one,) = outcomes(refused(), asked())
    assert (one.asked, one.damage, one.outcome) == (True, ("comma expected",), ParseOutcome.REFUSED)


def test_accepted_answer_makes_the_same_outcome_a_repaired_one() -> None:
    (one,) = outcomes(refused(), asked(), attempted(), read_by_agent())
    assert (one.asked, one.outcome, one.stage, one.model) == (True, ParseOutcome.MODEL_REPAIRED, "", "m1")
    assert one.kinds == {"trailing_comma": 1}


def test_refused_answer_counts_as_asked_and_says_why() -> None:
    (one,) = outcomes(refused(), asked(), attempted(code="REPAIR_VALUE_CHANGED"))
    assert (one.asked, one.outcome, one.repair_code) == (True, ParseOutcome.REFUSED, "REPAIR_VALUE_CHANGED")


def test_answer_that_cannot_be_read_leaves_the_outcome_refused() -> None:
    (one,) = outcomes(refused(), asked(), attempted(), read_by_agent(outcome=ParseOutcome.REFUSED))
    assert (one.asked, one.outcome, one.stage) == (True, ParseOutcome.REFUSED, "extract")


def test_question_about_a_text_that_was_not_parsed_here_is_a_refused_outcome() -> None:
    (one,) = outcomes(asked(length=40))
    assert (one.outcome, one.asked, one.length, one.model) == (ParseOutcome.REFUSED, True, 40, "")


def test_question_goes_to_the_text_of_its_prompt_and_length() -> None:
    found = outcomes(refused(length=5, prompt_id="a"), refused(length=6, prompt_id="b"), asked(length=5, prompt_id="a"))
    assert [one.asked for one in found] == [True, False]


def test_question_of_another_agent_changes_nothing() -> None:
    assert [(one.agent, one.asked) for one in outcomes(refused(), asked("讨论"))] == [("裁决", False), ("讨论", True)]


def test_refusal_without_a_question_changes_nothing() -> None:
    """A text that is too long is refused by the repair agent without asking a model."""
    found = outcomes(refused(), asked(), refused(length=99), attempted(length=99, code="REPAIR_INPUT_TOO_LONG"))
    assert [(one.asked, one.repair_code) for one in found] == [(True, ""), (False, "")]


def test_answer_without_a_question_changes_nothing() -> None:
    assert [one.outcome for one in outcomes(clean(), read_by_agent())] == [ParseOutcome.CLEAN]


def test_outcomes_are_numbered_through_all_batches() -> None:
    tracker = OutcomeTracker()
    firsts = [tracker.batch([note(clean())] * count).first for count in (2, 3, 1)]
    assert firsts == [1, 3, 6]


def test_what_is_heard_later_changes_an_outcome_that_was_written() -> None:
    tracker = OutcomeTracker()
    tracker.batch([note(clean()), note(refused())])
    later = tracker.batch([note(asked())])
    assert (later.new, [*later.changed]) == ([], [2])
    assert later.changed[2].asked


def test_batch_of_nothing_is_false() -> None:
    assert not OutcomeTracker().batch([note(read_by_agent())])


def test_number_of_refused_texts_that_are_remembered_is_bounded() -> None:
    tracker = OutcomeTracker()
    tracker.batch([note(refused(prompt_id="first")), *[note(refused("b"))] * REMEMBERED])
    assert len(tracker.batch([note(asked(prompt_id="first"))]).new) == 1


def test_last_remembered_text_is_still_changed() -> None:
    tracker = OutcomeTracker()
    tracker.batch([note(refused(prompt_id="first")), *[note(refused("b"))] * (REMEMBERED - 1)])
    assert [*tracker.batch([note(asked(prompt_id="first"))]).changed] == [1]
