"""Which record a row is, and why some have no text."""

from datetime import UTC, datetime
from typing import Any

import pytest

from src.modules.reparsing.domain.record import FieldNames, Record, Row, hour_of, name_of, record_of
from src.shared.domain.language import Message

PLACE = "answers.jsonl:3"


def record(content: Any, **names: str) -> Record:  # noqa: ANN401 - of any row
    return record_of(Row(PLACE, content), FieldNames(**names))


def problem(content: Any, **names: str) -> str:  # noqa: ANN401 - of any row
    found = record(content, **names)
    assert found.problem
    assert found.text is None
    return found.problem.en


def test_row_with_every_field_is_a_record() -> None:
    fields = {"text": "{}", "id": "a", "agent": "verdict", "finish_reason": "stop", "model": "m", "time": 0}
    assert record(fields) == Record(PLACE, "a", "{}", "verdict", "stop", "m", "1970-01-01T00")


@pytest.mark.parametrize(
    "content",
    [{"text": "{}"}, "{}", b'{"text": "{}"}\r\n', b'"{}"', {"text": b"{}"}],
    ids=lambda one: type(one).__name__,
)
def test_row_with_a_text_alone_has_its_place_as_id(content: object) -> None:
    assert record(content) == Record(PLACE, PLACE, "{}")


def test_null_is_an_empty_text() -> None:
    assert record({"text": None}) == Record(PLACE, PLACE, None)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("answer", {"answer": "{}"}),
        ("reply.text", {"reply": {"text": "{}"}}),
        ("choices.0.message", {"choices": [{"message": "{}"}]}),
        ("a.b", {"a.b": "{}", "a": {"b": "other"}}),
    ],
)
def test_text_is_found_by_a_name_of_the_users(name: str, fields: dict[str, Any]) -> None:
    assert record(fields, text=name).text == "{}"


@pytest.mark.parametrize("name", ["missing", "text.0", "rows.1", "rows.x", "rows.99999999999999999999", "rows.-1"])
def test_row_without_the_field_has_no_text_and_keeps_its_id(name: str) -> None:
    fields = {"text": "{}", "rows": ["{}"], "id": "a"}
    assert problem(fields, text=name).startswith(f"there is no field {name!r}: the row has text, rows, id; ")
    assert record(fields, text=name).id == "a"


def test_message_names_the_fields_of_the_row_and_no_more_of_them_than_a_few() -> None:
    names = ", ".join(f"field{number}" for number in range(8))
    assert f"the row has {names}, …;" in problem({f"field{number}": number for number in range(20)})
    assert "the row has none;" in problem({})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        *(({"text": text}, "the field 'text' holds no text but a ") for text in (7, ["{}"], {"a": 1}, True)),
        *((row, "the row is neither an object nor a text but a ") for row in (None, 7, ["{}"], b"[1]")),
        ({"text": b"{}\xff"}, "not UTF-8: byte 0xff at offset 2"),
        (b"{text}", "not a line of JSON: column 2"),
        (b'{"text": "\xff"}', "not UTF-8: byte 0xff at offset 10"),
        (b'{"text": "a", "text": "b"}', "the row has two fields of one name: 'text'"),
        (b'{"text": "a", "meta": {"x": 1, "x": 1}}', "the row has two fields of one name: 'x'"),
        (b'{"text": ' + b"[" * 100_000, "a line of JSON that cannot be read"),
        (b'{"text": ' + b"1" * 10_000 + b"}", "a line of JSON that cannot be read"),
        (Message("过大", "too large"), "too large"),
    ],
    ids=lambda one: repr(one)[:40],
)
def test_row_that_cannot_be_read_says_why(content: object, why: str) -> None:
    assert problem(content).startswith(why)


@pytest.mark.parametrize(
    ("value", "name"),
    [("a", "a"), (b"a", "a"), (b"\xff", "\ufffd"), (7, "7"), ("", None), (True, None), (1.5, None), (10**80, None)],
)
def test_names_are_texts_and_whole_numbers(value: object, name: str | None) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("time", "hour"),
    [
        ("2026-11-23T09:59:59Z", "2026-11-23T09"),
        ("2026-11-23T09:00:00+08:00", "2026-11-23T01"),
        ("2026-11-23 09:00", "2026-11-23T09"),
        (b"2026-11-23", "2026-11-23T00"),
        (1763888400, "2025-11-23T09"),
        (1763888400123, "2025-11-23T09"),
        (datetime(2026, 11, 23, 9, tzinfo=UTC), "2026-11-23T09"),
        *((time, None) for time in ("yesterday", "", b"\xff", None, True, -1, 10**30, float("nan"), float("inf"), [1])),
    ],
)
def test_hour_is_told_in_utc_and_what_is_no_time_has_none(time: object, hour: str | None) -> None:
    assert hour_of(time) == hour
