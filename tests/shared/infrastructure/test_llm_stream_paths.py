"""The paths of a stream: what `changed` names and in which order, and what is at a path."""

import pytest
from pydantic import BaseModel

from src.shared.infrastructure.llm_stream import LLMJsonStream


class Row(BaseModel):
    name: str


class Table(BaseModel):
    rows: list[Row]


class Names(BaseModel):
    नाम: list[int]  # noqa: PLC2401 - what is tested


def changes(text: str, dto: type[object] = Table) -> list[str]:
    """Each path at its first mention, in the text fed one character at a time."""
    stream = LLMJsonStream(dto)
    told: dict[str, None] = {}
    for char in text:
        told.update(dict.fromkeys(stream.feed(char).changed))
    return [*told]


def fed(text: str) -> LLMJsonStream[Table]:
    stream = LLMJsonStream(Table)
    stream.feed(text)
    return stream


def test_an_answer_that_shows_late_whose_it_is_names_all_that_appears_the_outermost_first() -> None:
    assert changes('{"note": {"a": [1, 2]}, "rows": []}') == [
        *("$", "$.note", "$.note.a", "$.note.a[0]", "$.note.a[1]"),
        "$.rows",
    ]


def test_a_key_of_the_type_before_any_value_names_nothing() -> None:
    assert changes('{"rows": ') == []


def test_closing_names_what_was_not_whole_in_the_order_of_the_answer() -> None:
    stream = fed("Much is said first. " * 30 + '{"rows": [{"name": "a"}, {"name": "b"}]}')
    assert stream.snapshot.data is None
    stream.close()
    rows = (f"$.rows[{at}]" for at in range(2))
    assert stream.snapshot.changed == ("$", "$.rows", *(path for row in rows for path in (row, f"{row}.name")))


def test_snapshot_gives_the_value_at_a_path() -> None:
    snapshot = fed('{"rows": [{"name": "a"}, {"name": "bc').snapshot
    assert snapshot.at("$.rows[0]") == {"name": "a"}
    assert snapshot.at('$["rows"][1].name') == "bc"


@pytest.mark.parametrize("path", ["$.rows[1]", "$.rows.name", "$.rows[0].name[0]", "$.row"])
def test_what_is_not_there_is_a_lookup_error(path: str) -> None:
    with pytest.raises(LookupError, match=r"index out of range|row"):
        fed('{"rows": [{"name": "a"}]}').snapshot.at(path)


@pytest.mark.parametrize("path", ["rows", "$.", "$rows", "$.rows[x]", "$.rows[0"])
def test_what_is_no_path_is_told(path: str) -> None:
    with pytest.raises(ValueError, match="not a JSON path"):
        fed('{"rows": []}').snapshot.at(path)


@pytest.mark.parametrize("path", ["$.rows", '$["rows"]'])
def test_items_take_a_path_in_either_way_of_writing_it(path: str) -> None:
    assert [*fed('{"rows": [{"name": "a"}]}').items(path)] == [Row(name="a")]


def test_a_name_with_marks_that_combine_is_a_step_as_any_other() -> None:
    stream = LLMJsonStream(Names)
    assert stream.feed('{"नाम": [1, 2]}').at("$.नाम") == [1, 2]
    assert [*stream.items("$.नाम")] == [1, 2]
