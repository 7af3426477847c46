"""Every text of an envelope is told of, and what the repair agent made of it."""

import pytest
from pydantic import JsonValue
from structlog.testing import capture_logs

from src.bootstrap import Application
from src.modules.cowriting.application import OpenEnvelope
from src.modules.cowriting.domain import Envelope
from src.modules.cowriting.infrastructure import AnyPayload, EnvelopeOutput
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.domain.caller import Purpose
from src.shared.domain.llm_errors import LLMConnectionError
from src.shared.domain.ports.events import CallEnded, OutputParsed, ParseOutcome
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair_rate import RepairRates
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object
from tests.log_lines import structlog_unconfigured
from tests.modules.cowriting.opening import DRAFT, Published, opening
from tests.shared.application.repair_agent.asking import Asked, asked
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio
CLEAN = '{"meta": {"v": 1}, "payload": "春"}'
DAMAGED = '{"meta": {"v": 1};; "payload": "春"}'
NO_ENVELOPE = '{"title": "春";; "words": 3}'


async def event_of(raw: str, agent: Asked | None = None) -> OutputParsed:
    """Open an envelope, and return the last parse."""
    published = Published()
    await opening(agent, published).read_envelope(raw)
    return published.events[-1]


@pytest.mark.parametrize(
    ("raw", "answer", "outcome", "stage", "model"),
    [
        (CLEAN, None, ParseOutcome.CLEAN, "strict", ""),
        ("{'meta': {'v': 1}, 'payload': '春'}", None, ParseOutcome.REPAIRED, "repair", ""),
        (DAMAGED, CLEAN, ParseOutcome.MODEL_REPAIRED, "strict", "scripted"),
        (DAMAGED, None, ParseOutcome.REFUSED, "repair", ""),
        (DAMAGED, "Sorry.", ParseOutcome.REFUSED, "repair", ""),
        (DAMAGED, '{"meta": {"v": 2}, "payload": "春"}', ParseOutcome.REFUSED, "repair", ""),
        (DAMAGED, LLMConnectionError("断开"), ParseOutcome.REFUSED, "repair", ""),
        (NO_ENVELOPE, '{"title": "春", "words": 3}', ParseOutcome.REFUSED, "validate", "scripted"),
        ("春", None, ParseOutcome.REFUSED, "extract", ""),
    ],
)
async def test_envelope_is_told_whatever_becomes_of_it(
    raw: str, answer: str | Exception | None, outcome: ParseOutcome, stage: str, model: str
) -> None:
    event = await event_of(raw, asked(answer) if answer else None)
    assert (event.context_label, event.outcome, event.model) == ("信封", outcome, model)
    assert stage in event.stages


async def test_text_that_is_repaired_is_refused_first_and_one_text_of_the_rate() -> None:
    published, rates = Published(), RepairRates()
    agent = RepairAgent(ScriptedLLM([CLEAN]), rates, read_object)
    await OpenEnvelope(EnvelopeOutput(), FanOut(published, rates), agent).read_envelope(DAMAGED)
    told = [(event.outcome, event.by_repair_agent) for event in published.events]
    assert told == [(ParseOutcome.REFUSED, False), (ParseOutcome.MODEL_REPAIRED, True)]
    rate = rates.by_agent()["信封"]
    assert (rate.parses, rate.asked, rate.model_repaired) == (1, 1, 1)


async def test_request_of_a_repair_is_told_as_the_texts() -> None:
    agent = asked(CLEAN)
    await opening(agent).read_envelope(DAMAGED)
    (call,) = agent.events.of(CallEnded)
    assert (call.caller.context_label, call.caller.purpose, call.usage.total_tokens) == ("信封", Purpose.REPAIR, 20)


async def test_event_of_a_payload_has_its_repairs_and_its_stages() -> None:
    published = Published()
    await opening(events=published).payload("{'title': '春', 'words': 3,}", AnyPayload())
    (event,) = published.events
    assert event.context_label == "payload"
    assert set(event.repairs) == {RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA}
    assert "extract" in event.stages


@pytest.mark.parametrize(("payload", "events"), [(None, 0), (" ", 0), ("null", 0), ({"title": "春", "words": 3}, 1)])
async def test_payload_is_an_event_unless_it_is_empty(payload: JsonValue, events: int) -> None:
    published = Published()
    await opening(events=published).payload(Envelope.model_validate({"meta": {}, "payload": payload}), DRAFT)
    assert len(published.events) == events


async def test_application_logs_both_texts_and_counts_them_in_the_rates() -> None:
    app = Application()
    app.model.override(ScriptedLLM(['{"title": "春", "words": 3}']))
    with structlog_unconfigured(), capture_logs() as logs:
        use_case = app.open_envelope()
        envelope = await use_case.envelope("{\"meta\": {}, \"payload\": \"{'title' => '春';; 'words' => 3}\"}")
        await use_case.payload(envelope, DRAFT)
    parsed = [(line["context_label"], line["outcome"]) for line in logs if line["event"] == "llm_output_parsed"]
    assert parsed == [("信封", "clean"), ("payload", "refused"), ("payload", "model_repaired")]
    assert {name: rate.parses for name, rate in app.repair_rates().by_agent().items()} == {"信封": 1, "payload": 1}
