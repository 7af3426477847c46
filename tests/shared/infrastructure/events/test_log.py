"""Events in the log: one line a parse, one line a crossing, no part of any text."""

import logging
from dataclasses import replace

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.ports.events import CallStarted, Event, OutputParsed
from src.shared.domain.repair_rate import RepairRates
from src.shared.infrastructure.events.log import LogEvents, LogRepairRates
from tests.shared.event_samples import ANSWERED, ASKED, CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED, WHOLE


def log_of(event: Event) -> EventDict:
    with capture_logs() as logs:
        LogEvents().publish(event)
    (log,) = logs
    return log


@pytest.mark.parametrize(
    ("event", "level"), [(CLEAN, "info"), (REPAIRED, "info"), (MODEL_REPAIRED, "warning"), (REFUSED, "warning")]
)
def test_parse_is_one_line_and_a_warning_where_the_parser_gave_up(event: OutputParsed, level: str) -> None:
    log = log_of(event)
    assert (log["event"], log["log_level"], log["outcome"]) == ("llm_output_parsed", level, event.outcome.value)


def test_line_has_every_fact() -> None:
    assert log_of(WHOLE) == {
        "event": "llm_output_parsed",
        "log_level": "info",
        "context_label": "多头辩护人",
        "outcome": "repaired",
        "model": "m-2",
        "prompt_id": "p-1",
        "attempt": 2,
        "stages": ["fence", "repair"],
        "repairs": ["single_quote", "trailing_comma"],
        "repair_count": 3,
        "raw_length": 120,
        "grade": "lossless",
        "by_repair_agent": False,
    }


def test_request_is_one_line_with_what_it_cost() -> None:
    assert log_of(ANSWERED) == {
        "event": "llm_call_ended",
        "log_level": "info",
        "context_label": "多头辩护人",
        "prompt_id": "p-1",
        "attempt": 2,
        "purpose": "answer",
        "model": "m",
        "response_model": "m-2",
        "finish_reason": "stop",
        "code": "",
        "prompt_tokens": 30,
        "completion_tokens": 20,
        "reasoning_tokens": 5,
        "cached_tokens": 8,
        "tokens_estimated": False,
        "latency": 1.5,
    }


def test_failed_request_is_a_warning_with_its_code() -> None:
    log = log_of(replace(ANSWERED, code="LLM_TIMEOUT"))
    assert (log["log_level"], log["code"]) == ("warning", "LLM_TIMEOUT")


@pytest.mark.parametrize("event", [CallStarted(), ASKED])
def test_beginning_that_another_line_tells_of_is_no_line(event: Event) -> None:
    with capture_logs() as logs:
        LogEvents().publish(event)
    assert logs == []


def logs_of_crossing() -> list[EventDict]:
    rates = RepairRates(LogRepairRates(), minimum=10, window=20)
    needed: list[Event] = [REFUSED, ASKED]
    told: list[Event] = [*[CLEAN] * 14, REPAIRED, *needed * 2, REFUSED]
    with capture_logs() as logs:
        for event in told:
            rates.publish(event)
    return logs


def test_crossing_is_one_warning_for_each_threshold_of_each_agent_and_model() -> None:
    facts = [(log["event"], log["log_level"], log["scope"], log["severity"]) for log in logs_of_crossing()]
    line = ("llm_repair_rate_crossed", "warning")
    scopes = ("agent", "model")
    assert facts == [(*line, scope, severity) for severity in ("warning", "alarm") for scope in scopes]


def test_crossing_names_the_rate_the_threshold_and_the_damage() -> None:
    log = logs_of_crossing()[2]
    assert "请改进提示词和前置防护" in log.pop("explanation")
    assert log == {
        "event": "llm_repair_rate_crossed",
        "log_level": "warning",
        "scope": "agent",
        "subject": "裁决",
        "severity": "alarm",
        "threshold": 0.1,
        "repair_rate": 0.1176,
        "parses": 17,
        "outputs": 17,
        "asked": 2,
        "damage": {"a value is expected here": 2, "single_quote": 2},
        "repaired": 1,
        "model_repaired": 0,
        "refused": 2,
        "repairs": {"trailing_comma": 1},
    }


def test_no_field_has_a_name_that_the_standard_librarys_log_records_keep_for_themselves() -> None:
    fields = {*log_of(WHOLE), *log_of(ANSWERED), *logs_of_crossing()[0]} - {"event", "log_level"}
    record = logging.makeLogRecord({})
    assert fields & {*vars(record), "message", "asctime"} == set()


def test_line_can_be_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    structlog.configure(processors=[structlog.processors.JSONRenderer(ensure_ascii=False)])
    try:
        LogEvents().publish(WHOLE)
    finally:
        structlog.configure(**before)
    assert '"context_label": "多头辩护人"' in capsys.readouterr().out
