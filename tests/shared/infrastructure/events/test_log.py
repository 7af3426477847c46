"""Events in the log: one line for each thing that ends, one line a crossing, no part of any text without a bound."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.caller import Caller
from src.shared.domain.ports.events import AnswerFailed, AnswerRequested, CallStarted, Event, RepairAttempted
from src.shared.domain.repair_errors import Difference, DifferenceKind
from src.shared.domain.repair_rate import RepairRates
from src.shared.infrastructure.events.library_log import DEFAULT_EXCERPT, EXCERPT_VARIABLE, excerpt
from src.shared.infrastructure.events.log import LogEvents, LogRepairRates
from tests.shared.event_samples import ANSWERED, ASKED, CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED, WHOLE

REFUSED_REPAIR = RepairAttempted(accepted=False, before_chars=20)
ACCEPTED_REPAIR = RepairAttempted(
    accepted=True,
    before_chars=20,
    after_chars=18,
    damage=("a value is expected here",),
    model="m",
    caller=Caller("裁决", "p-1", 3),
)
DIFFERENCE = Difference(DifferenceKind.VALUE_CHANGED, "$.余额", 7, "6222-0001", "6222-0002")
MISSING = {"loc": ("rows", 3, "6222-0001"), "type": "missing", "msg": "Field required"}
QUOTING = {"loc": ("balance",), "type": "no account 6222-0001", "msg": "6222-0001 is unknown"}


@pytest.fixture(autouse=True)
def _default_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)


def logs_of(*events: Event) -> Sequence[EventDict]:
    with capture_logs() as logs:
        for event in events:
            LogEvents().publish(event)
    return logs


def failed(**details: Any) -> AnswerFailed:  # noqa: ANN401 - facts of any JSON type
    return AnswerFailed("裁决", "Verdict", "LLM_JSON_PARSE_ERROR", "retries_spent", 3, details)


def test_accepted_repair_is_one_line_with_every_fact() -> None:
    """The lines of a parse, of a request and of an answer stand in the transcripts of the surfaces."""
    assert logs_of(ACCEPTED_REPAIR) == [
        {
            "event": "llm_json_repair_agent",
            "log_level": "info",
            "context_label": "裁决",
            "prompt_id": "p-1",
            "attempt": 3,
            "said": "[repairJSON] ✅ 修复成功，JSON 可解析",
            "accepted": True,
            "code": "",
            "before_chars": 20,
            "after_chars": 18,
            "damage": ["a value is expected here"],
            "difference": None,
            "model": "m",
        }
    ]


@pytest.mark.parametrize("event", [CallStarted(), ASKED])
def test_beginning_that_another_line_tells_of_is_no_line(event: Event) -> None:
    assert logs_of(event) == []


ABSENT = object()
LONG = "长" * 5_000
CUT = excerpt(LONG, DEFAULT_EXCERPT)
POSITION = {"line": 1, "column": 8, "offset": 7}
SHAPE = "[parseEnvelope] ⚠️ 警告: 修复后的结构与原始不一致"
FACTS: list[tuple[str, Event, dict[str, Any]]] = [
    ("clean", CLEAN, {"log_level": "info", "outcome": "clean"}),
    ("repaired", REPAIRED, {"log_level": "info", "outcome": "repaired"}),
    ("the parser gave up", MODEL_REPAIRED, {"log_level": "warning", "outcome": "model_repaired"}),
    ("refused", REFUSED, {"log_level": "warning", "outcome": "refused"}),
    ("failed request", replace(ANSWERED, code="LLM_TIMEOUT"), {"log_level": "warning", "code": "LLM_TIMEOUT"}),
    (
        "failure of syntax",
        failed(stage="repair", json_error="a value is expected here", position=POSITION, raw_length=9),
        {"stage": "repair", "json_error": "a value is expected here", "position": POSITION, "raw_length": ABSENT},
    ),
    (
        "failure of validation",
        failed(stage="validate", validation_errors=[MISSING, MISSING, QUOTING], validation_error_count=70),
        {
            "validation_errors": [MISSING, MISSING, QUOTING],
            "validation_error_count": 70,
            "validation_error_types": {"custom": 1, "missing": 2},
        },
    ),
    (
        "long problem",
        failed(validation_errors=[{"loc": (LONG, 0), "type": LONG, "msg": LONG}]),
        {"validation_errors": [{"loc": (CUT, 0), "type": CUT, "msg": CUT}]},
    ),
    (
        "refused repair",
        replace(REFUSED_REPAIR, code="REPAIR_VALUE_CHANGED", difference=DIFFERENCE),
        {
            "log_level": "warning",
            "code": "REPAIR_VALUE_CHANGED",
            "difference": DIFFERENCE.facts(),
            "said": "",
        },
    ),
    ("refused without an answer", REFUSED_REPAIR, {"said": "", "difference": None}),
    *(
        (f"other shape: {kind}", replace(REFUSED_REPAIR, difference=replace(DIFFERENCE, kind=kind)), {"said": SHAPE})
        for kind in DifferenceKind
        if kind is not DifferenceKind.VALUE_CHANGED
    ),
]


@pytest.mark.parametrize(("event", "facts"), [row[1:] for row in FACTS], ids=[row[0] for row in FACTS])
def test_line_says_how_serious_it_is_and_why(event: Event, facts: dict[str, Any]) -> None:
    (log,) = logs_of(event)
    assert {name: log.get(name, ABSENT) for name in facts} == facts


def test_excerpt_of_zero_leaves_number_and_types_of_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXCERPT_VARIABLE, "0")
    failure, repair = logs_of(
        failed(stage="validate", validation_errors=[MISSING, QUOTING], validation_error_count=2),
        replace(REFUSED_REPAIR, difference=DIFFERENCE),
    )
    assert (failure["validation_error_count"], failure["validation_error_types"]) == (2, {"custom": 1, "missing": 1})
    assert [part for part in ("余额", "6222") if part in f"{failure}{repair}"] == []


def test_lone_surrogate_can_be_written_to_a_log() -> None:
    (log,) = logs_of(replace(REFUSED_REPAIR, difference=replace(DIFFERENCE, found="\ud800")))
    assert log["difference"]["found"] == "\\ud800"


def logs_of_crossing() -> list[EventDict]:
    rates = RepairRates(LogRepairRates(), minimum=10, window=20)
    needed: list[Event] = [REFUSED, ASKED]
    told: list[Event] = [*[CLEAN] * 14, REPAIRED, *needed * 2, REFUSED]
    with capture_logs() as logs:
        for event in told:
            rates.publish(event)
    return logs


def test_crossing_is_one_warning_for_each_threshold_of_each_agent_and_model() -> None:
    logs = logs_of_crossing()
    scopes = ("agent", "model")
    assert [(log["scope"], log["severity"]) for log in logs] == [(s, w) for w in ("warning", "alarm") for s in scopes]
    assert "请改进提示词和前置防护" in logs[2].pop("explanation")
    assert logs[2] == {
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
    events = (WHOLE, ANSWERED, ACCEPTED_REPAIR, AnswerRequested("裁决", "Verdict", "p-1"), failed(stage="repair"))
    lines = [*logs_of(*events), logs_of_crossing()[0]]
    assert len(lines) == len(events) + 1
    fields = {name for line in lines for name in line} - {"event", "log_level"}
    assert fields & {*vars(logging.makeLogRecord({})), "message", "asctime"} == set()


def test_line_can_be_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    structlog.configure(processors=[structlog.processors.JSONRenderer(ensure_ascii=False)])
    try:
        LogEvents().publish(WHOLE)
    finally:
        structlog.configure(**before)
    assert json.loads(capsys.readouterr().out)["context_label"] == "多头辩护人"
