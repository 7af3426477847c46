"""The lines of a typed answer: when a model is asked for a typed answer, and why there is none."""

from typing import Any

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.ports.events import AnswerFailed, AnswerRequested
from src.shared.infrastructure.events.library_log import DEFAULT_EXCERPT, EXCERPT_VARIABLE
from src.shared.infrastructure.events.log import LogEvents

HEAD = {"context_label": "裁决", "output_model": "Verdict"}
POSITION = {"line": 1, "column": 8, "offset": 7}
MISSING = {"loc": ("rows", 3, "6222-0001"), "type": "missing", "msg": "Field required"}
QUOTING = {"loc": ("balance",), "type": "no account 6222-0001", "msg": "6222-0001 is unknown"}


@pytest.fixture(autouse=True)
def _default_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)


def log_of_failing(**details: Any) -> EventDict:  # noqa: ANN401 - facts of any JSON type
    event = AnswerFailed("裁决", "Verdict", "LLM_JSON_PARSE_ERROR", "retries_spent", 3, details)
    with capture_logs() as logs:
        LogEvents().publish(event)
    (log,) = logs
    return log


def test_question_is_a_note_with_label_type_and_prompt() -> None:
    with capture_logs() as logs:
        LogEvents().publish(AnswerRequested("裁决", "Verdict", "p-1"))
    assert logs == [{"event": "Calling LLM with JSON format", "log_level": "info", **HEAD, "prompt_id": "p-1"}]


def test_failure_without_a_text_is_a_warning_with_the_code_and_why_it_ended() -> None:
    assert log_of_failing(status=500) == {
        "event": "LLM call failed",
        "log_level": "warning",
        **HEAD,
        "code": "LLM_JSON_PARSE_ERROR",
        "stop": "retries_spent",
        "attempts": 3,
    }


def test_failure_of_syntax_is_named_by_stage_reason_and_place() -> None:
    log = log_of_failing(stage="repair", json_error="a value is expected here", position=POSITION, raw_length=9)
    assert (log["stage"], log["json_error"], log["position"]) == ("repair", "a value is expected here", POSITION)


def test_failure_of_validation_is_named_by_its_problems_their_number_and_their_types() -> None:
    log = log_of_failing(stage="validate", validation_errors=[MISSING, MISSING, QUOTING], validation_error_count=70)
    assert log["validation_errors"] == [MISSING, MISSING, QUOTING]
    assert (log["validation_error_count"], log["validation_error_types"]) == (70, {"custom": 1, "missing": 2})


def test_texts_of_a_problem_are_bounded_like_the_excerpt() -> None:
    long = "长" * 5_000
    (problem,) = log_of_failing(validation_errors=[{"loc": (long, 0), "type": long, "msg": long}])["validation_errors"]
    assert [len(text) for text in (problem["loc"][0], problem["type"], problem["msg"])] == [DEFAULT_EXCERPT] * 3


def test_excerpt_of_zero_leaves_number_and_types_of_the_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EXCERPT_VARIABLE, "0")
    log = log_of_failing(stage="validate", validation_errors=[MISSING, QUOTING], validation_error_count=2)
    assert {name: log[name] for name in log if name.startswith("validation")} == {
        "validation_error_count": 2,
        "validation_error_types": {"custom": 1, "missing": 1},
    }
