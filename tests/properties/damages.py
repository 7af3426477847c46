"""Ways to damage a valid object without losing anything: each says which objects it can be done to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from hypothesis import strategies as st

from src.shared.domain.repair import RepairKind as K
from tests.properties.json_texts import literals, numbers, objects, plain_text

Objects: TypeAlias = st.SearchStrategy[dict[str, Any]]


@dataclass(frozen=True)
class Style:
    """How an object is written; as it stands, as strict JSON."""

    quotes: tuple[str, str] = ('"', '"')
    key: Callable[[str], str] | None = None
    text: Callable[[str], str] = field(default=lambda text: json.dumps(text, ensure_ascii=False)[1:-1])
    colon: str = ": "
    comma: str = ", "
    last: str = ""
    braces: tuple[str, str] = ("{", "}")
    brackets: tuple[str, str] = ("[", "]")
    words: tuple[str, str, str] = ("true", "false", "null")

    def write(self, value: object) -> str:
        """Write a value in this style."""
        if isinstance(value, str):
            return self.quotes[0] + self.text(value) + self.quotes[1]
        if isinstance(value, dict):
            members = [(self.key or self.write)(key) + self.colon + self.write(item) for key, item in value.items()]
            return self._container(self.braces, members)
        if isinstance(value, list):
            return self._container(self.brackets, [self.write(item) for item in value])
        if value is True or value is False or value is None:
            return self.words[(True, False, None).index(value)]
        return json.dumps(value)

    def _container(self, ends: tuple[str, str], items: list[str]) -> str:
        return ends[0] + self.comma.join(items) + (self.last if items else "") + ends[1]


@dataclass(frozen=True)
class Damage:
    """One way of damaging: what it leaves in the trace, which objects it can be done to, and how."""

    kind: K
    values: Objects
    texts: Callable[[dict[str, Any]], Iterator[str]]


def styled(kind: K, values: Objects, *styles: Style) -> Damage:
    """Make the damage that writes an object in each of these styles."""
    return Damage(kind, values, lambda value: (style.write(value) for style in styles))


def without_last_brackets(value: dict[str, Any]) -> Iterator[str]:
    """Leave out all of the brackets at the end; none of a container that is empty, which would be a cut.

    Where some of them are left, the missing one may as well belong further to the front.
    """
    text = json.dumps(value, ensure_ascii=False).rstrip("}]")
    if text[-1] not in "{[":
        yield text


def without_commas_between_lines(value: dict[str, Any]) -> Iterator[str]:
    """Leave out every comma at the end of a line."""
    yield re.sub(r",\n", "\n", json.dumps(value, ensure_ascii=False, indent=2))


PLAIN = Style()
plain_objects = objects(plain_text)
filled_objects = objects(plain_text.filter(bool), keys=plain_text.filter(bool))
"""Beside two commas an empty text may be a quote too many."""
named_objects = objects(plain_text, keys=st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True))
quoting_text = st.text(alphabet="ab 中，：“”'`{}[],:/#", max_size=8)
lines_text = st.text(alphabet='ab中 \n\t\r"{}', max_size=8)
marks_text = st.text(alphabet="ab中 \"'\\", max_size=8)
literal_objects = objects(plain_text, scalars=literals | numbers)

DAMAGES = {
    "trailing commas": styled(K.TRAILING_COMMA, objects(quoting_text), replace(PLAIN, last=",")),
    "trailing commas on lines": styled(K.TRAILING_COMMA, objects(quoting_text), replace(PLAIN, last=",\n")),
    "doubled commas": styled(K.DOUBLED_COMMA, filled_objects, replace(PLAIN, comma=",,"), replace(PLAIN, comma=", , ")),
    "missing commas between lines": Damage(K.MISSING_COMMA, plain_objects, without_commas_between_lines),
    "brackets missing at the end": Damage(K.MISSING_BRACKET, plain_objects, without_last_brackets),
    "single quotes": styled(K.SINGLE_QUOTE, plain_objects, replace(PLAIN, quotes=("'", "'"))),
    "backticks": styled(K.SINGLE_QUOTE, plain_objects, replace(PLAIN, quotes=("`", "`"))),
    "smart quotes": styled(
        K.SMART_QUOTE, plain_objects, *(replace(PLAIN, quotes=(q[0], q[1])) for q in ("“”", "‘’", "＂＂", "「」", "„“"))
    ),
    "unquoted keys": styled(K.UNQUOTED_KEY, named_objects, replace(PLAIN, key=str)),
    "Python's literals": styled(K.PYTHON_LITERAL, literal_objects, replace(PLAIN, words=("True", "False", "None"))),
    "raw line ends and tabs": styled(
        K.CONTROL_CHARACTER, objects(lines_text), replace(PLAIN, text=lambda text: text.replace('"', '\\"'))
    ),
    "full-width punctuation": styled(
        K.FULL_WIDTH_PUNCTUATION,
        objects(quoting_text),
        replace(PLAIN, colon="：", comma="，", braces=("｛", "｝"), brackets=("［", "］")),
        replace(PLAIN, colon="：", comma="，"),
    ),
    "comments": styled(
        K.COMMENT,
        objects(quoting_text),
        replace(PLAIN, comma=", // 说明: {\n"),
        replace(PLAIN, colon=": /* x */ "),
        replace(PLAIN, comma=" # 一\n, # 二\n"),
    ),
    "invisible characters": styled(
        K.INVISIBLE_CHARACTER, objects(quoting_text), replace(PLAIN, colon="\u00a0:\u200b", comma="\ufeff,\u3000")
    ),
}
