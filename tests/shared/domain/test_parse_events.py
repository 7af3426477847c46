"""One event for every parse: what a result, or a refusal, becomes."""

from dataclasses import asdict, replace

import pytest
from pydantic import BaseModel

from src.shared.domain.caller import NAME_LIMIT
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed, ParseOutcome, parsed_event
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.reading import Score

CLEAN = '{"score": 1}'
REPAIRED = "```json\n{'score': 1,}\n```"
REFUSED = "没有"
PRIVATE = "账户6222"


def outcome_of_reading(raw: str) -> ParsedText[BaseModel] | AppException:
    """What the real parser says of a text."""
    try:
        return plain_output(Score).read(raw)
    except AppException as error:
        return error


def event_of(raw: str, *, by_repair_agent: bool = False) -> OutputParsed:
    return parsed_event("裁决", raw, outcome_of_reading(raw), by_repair_agent=by_repair_agent)


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (CLEAN, ParseOutcome.CLEAN),
        (f"<think>x</think>```json\n{CLEAN}\n```", ParseOutcome.CLEAN),
        (REPAIRED, ParseOutcome.REPAIRED),
        (REFUSED, ParseOutcome.REFUSED),
        ("", ParseOutcome.REFUSED),
    ],
)
def test_outcome_says_how_the_parse_ended(raw: str, outcome: ParseOutcome) -> None:
    assert event_of(raw).outcome is outcome


@pytest.mark.parametrize("raw", [CLEAN, REPAIRED])
def test_answer_of_the_repair_agent_has_an_outcome_of_its_own(raw: str) -> None:
    assert event_of(raw, by_repair_agent=True).outcome is ParseOutcome.MODEL_REPAIRED


def test_refusal_is_a_refusal_also_after_the_repair_agent() -> None:
    assert event_of(REFUSED, by_repair_agent=True).outcome is ParseOutcome.REFUSED


def test_stages_are_those_that_had_something_to_do() -> None:
    assert event_of(REPAIRED).stages == ("fence", "extract", "repair")


def test_refusal_names_the_stage_that_refused() -> None:
    assert event_of("<think>x").stages == ("think",)


def test_kinds_are_one_entry_a_repair() -> None:
    quoted, comma = RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA
    assert event_of("{'score': 1, 'x': 2,}").repair_kinds == (quoted, quoted, comma)


def test_refusal_has_the_kinds_that_were_noted_before_it() -> None:
    kinds = (RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA)
    assert event_of("{'score': 'x',}").repair_kinds == kinds


@pytest.mark.parametrize("repairs", [None, 3, "single_quote", [["single_quote"], 1, None, "invented"]])
def test_error_of_another_parser_may_say_something_else_under_repairs(repairs: object) -> None:
    assert parsed_event("x", "", AppException("不", {"repairs": repairs})).repair_kinds == ()


@pytest.mark.parametrize("details", [{}, {"stage": None}, {"stage": ["repair"]}])
def test_error_that_names_no_stage_has_none(details: dict[str, object]) -> None:
    assert parsed_event("x", "", AppException("不", details)).stages == ()


def test_reply_gives_the_model() -> None:
    reply = LLMReply(CLEAN, model="m-1")
    event = parsed_event("裁决", CLEAN, outcome_of_reading(CLEAN), reply=reply, prompt_id="p-9", attempt=3)
    assert asdict(event) == {
        "context_label": "裁决",
        "outcome": "clean",
        "model": "m-1",
        "prompt_id": "p-9",
        "attempt": 3,
        "stages": ("strict",),
        "repair_kinds": (),
        "grade": "clean",
        "raw_length": len(CLEAN),
        "by_repair_agent": False,
        "text": CLEAN,
    }


def test_text_from_elsewhere_has_no_model() -> None:
    event = event_of(CLEAN)
    assert (event.model, event.prompt_id, event.attempt) == ("", "", 1)


def test_none_counts_as_empty() -> None:
    assert parsed_event("x", None, AppException("空", {"stage": "empty"})).raw_length == 0


@pytest.mark.parametrize("raw", [f'{{"score": "{PRIVATE}"}}', PRIVATE, f"{{'score': 1, 'x': '{PRIVATE}'}}"])
def test_event_holds_no_part_of_the_text(raw: str) -> None:
    assert PRIVATE not in repr(event_of(raw))


def test_names_are_bounded_and_can_be_written_to_a_log() -> None:
    long, broken = "名" * 1_000, "m\ud800" * 1_000
    error = AppException("不", {"stage": long})
    event = parsed_event(long, "", error, reply=LLMReply("", model=broken), prompt_id=broken)
    names = [event.context_label, event.model, event.prompt_id, *event.stages]
    assert [(len(name), name.encode("utf-8").decode("utf-8")) for name in names] == [(NAME_LIMIT, n) for n in names]


def test_text_is_in_no_repr_and_makes_no_difference_to_equality() -> None:
    event = parsed_event("裁决", CLEAN, outcome_of_reading(CLEAN))
    assert (event.text, CLEAN in repr(event), event == replace(event, text=None)) == (CLEAN, False, True)
