"""The parser's log: one warning a failure, one note a repaired text, silence for clean output."""

import pytest
from pydantic import create_model
from structlog.testing import capture_logs
from structlog.typing import EventDict

from src.shared.domain.coercion.lenient import PercentPoints
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import NO_OBJECT
from src.shared.infrastructure.events.library_log import DEFAULT_EXCERPT, EXCERPT_VARIABLE
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.reading import Score, refusal_by

PRIVATE = "账户 6222-0001 的余额"


@pytest.fixture(autouse=True)
def _default_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)


def logs_of_refusing(raw: str) -> list[EventDict]:
    with capture_logs() as logs:
        refusal_by(Score, raw)
    return logs


def logs_of_reading(raw: str, label: str = "") -> list[EventDict]:
    with capture_logs() as logs:
        parse_llm_json_output(raw, Score, context_label=label)
    return logs


@pytest.mark.parametrize(
    ("raw", "stage"),
    [
        (" ", "empty"),
        ("<think>x", "think"),
        ("没有", "extract"),
        ('{"score": f(x)}', "repair"),
        ("[{}]", "root"),
        ("{}", "validate"),
    ],
)
def test_failure_is_one_warning_that_names_its_stage(raw: str, stage: str) -> None:
    facts = [(log["event"], log["log_level"], log["stage"], log["raw_length"]) for log in logs_of_refusing(raw)]
    assert facts == [("llm_json_parse_failed", "warning", stage, len(raw))]


def test_failure_of_decoding_without_a_type_and_of_a_damaged_text_is_one_log_too() -> None:
    with capture_logs() as logs:
        refusal_by(Score, "{'score': 'x',}")
        with pytest.raises(LLMJsonParseError, match=NO_OBJECT.en):
            decode_llm_json("没有", context_label="裁决")
    failed = "llm_json_parse_failed"
    assert [(log["event"], log["context_label"]) for log in logs] == [(failed, ""), (failed, "裁决")]


def test_excerpt_is_bounded_and_shows_head_and_tail() -> None:
    excerpt = logs_of_refusing("头" + "中" * 10_000 + "尾")[0]["excerpt"]
    assert (len(excerpt), excerpt[0], excerpt[-1]) == (DEFAULT_EXCERPT, "头", "尾")
    assert logs_of_refusing("没有")[0]["excerpt"] == "没有"


@pytest.mark.parametrize(
    ("value", "size"),
    [
        *((str(size), min(size, 5_000)) for size in (0, 1, 2, 3, 50, 10_000)),
        *((no_number, DEFAULT_EXCERPT) for no_number in ("", "many", "-1", "1.5", "²")),
    ],
)
def test_bound_of_the_excerpt_is_configurable_by_a_number(
    monkeypatch: pytest.MonkeyPatch, value: str, size: int
) -> None:
    monkeypatch.setenv(EXCERPT_VARIABLE, value)
    assert len(logs_of_refusing("中" * 5_000)[0]["excerpt"]) == size


@pytest.mark.parametrize(("size", "excerpt", "error"), [("0", 0, 0), (None, DEFAULT_EXCERPT, DEFAULT_EXCERPT)])
def test_message_of_a_hook_is_bounded_like_the_excerpt(
    monkeypatch: pytest.MonkeyPatch, size: str | None, excerpt: int, error: int
) -> None:
    def quote_a_value(data: dict[str, object]) -> dict[str, object]:
        raise ValueError(data["score"])

    if size:
        monkeypatch.setenv(EXCERPT_VARIABLE, size)
    with capture_logs() as logs:
        refusal_by(Score, '{"score": "' + "长" * 5_000 + '"}', quote_a_value)
    assert (len(logs[0]["excerpt"]), len(logs[0]["error"])) == (excerpt, error)


def test_lone_surrogate_in_the_raw_text_can_be_written_to_a_log() -> None:
    assert logs_of_refusing("x\ud800y")[0]["excerpt"].encode("utf-8") == b"x\\ud800y"


def test_repaired_text_is_one_note_with_the_kinds_and_their_number_and_no_text() -> None:
    logs = logs_of_reading(f"{{'score': 1, 'x': [1,,'{PRIVATE}'],}}", "裁决")
    facts = [
        (log["event"], log["log_level"], log["context_label"], log["repairs"], log["repair_count"]) for log in logs
    ]
    kinds = ["doubled_comma", "single_quote", "trailing_comma"]
    assert facts == [("llm_json_repaired", "info", "裁决", kinds, 5)]
    assert PRIVATE not in str(logs)


@pytest.mark.parametrize(
    "raw", ['{"score": 1}', '```json\n{"score": 1}\n```', '<think>x</think>{"score": 1}', '好：{"score": 1}。']
)
def test_clean_json_is_not_logged_however_it_is_wrapped(raw: str) -> None:
    assert logs_of_reading(raw) == []


def test_decoding_logs_repairs_with_an_empty_label() -> None:
    with capture_logs() as logs:
        decode_llm_json('{"a": 1,}')
    assert [(log["event"], log["context_label"]) for log in logs] == [("llm_json_repaired", "")]


def test_coerced_values_are_one_note_with_the_kinds_and_no_value() -> None:
    raw = '{"score": "5%"}'
    with capture_logs() as logs:
        parse_llm_json_output(raw, create_model("Points", score=(PercentPoints, ...)), context_label="裁决")
    facts = [(log["event"], log["log_level"], log["context_label"], log["coercions"]) for log in logs]

    assert facts == [("llm_json_coerced", "info", "裁决", ["percent"])]
    assert logs[0]["coercion_count"] == 1
    assert "5%" not in str(logs)
