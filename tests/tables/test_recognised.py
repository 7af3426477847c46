"""What small functions say of a text: whether it looks like data, what a heading says, what of a string is certain."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ConfigDict, create_model

from src.shared.domain.edits import EditedText
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.reading import openings
from src.shared.domain.reading.escapes import escape_edits, stand
from src.shared.domain.reading.growing import GrowingString, looks_like_key
from src.shared.domain.reading.machine import Refusal
from src.shared.domain.reading.reading import UNREAD
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.remarks import heading_of
from src.shared.infrastructure.parsing.rivals import first_rival, has_fields
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.parsing.target_type import TargetType, target_type
from tests.tables.rows import Row, table
from tests.tables.types import type_of

ANY_OBJECT = target_type(create_model("AnyObject", __config__=ConfigDict(extra="allow")))
ROWS: list[Row] = table("recognised")["row"]


def is_rival(*fields: str) -> Callable[[str], bool]:
    return lambda text: first_rival(text, [Span(0, len(text))], frozenset(fields)) is not None


def has_fields_of(*fields: str) -> Callable[[str], bool]:
    return lambda text: has_fields(text, 0, len(text), frozenset(fields))


def heading(before: str) -> str:
    found = heading_of(before + "{", len(before))
    return found.name.lower() if found else "nothing"


def is_read_directly(text: str, wanted: TargetType[Any] = ANY_OBJECT) -> bool:
    """Whether the short way reads a text, and then as the type does."""
    value = validate_directly(text, wanted)
    if value is not UNREAD and wanted is not ANY_OBJECT:
        assert value == wanted.adapter.validate_json(text)
    return value is not UNREAD


def is_marked_key(key: str, wanted: TargetType[Any]) -> bool:
    """Whether a key in an object, alone or in a list, is one of the type's in marks."""
    found = wanted.marked_keys({key: 1})
    assert found == wanted.marked_keys([1, {key: 1}])
    assert found <= {key}
    return bool(found)


def shown(text: str) -> str:
    """What is shown of a string, which only grows, however it comes."""
    at_once, looked, grown = (GrowingString(text, 0, looks_like_key) for _ in range(3))
    for end in range(2, len(text) + 1):
        before = looked.shown
        looked.look(text[:end])
        if grown.grow(text[end - 1 : end]) is None:
            grown.look(text[:end])
        assert (looked.shown[: len(before)], looked.shown) == (before, grown.shown)
    assert at_once.look(text) is bool(at_once.shown)
    assert looked.shown == at_once.shown
    return at_once.shown


def doubled(raw: str) -> list[int]:
    return [edit.offset for edit in escape_edits(raw, 0, len(raw), [])]


def strings(raw: str) -> object:
    return json.loads(EditedText(raw, 0, len(raw), escape_edits(raw, 0, len(raw), [])).text, strict=False)


def contradiction(raw: str) -> int:
    with pytest.raises(Refusal) as caught:
        escape_edits(raw, 0, len(raw), [])
    assert (caught.value.reason, caught.value.other) == (TWO_ESCAPE_READINGS, None)
    return caught.value.at


QUESTIONS: dict[str, Callable[..., Any]] = {
    "looks like data": is_rival(),
    "looks like data of a type with score": is_rival("score"),
    "looks like data of a type with title and score": is_rival("score", "title"),
    **{
        f"has fields of a type with {' and '.join(fields) or 'none'}": has_fields_of(*fields)
        for fields in ((), ("score",), ("title", "score"))
    },
    "is headed as": heading,
    "begins a value": lambda text: openings.VALUE_BEGINS.match(text) is not None,
    "may begin a value": lambda text: openings.VALUE_MAY_BEGIN.match(text) is not None,
    "may open a list": lambda text: openings.LISTS_TOO.search(text, 0) >= 0,
    "the short way reads it": is_read_directly,
    "is the name of a field in marks": is_marked_key,
    "a string that is still written shows": shown,
    "is read with these backslashes doubled": doubled,
    "has these strings": strings,
    "has a backslash that contradicts itself at": contradiction,
    "has backslashes that stand as they are": lambda text: stand(text, 0, len(text)),
}


def cases() -> list[Any]:
    """Each text with its answer, which is the row's or its own; some have a name."""
    found = []
    for row in ROWS:
        named = row.get("cases") or {str(case): case for case in row.get("texts") or row["pairs"]}
        for name, case in named.items():
            text, answer = (case, row["answer"]) if "answer" in row else case
            wanted = [target_type(type_of(row["type"]))] if "type" in row else []
            found.append(pytest.param(row["question"], [text, *wanted], answer, id=f"{row['question']}: {name}"))
    return found


@pytest.mark.parametrize(("question", "asked", "answer"), cases())
def test_question_has_this_answer(question: str, asked: list[Any], answer: object) -> None:
    assert QUESTIONS[question](*asked) == answer


def test_each_question_is_asked() -> None:
    assert {row["question"] for row in ROWS} == QUESTIONS.keys()
