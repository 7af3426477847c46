"""What is settled of a text while it comes: JSON in the model's own characters as long as they are clean, and prose."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from io import StringIO
from typing import Any
from unicodedata import normalize

from src.entrypoints.gateway.chat_request import Contract
from src.entrypoints.gateway.choice_reading import ChoiceReading, leaked_calls
from src.entrypoints.http.reading import SchemaContracts
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression
from src.shared.domain.reading.signs import JSON_BLANKS
from src.shared.domain.reasoning import MARK_SIGNS
from src.shared.domain.strict_json import OddError, strict
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import ToolCall

LIVE_CALLS = 16_384
"""Characters of prose in which calls are looked for as they come; in a longer text they come at its end."""
BEHIND = 200
"""Characters that prose is sent behind the model, since a call of a tool may begin with words."""
_SIGNS = frozenset(sign for sign in MARK_SIGNS if normalize("NFKC", sign) != "(")
"""One of these may begin a call or a mark of reasoning: from there on prose waits for its end."""
_STEPS = 64
"""What is new is looked at when it is this part of all, so that looking again and again costs little."""
_BETWEEN_STRINGS = expression(rf'[{JSON_BLANKS}]*+(?:["{{}}\[\],:]|[-+.\w]++)')
_IN_STRING = expression(
    r'"|[^"\\\x00-\x1f]++|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]'
)
"""What strict JSON has inside a string: text, or an escape, which two halves of a character are together."""


class SettledJson:
    """What is settled of a JSON text while it comes.

    Attributes:
        own: characters of the model's text that are settled as they stand.
        is_own: whether all that is settled is the beginning of the model's text.
    """

    def __init__(self, answer_type: AnswerType[Any]) -> None:
        """Begin before the first character."""
        self.own, self.is_own = 0, True
        self._stream: LLMJsonStream[Any] = LLMJsonStream(answer_type)
        self._settled, self._matched, self._in_string = "", 0, False
        self._size = self._looked = 0
        self._kept: dict[int, tuple[str, int, str]] = {}  # by depth: a path, its members that are whole, and their text

    def feed(self, piece: str, text: StringIO) -> ChoiceReading | None:
        """Take a piece of the whole text; what is settled, where it is another text than the model's."""
        snapshot = self._stream.feed(piece)
        self._size += len(piece)
        if self._size - self._looked < self._looked // _STEPS:
            return None
        self._looked = self._size
        with suppress(ValueError):  # a number that JSON does not have: the end refuses it
            self._settled = self._certain(snapshot.data, snapshot.complete)
        if self.is_own:
            self._match(text.getvalue())
        return None if self.is_own else ChoiceReading(self._written(text))

    def whole(self, content: str, text: StringIO) -> str:
        """Some JSON as it is written since its beginning was; empty where that was another one's."""
        with suppress(ValueError, RecursionError):
            before, self._settled = self._settled, _dumps(json.loads(content))
            return self._written(text) if self._settled.startswith(before) else ""
        return ""

    def _certain(self, value: Any, complete: AbstractSet[str], path: str = "$", depth: int = 0) -> str:  # noqa: ANN401 - decoded JSON
        """The JSON of what is certain of a value, up to the first thing in it that is not whole."""
        if path in complete:
            return _dumps(value)
        if isinstance(value, str):
            return _dumps(value)[:-1]
        if not isinstance(value, dict | list):
            return ""
        is_object = isinstance(value, dict)
        keys: list[Any] = [*(value if is_object else range(len(value)))]
        whole = len(keys)
        while whole and _below(path, keys[whole - 1]) not in complete:
            whole -= 1
        known, count, text = self._kept.get(depth, ("", 0, ""))
        count, text = (count, text) if known == path else (0, "{" if is_object else "[")
        if whole > count:
            members = {key: value[key] for key in keys[count:whole]} if is_object else value[count:whole]
            text += ("," if count else "") + _dumps(members)[1:-1]
        self._kept[depth] = path, whole, text
        for key in keys[whole : whole + 1]:
            if inner := self._certain(value[key], complete, _below(path, key), depth + 1):
                text += ("," if whole else "") + (f"{_dumps(key)}:" if is_object else "") + inner
        return text

    def _written(self, text: StringIO) -> str:
        return text.getvalue()[: self.own] + self._settled[self._matched :]

    def _match(self, text: str) -> None:
        """Find what is settled in the model's own text, piece by piece."""
        while self.is_own and self._matched < len(self._settled):
            found = (_IN_STRING if self._in_string else _BETWEEN_STRINGS).match(text, self.own)
            piece = found.group() if found else ""
            usual = _usual(piece, in_string=self._in_string)
            seen = usual[: len(self._settled) - self._matched]
            self.is_own = bool(seen) and self._settled.startswith(seen, self._matched)
            if self.is_own:
                self._matched += len(seen)
                self.own += len(piece) if seen == usual else len(seen)
                self._in_string ^= usual == '"'


class SettledProse:
    """What is settled of prose while it comes, and of the calls of tools in it.

    Attributes:
        own: characters of it that no call can begin in.
    """

    def __init__(self, names: Iterable[str], types: Mapping[str, AnswerType[Any]]) -> None:
        """Begin before the first character; with the types of the tools, if the text may call them."""
        self.own = self._size = 0
        self._names, self._tail, self._is_plain = names, "", True
        self._calls, self._stream = list[ToolCall](), ToolCallStream(types) if types else None

    def feed(self, piece: str, text: StringIO) -> ChoiceReading | None:
        """Take a piece of the whole text; all calls, where another one is whole, and what stands in front of it."""
        self._size += len(piece)
        near = self._tail + piece
        self._tail = near[-BEHIND:]
        self._is_plain &= _SIGNS.isdisjoint(piece) and not any(name in near for name in self._names)
        if self._is_plain and near.strip():
            self.own = max(0, self._size - BEHIND)
        if self._stream is None or self._size > LIVE_CALLS or not (found := self._stream.feed(piece).calls):
            return None
        self._calls += found
        return leaked_calls(text.getvalue()[: found[-1].span.end], self._calls)


def settled_text(contract: Contract, schemas: SchemaContracts) -> SettledJson | SettledProse | None:
    """What tells what is settled of an answer; None where nothing is before its end."""
    if contract.schema is not None:
        compiled = None if contract.may_leak else schemas.kept(contract.schema)
        return SettledJson(compiled.type) if compiled else None
    kept = [(name, schemas.kept(schema)) for name, schema in contract.tools.items() if contract.may_leak]
    types = {name: compiled.type for name, compiled in kept if compiled}
    return SettledProse(contract.tools, types if len(types) == len(kept) else {})


def _below(path: str, key: str | int) -> str:
    return path + json_path((key,))[1:]


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _usual(piece: str, *, in_string: bool) -> str:
    """A piece of JSON as `_dumps` writes it; empty where it is none."""
    if in_string:
        return _dumps(json.loads(f'"{piece}"'))[1:-1] if piece.startswith("\\") else piece
    piece = piece.strip(JSON_BLANKS)
    if piece in {*'"{}[],:'}:
        return piece
    with suppress(ValueError, OddError):
        value, end = strict(piece)
        return _dumps(value) if end == len(piece) else ""
    return ""
