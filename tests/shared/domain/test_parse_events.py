"""One event for every parse: what a result, or a refusal, becomes."""

from collections import Counter
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


QUOTE, COMMA = RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA
EVENTS = [
    (CLEAN, "clean", ("strict",), ()),
    (f"<think>x</think>```json\n{CLEAN}\n```", "clean", ("think", "fence", "strict"), ()),
    (REPAIRED, "repaired", ("fence", "extract", "repair"), (QUOTE, COMMA)),
    ("{'score': 1, 'x': 2,}", "repaired", ("extract", "repair"), (QUOTE, QUOTE, COMMA)),
    (REFUSED, "refused", ("extract",), ()),
    ("", "refused", ("empty",), ()),
    ("<think>x", "refused", ("think",), ()),
    ("{'score': 'x',}", "refused", ("validate",), (QUOTE, COMMA)),
]
"""Text; how its parse ended; the stages that had something to do, of a refusal the one that refused; repairs."""


@pytest.mark.parametrize(("raw", "outcome", "stages", "kinds"), EVENTS)
def test_event_says_how_a_parse_ended(
    raw: str, outcome: str, stages: tuple[str, ...], kinds: tuple[RepairKind, ...]
) -> None:
    event = event_of(raw)
    assert (event.outcome, event.stages, event.repairs) == (outcome, stages, Counter(kinds))
    assert (event.model, event.prompt_id, event.attempt) == ("", "", 1)
    is_refused = outcome == "refused"
    assert event.refusing_stage == (stages[-1] if is_refused else "")
    assert event.kinds == ({} if is_refused else Counter(kinds))
    by_agent = event_of(raw, by_repair_agent=True)
    assert by_agent.outcome is (ParseOutcome.REFUSED if is_refused else ParseOutcome.MODEL_REPAIRED)


def test_event_counts_repairs_and_does_not_list_them() -> None:
    event = event_of('{"score": 1,' + "\u200b" * 20_000 + '"x": 2}')
    assert event.repairs == {"invisible_character": 20_000}


@pytest.mark.parametrize("repairs", [None, 3, "single_quote", [["single_quote"], 1, None, "invented"]])
def test_error_of_another_parser_may_say_something_else_under_repairs(repairs: object) -> None:
    assert parsed_event("x", "", AppException("不", {"repairs": repairs})).repairs == {}


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
        "repairs": {},
        "grade": "clean",
        "raw_length": len(CLEAN),
        "by_repair_agent": False,
        "text": CLEAN,
    }


def test_none_counts_as_empty() -> None:
    assert parsed_event("x", None, AppException("空", {"stage": "empty"})).raw_length == 0


def test_names_are_bounded_and_can_be_written_to_a_log() -> None:
    long, broken = "名" * 1_000, "m\ud800" * 1_000
    error = AppException("不", {"stage": long})
    event = parsed_event(long, "", error, reply=LLMReply("", model=broken), prompt_id=broken)
    names = [event.context_label, event.model, event.prompt_id, *event.stages]
    assert [(len(name), name.encode("utf-8").decode("utf-8")) for name in names] == [(NAME_LIMIT, n) for n in names]


@pytest.mark.parametrize("raw", [f'{{"score": "{PRIVATE}"}}', PRIVATE, f"{{'score': 1, 'x': '{PRIVATE}'}}"])
def test_text_is_in_no_repr_and_no_fact_and_makes_no_difference_to_equality(raw: str) -> None:
    event = event_of(raw)
    assert (event.text, event) == (raw, replace(event, text=None))
    assert PRIVATE not in f"{event!r}{event.facts()}"
