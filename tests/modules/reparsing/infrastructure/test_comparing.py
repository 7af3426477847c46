"""The handler that asks an old parser: every row gets a line, whatever the parser does."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from src.modules.reparsing.domain.outcome import WORKER_STAGE, RowOutcome, refusal_at
from src.modules.reparsing.domain.part import Outcomes
from src.modules.reparsing.domain.record import FieldNames, Record, Row
from src.modules.reparsing.infrastructure.old_parser import ComparingHandler, ReadRow, blame_old
from src.modules.reparsing.infrastructure.reading import keep
from src.shared.domain.language import Message
from tests.modules.reparsing.infrastructure.test_reading import parsed
from tests.modules.reparsing.rows import row

PARSERS = "tests.modules.reparsing.old_parsers"
NAMES = FieldNames()
REFUSED = refusal_at(WORKER_STAGE, Message("不行", "it cannot be"))
DIED = Message("已终止", "the process was\nkilled")


@pytest.fixture(autouse=True)
def stderr_is_kept() -> Iterator[None]:
    """The handler's process gives its stderr away; this one is not its own."""
    kept = os.dup(2)
    yield
    os.dup2(kept, 2)
    os.close(kept)


def read(content: Row, outcome: RowOutcome) -> ReadRow:
    outcomes = Outcomes()
    keep(outcomes, Record(content.place, content.place), outcome)
    return content, outcomes.lines[0]


def compared(*items: ReadRow, parser: str = "decode", agent: str | None = None) -> Outcomes:
    handler = ComparingHandler(f"{PARSERS}:{parser}", NAMES, agent)
    for item in items:
        handler.handle(item)
    outcomes = handler.take()
    assert handler.take() == Outcomes()
    return outcomes


def lines(outcomes: Outcomes) -> list[dict[str, Any]]:
    return [json.loads(line.content) for line in outcomes.lines]


def test_rows_get_a_line_each_in_their_order() -> None:
    text = '{"a": 1}'
    outcomes = compared(read(row(text, 0), parsed({"a": 1})), read(row(text, 1), REFUSED))
    assert [(line["place"], line["agreement"]) for line in lines(outcomes)] == [
        ("memory:0", "equal"),
        ("memory:1", "only_old"),
    ]
    assert outcomes.tally.comparison.classes == {"equal": 1, "only_old": 1}


def test_old_parser_is_not_asked_about_a_row_without_a_text() -> None:
    (line,) = lines(compared(read(Row("memory:1", b"{}"), REFUSED)))
    assert line["agreement"] == "neither"
    assert "not asked" in line["old_error"]


def test_null_is_asked_as_an_empty_text() -> None:
    (line,) = lines(compared(read(Row("memory:1", b'{"text": null}'), REFUSED)))
    assert "JSONDecodeError: Expecting value" in line["old_error"]


@pytest.mark.parametrize(("agent", "asked"), [(None, "row's"), ("option's", "option's")])
def test_agent_is_that_of_the_option_or_of_the_row(agent: str | None, asked: str) -> None:
    item = read(row("{}", agent="row's"), parsed({"agent": asked}))
    assert lines(compared(item, parser="of_agent", agent=agent))[0]["agreement"] == "equal"


def test_stderr_of_the_process_goes_nowhere() -> None:
    compared()
    nothing = os.open(os.devnull, os.O_WRONLY)
    assert os.path.sameopenfile(2, nothing)
    os.close(nothing)


def test_reading_as_deep_as_it_could_be_written_is_compared() -> None:
    """Written in the depth of one call, read in that of another."""
    deep: Any = 1
    for _ in range(sys.getrecursionlimit() - 150):
        deep = [deep]
    text = json.dumps(deep)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit * 2)
    item = read(row(text), parsed(deep))
    sys.setrecursionlimit(limit)
    assert compared(item).tally.comparison.classes == {"equal": 1}
    assert sys.getrecursionlimit() == limit


def test_text_on_which_the_process_died_is_not_read_by_the_old_parser() -> None:
    outcomes = blame_old({"names": NAMES}, read(row("{}"), parsed({})), DIED)
    (line,) = lines(outcomes)
    assert line["agreement"] == "only_new"
    assert line["old_error"] == r"已终止 (the process was\nkilled)"


def test_row_without_a_text_is_not_blamed() -> None:
    (line,) = lines(blame_old({"names": NAMES}, read(Row("memory:1", b"{}"), REFUSED), DIED))
    assert "not asked" in line["old_error"]
