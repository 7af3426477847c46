"""What the signs of JSON stand for is what expressions take them for."""

import ast
import re
import sys

import pytest

from src.shared.domain.reading.signs import BLANKS, COLONS, COMMAS
from tests.paths import ROOT
from tests.shared.reading import value_of

READER = ROOT / "src/shared/domain/reading"


def test_blanks_are_what_an_expression_takes_for_white_space() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))

    assert re.findall(r"\s", every) == list(BLANKS)


def test_no_other_file_of_the_reader_spells_a_comma_or_a_colon_out() -> None:
    """A sign that is added to the lexicon counts everywhere; messages and docstrings are told by their Chinese text."""
    signs = {*COMMAS[1:], *COLONS[1:]}
    spelled = [
        (path.name, node.lineno)
        for path in READER.rglob("*.py")
        if path.name != "signs.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and signs & {*node.value}
        if not (re.search("[一-鿿]", node.value) or node.value.startswith("`"))
    ]

    assert spelled == []


@pytest.mark.parametrize("sign", COMMAS)
@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('{"a": [1| true]| "b": "x"|\n"c": null|}', {"a": [1, True], "b": "x", "c": None}),
        ("{a: x y| b: 'z'}", {"a": "x y", "b": "z"}),
        ('{"a": "x| "b": 1|| "c": 2}', {"a": "x", "b": 1, "c": 2}),
        ('{"a": "say "no"| and go"| "b": 1}', {"a": 'say "no"| and go', "b": 1}),
    ],
)
def test_each_comma_separates(raw: str, data: dict[str, object], sign: str) -> None:
    assert value_of(raw.replace("|", sign)) == {key: _with(sign, value) for key, value in data.items()}


@pytest.mark.parametrize("sign", COLONS)
@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('Here: {"a"|"x", "b"| {"c"| 1},}', {"a": "x", "b": {"c": 1}}),
        ("{a| 1, 'b'| x y}", {"a": 1, "b": "x y"}),
        ('{"a| 1, "b"|| "x" "c"| 2}', {"a": 1, "b": "x", "c": 2}),
        ('{**a**| "x| y", "b"| 1}', {"a": "x| y", "b": 1}),
    ],
)
def test_each_colon_stands_behind_a_key(raw: str, data: dict[str, object], sign: str) -> None:
    assert value_of(raw.replace("|", sign)) == {key: _with(sign, value) for key, value in data.items()}


def _with(sign: str, value: object) -> object:
    return value.replace("|", sign) if isinstance(value, str) else value
