"""The parts of a text: each kind is looked for once, and only what was asked for."""

from collections.abc import Iterator

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reasoning import Mark, draft_marks
from src.shared.infrastructure.parsing.scan import Scan
from src.shared.infrastructure.parsing.stages import search
from src.shared.infrastructure.parsing.state import ParseState, Target

TEXT = 'One is {"a": 1} and two {"a": 2}.\n```json\n{"a": 3}\n```\n'


def test_outermost_values_are_those_of_the_whole_text_and_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Scan(TEXT)
    first = next(found.outermost())
    monkeypatch.setattr(Scan, "values", None)

    values = [*found.outermost()]

    assert values[0] is first
    assert values == [*found.outermost()]
    assert [value.data for value in values] == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_fenced_blocks_are_sorted_by_what_they_hold() -> None:
    text = f'{TEXT}```python\nx = 1\n```\n```thinking\nwell\n```\n~~~\nwords\n~~~\n```json\n{{"a"\n'

    fences = Scan(text).fences

    kinds = (fences.json, fences.code, fences.reasoning, fences.text, fences.unread)
    assert [[text[slice(*block)].strip() for block in kind] for kind in kinds] == [
        ['{"a": 3}', '{"a"'],
        ["x = 1"],
        ["```thinking\nwell\n```"],
        ["words"],
        [],
    ]


def test_marks_are_looked_for_once_in_what_the_stages_go_through(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def counted(text: str) -> Iterator[Mark]:
        looked_at.append(text)
        return draft_marks(text)

    monkeypatch.setattr("src.shared.infrastructure.parsing.scan.draft_marks", counted)

    with pytest.raises(LLMJsonParseError, match="several different objects"):
        search(ParseState.of(TEXT, Target()))

    assert looked_at == [TEXT]


def test_text_that_is_left_by_dropped_reasoning_has_its_own_parts() -> None:
    state = ParseState.of('<think>{"a": 1}</think>{"a": 2}', Target())
    rest = state.without([(0, 23)], "think")

    assert [value.data for value in rest.scanner.outermost()] == [{"a": 2}]
    assert [value.data for value in state.scanner.outermost()] == [{"a": 1}, {"a": 2}]
    assert rest.scanner.work is state.scanner.work


def test_value_that_is_nested_too_deeply_is_none_that_is_undamaged() -> None:
    depth = 100_000  # no version of Python's decoder reads so many levels

    assert Scan('{"a": ' * depth).strict_at(0) is None
