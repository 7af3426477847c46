"""Every notation of the table: whole, damaged, cut or spoken of, no call is read wrong, and none is lost in silence."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation
from src.shared.infrastructure.tool_calls import contains_tool_call, read_tool_calls
from tests.paths import ROOT
from tests.thorough import at_length
from tools.attack import notations
from tools.attack.notations import (
    KEY,
    SIGNS_AT_A_PLACE,
    TOOL,
    TOOLS,
    VALUE,
    attack,
    damaged,
    example_of,
    outcome,
    print_slips,
    seconds_of,
    slip_outcome,
    slips,
    texts,
)

ROWS = pytest.mark.parametrize("row", NOTATIONS, ids=[row.name for row in NOTATIONS])
STEP = at_length(23, 1)
COMMON = frozenset({"function calls", "plain object", "tool code", "Python's form"})
"""Names that are ordinary words."""


@cache
def counts_of(row: Notation) -> Counter[tuple[str, str]]:
    """What became of its texts."""
    return attack([row], STEP)[row.name]


@ROWS
def test_example_of_a_row_is_read(row: Notation) -> None:
    assert {text.text: outcome(text) for text in texts(row) if text.kind == "whole" and outcome(text) != "right"} == {}


@ROWS
def test_damaged_or_cut_call_is_read_right_or_refused_and_never_lost(row: Notation) -> None:
    assert [kind for kind in counts_of(row) if kind[1] in {"wrong", "silent"}] == []


@ROWS
def test_slip_puts_no_piece_of_a_mark_into_a_value_and_makes_no_call(row: Notation) -> None:
    few = [*slips(example_of(row), 1)][::STEP]
    became = {text: slip_outcome(row, text, sign) for text, sign in few}

    assert [text for text, one in became.items() if one in {"piece of a mark", "invented call"}] == []


@pytest.mark.parametrize(
    ("text", "became"),
    [
        ("[TOOL_CALLS]f[ARGS]{}</s>", "refused"),
        ("I look.", "silent"),
        ('[TOOL_CALLS]get_weather[ARGS]{"city": "Rome is old"}</s>' * 2, "invented call"),
        ('[TOOL_CALLS]get_weather[ARGS]{"city": "Rome is old"}</s>', "right"),
        ('[TOOL_CALLS]get_weather[ARGS]{"city": "Rome >is old"}</s>', "slip in the value"),
        ('[TOOL_CALLS]get_weather[ARGS]{"city": ">>Rome is old"}</s>', "piece of a mark"),
    ],
)
def test_outcome_of_a_slip(text: str, became: str) -> None:
    row = next(one for one in NOTATIONS if text.startswith("I") or one.example[:12] == text[:12])

    assert slip_outcome(row, text, ">") == became


def test_slips_are_eighty_thousand() -> None:
    assert sum(len(dict(slips(example_of(row), SIGNS_AT_A_PLACE))) for row in NOTATIONS) >= 80_000


def test_slips_are_counted_by_notation(capsys: pytest.CaptureFixture[str]) -> None:
    assert not print_slips(NOTATIONS[:2], 1)
    assert NOTATIONS[1].name in capsys.readouterr().out


@ROWS
def test_mark_that_a_sentence_speaks_of_does_not_cost_the_call_behind_it(row: Notation) -> None:
    assert [text.text for text in texts(row) if text.kind == "near" and outcome(text) != "right"] == []


def finds_or_refuses(text: str) -> bool:
    """Whether there is a call in a text, or an error that says why it cannot be read."""
    try:
        return bool(read_tool_calls(text, TOOLS))
    except LLMJsonParseError:
        return True


@ROWS
def test_call_is_seen_where_one_is_read_or_refused(row: Notation) -> None:
    of_row = [text.text for number, text in enumerate(texts(row)) if text.kind != "cut" or number % STEP == 0]

    assert [text for text in of_row if contains_tool_call(text, TOOLS) is not finds_or_refuses(text)] == []
    assert contains_tool_call(example_of(row), [TOOL])


def test_there_are_at_least_forty_notations_and_each_name_once() -> None:
    assert len(NOTATIONS) >= 40
    assert len({row.name for row in NOTATIONS}) == len(NOTATIONS)


def test_most_damaged_calls_are_read() -> None:
    counts = list(map(counts_of, NOTATIONS))
    read, refused = (sum(one["damaged", became] for one in counts) for became in ("right", "refused"))

    assert read > 9 * refused


def test_example_has_a_tool_a_key_and_a_value() -> None:
    assert all(word in example_of(row) for row in NOTATIONS for word in (TOOL, KEY, VALUE))
    assert list(TOOLS) == [TOOL]


def test_damages_are_many() -> None:
    assert sum(1 for row in NOTATIONS for _ in damaged(example_of(row))) > 20 * len(NOTATIONS)


def test_command_prints_a_row_for_each_notation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notations, "attack", lambda: attack(NOTATIONS[:1], 20))
    monkeypatch.setattr(notations, "print_slips", lambda: False)

    assert notations.main() == 0
    assert NOTATIONS[0].name in capsys.readouterr().out


def test_no_name_of_a_notation_stands_in_code_beside_its_row() -> None:
    folder = ROOT / "src" / "shared" / "infrastructure"
    files = [
        *(folder / "tool_call_forms").glob("*.py"),
        *folder.glob("tool_call*.py"),
        folder / "parsing" / "leaked_calls.py",
    ]
    names = [re.compile(rf"\b{re.escape(row.name)}\b", re.IGNORECASE) for row in NOTATIONS if row.name not in COMMON]

    assert [
        (file.name, word) for file in files for word in words_of(file) if any(one.search(word) for one in names)
    ] == []


def words_of(file: Path) -> list[str]:
    """The names and the texts in the code of a file, without its docstrings."""
    if file.name == "notations.py":
        return []
    tree = ast.parse(file.read_text("utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in said]
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return [*names, *(node.value for node in texts if isinstance(node.value, str))]


def test_seconds_of_a_mark_are_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notations, "NOTATIONS", NOTATIONS[:1])
    monkeypatch.setattr(notations, "seconds_of", lambda mark: seconds_of(mark, 1000))
    monkeypatch.setattr("sys.argv", ["notations", "--seconds"])

    assert notations.main() == 0
    assert "<tool_call>" in capsys.readouterr().out
