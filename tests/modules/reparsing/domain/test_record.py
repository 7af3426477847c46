"""Which record a row is, and why some are none."""

from datetime import UTC, datetime
from typing import Any

import pytest

from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.record import FieldNames, Record, hour_of, name_of, record_of

NAMES = FieldNames()
PLACE = "answers.jsonl:3"


def record(fields: object, **names: str) -> Record:
    return record_of(fields, FieldNames(**names), PLACE)


def test_row_with_every_field_is_a_record() -> None:
    fields = {"text": "{}", "id": "a", "agent": "verdict", "finish_reason": "stop", "model": "m", "time": 0}
    assert record(fields) == Record(PLACE, "a", "{}", "verdict", "stop", "m", "1970-01-01T00")


def test_row_with_a_text_alone_has_its_place_as_id() -> None:
    assert record({"text": "{}"}) == Record(PLACE, PLACE, "{}")


def test_row_that_is_only_a_text_is_a_record() -> None:
    assert record("{}") == Record(PLACE, PLACE, "{}")


def test_null_is_an_empty_text() -> None:
    assert record({"text": None}).text is None


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
def test_row_without_the_field_is_unusable(name: str) -> None:
    with pytest.raises(UnusableRowError, match="there is no field"):
        record({"text": "{}", "rows": ["{}"]}, text=name)


def test_message_names_the_fields_of_the_row_and_no_more_of_them_than_a_few() -> None:
    with pytest.raises(UnusableRowError) as caught:
        record({f"field{number}": number for number in range(20)})
    assert "field0, field1" in caught.value.why.en
    assert "field8" not in caught.value.why.en


def test_row_without_the_field_keeps_its_id() -> None:
    with pytest.raises(UnusableRowError) as caught:
        record({"id": "a"})
    assert caught.value.id == "a"


@pytest.mark.parametrize("text", [7, ["{}"], {"a": 1}, True])
def test_text_that_is_none_is_unusable(text: object) -> None:
    with pytest.raises(UnusableRowError, match="holds no text"):
        record({"text": text})


@pytest.mark.parametrize("row", [None, 7, ["{}"]])
def test_row_that_is_neither_an_object_nor_a_text_is_unusable(row: object) -> None:
    with pytest.raises(UnusableRowError, match="neither an object nor a text"):
        record(row)


def test_text_in_bytes_is_decoded() -> None:
    assert record({"text": "中".encode()}).text == "中"


def test_bytes_that_are_not_utf_8_are_unusable_and_their_place_is_told() -> None:
    with pytest.raises(UnusableRowError, match="byte 0xff at offset 2"):
        record({"text": b"{}\xff"})


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
    ],
)
def test_hour_is_told_in_utc(time: object, hour: str) -> None:
    assert hour_of(time) == hour


@pytest.mark.parametrize("time", ["yesterday", "", b"\xff", None, True, -1, 10**30, float("nan"), float("inf"), [1]])
def test_what_is_no_time_has_no_hour(time: object) -> None:
    assert hour_of(time) is None
