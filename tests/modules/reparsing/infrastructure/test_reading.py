"""The handler that reads texts: no row raises anything, and each is a line of one of the outputs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from src.modules.reparsing.domain.outcome import RowOutcome
from src.modules.reparsing.domain.part import PARSED, REFUSED, Outcomes
from src.modules.reparsing.domain.record import FieldNames, Record, Row
from src.modules.reparsing.infrastructure.reading import ReadingHandler, blame, keep
from src.shared.domain.language import Message
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.modules.reparsing.rows import row

NAMES = FieldNames()
RECORD = Record("f:1", "a", agent="verdict")
NO_JSON, KILLED = Row("f:1", b"no json"), Message("被终止", "killed")


def parsed(data: object, **more: object) -> RowOutcome:
    return RowOutcome({"data": data, "repairs": [], "grade": "clean", "left_out": []} | more)


def decoding() -> Callable[[Record], RowOutcome]:
    return lambda record: parsed(decode_llm_json(record.text).data)


def raising(what: str) -> Callable[[Record], RowOutcome]:
    def read(_record: Record) -> RowOutcome:
        raise {"memory": MemoryError(), "exit": SystemExit(3), "bug": ZeroDivisionError("by\nzero")}[what]

    return read


def read(*rows: Row, reader: str = "decoding", **arguments: object) -> Outcomes:
    handler = ReadingHandler(f"{__name__}:{reader}", dict(arguments), NAMES)
    for each in rows:
        handler.handle(each)
    outcomes = handler.take()
    assert handler.take() == Outcomes()
    return outcomes


def lines(outcomes: Outcomes, output: str) -> list[dict[str, Any]]:
    return [json.loads(line.content) for line in outcomes.lines if line.output == output]


def test_texts_that_are_read_and_texts_that_are_refused_go_apart_in_order() -> None:
    outcomes = read(row("{}", 1), row("none", 2), row('{"a": 1,}', 3))
    assert [line["place"] for line in lines(outcomes, PARSED)] == ["memory:1", "memory:3"]
    assert [line["place"] for line in lines(outcomes, REFUSED)] == ["memory:2"]
    assert (outcomes.tally.counts["texts"], outcomes.tally.counts["refused"]) == (3, 1)


def test_row_without_a_text_is_refused_at_the_input() -> None:
    (line,) = lines(read(Row("f:1", b'{"id": "a"}')), REFUSED)
    assert (line["stage"], line["id"], line["feedback"]) == ("input", "a", "")


@pytest.mark.parametrize(
    ("what", "why"),
    [("memory", "not enough memory"), ("exit", "SystemExit: 3"), ("bug", r"ZeroDivisionError: by\nzero")],
)
def test_code_of_the_type_that_raises_costs_the_text_that_did_it(what: str, why: str) -> None:
    (line,) = lines(read(row("{}"), reader="raising", what=what), REFUSED)
    assert line["stage"] == "worker"
    assert why in line["message"]


@pytest.mark.parametrize(
    ("item", "told"), [(row("{}", id="a"), ("a", "worker", "被终止 (killed)")), (NO_JSON, ("f:1", "input"))]
)
def test_text_on_which_the_worker_died_is_refused_with_the_reason(item: Row, told: tuple[str, ...]) -> None:
    (line,) = lines(blame({"names": NAMES}, item, KILLED), REFUSED)
    assert (line["id"], line["stage"], line["message"])[: len(told)] == told


@pytest.mark.parametrize(("noted", "notes"), [(None, 0), (0, 1)])
def test_texts_are_noted_where_somebody_wants_that(noted: int | None, notes: int) -> None:
    assert len(blame({"names": NAMES, "noted": noted}, row("{}"), KILLED).notes) == notes


def kept(data: object) -> Outcomes:
    outcomes = Outcomes()
    keep(outcomes, RECORD, parsed(data))
    return outcomes


@pytest.mark.parametrize("data", [{"a": "中\n\u2028"}, {"a": "\ud83d"}], ids=ascii)
def test_line_is_one_line_of_utf_8_and_keeps_half_of_a_surrogate_pair(data: object) -> None:
    (line,) = kept(data).lines
    assert line.content.decode().count("\n") == 1
    assert json.loads(line.content)["data"] == data


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_value_that_json_cannot_hold_is_refused(value: object) -> None:
    outcomes = kept({"a": value})
    assert [(line["agent"], line["stage"]) for line in lines(outcomes, REFUSED)] == [("verdict", "output")]
    assert outcomes.tally.stages == {"output": 1}
