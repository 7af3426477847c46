"""The handler that reads texts: no row raises anything."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from src.modules.reparsing.domain.outcome import Outcome, Parsed
from src.modules.reparsing.domain.record import FieldNames, RawRow, Record
from src.modules.reparsing.infrastructure.workers.reading import Readings, blamed, reading_task
from src.shared.domain.language import Message
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.modules.reparsing.rows import row

NAMES = FieldNames()


def decoding() -> Callable[[Record], Outcome]:
    return lambda record: Parsed(decode_llm_json(record.text).data)


def raising(what: str) -> Callable[[Record], Outcome]:
    def read(_record: Record) -> Outcome:
        raise {"memory": MemoryError(), "exit": SystemExit(3), "bug": ZeroDivisionError("by\nzero")}[what]

    return read


def read(*rows: RawRow, reader: str = "decoding", **arguments: object) -> Readings:
    handler = reading_task(f"{__name__}:{reader}", dict(arguments), NAMES).handler()
    for each in rows:
        handler.handle(each)
    readings: Readings = handler.take()
    return readings


def lines(some: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in some.splitlines()]


def test_texts_that_are_read_and_texts_that_are_refused_go_apart_in_order() -> None:
    readings = read(row("{}", 1), row("none", 2), row('{"a": 1,}', 3))
    assert [line["place"] for line in lines(readings.parsed)] == ["memory:1", "memory:3"]
    assert [line["place"] for line in lines(readings.refused)] == ["memory:2"]


def test_refusal_says_where_and_what_to_tell_the_model() -> None:
    (line,) = lines(read(row('{"a": ')).refused)
    assert (line["stage"], line["truncated"], line["line"]) == ("repair", True, 1)
    assert "corrected, complete JSON" in line["feedback"]


def test_row_without_a_text_is_refused_at_the_input() -> None:
    (line,) = lines(read(RawRow("f:1", b'{"id": "a"}')).refused)
    assert (line["stage"], line["id"], line["feedback"]) == ("input", "a", "")


@pytest.mark.parametrize(
    ("what", "told"),
    [("memory", "not enough memory"), ("exit", "SystemExit: 3"), ("bug", r"ZeroDivisionError: by\nzero")],
)
def test_code_of_the_type_that_raises_costs_the_text_that_did_it(what: str, told: str) -> None:
    (line,) = lines(read(row("{}"), reader="raising", what=what).refused)
    assert line["stage"] == "worker"
    assert told in line["message"]


def test_texts_are_counted_as_they_are_written() -> None:
    assert read(row("{}"), row("none")).tally.counts.refused == 1


def test_each_piece_holds_what_came_since_the_last() -> None:
    handler = reading_task(f"{__name__}:decoding", {}, NAMES).handler()
    handler.handle(row("{}"))
    handler.take()
    assert handler.take() == Readings()


def test_text_on_which_the_worker_died_is_refused_with_the_reason() -> None:
    (line,) = lines(blamed(NAMES, None, row("{}", id="a"), Message("被终止", "killed")).refused)
    assert (line["id"], line["stage"], line["message"]) == ("a", "worker", "被终止 (killed)")


def test_row_without_a_text_on_which_the_worker_died_is_refused_all_the_same() -> None:
    (line,) = lines(blamed(NAMES, None, RawRow("f:1", b"no json"), Message("被终止", "killed")).refused)
    assert line["stage"] == "input"
