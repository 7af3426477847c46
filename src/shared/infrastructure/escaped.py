r"""An object that was written as the inside of a string: `"{\"a\": 1}"`, or `{\"a\": 1}` without the outer quotes."""

from __future__ import annotations

import json
import re

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.budget import Work
from src.shared.infrastructure.reader.edits import Edit, EditedText, Edits
from src.shared.infrastructure.scanner import Value, ValueScanner

_MARGIN = r"\s*+" + repeated(r"\\[nrt]\s*+")
_ESCAPED = re.compile(rf'"{_MARGIN}[{{]|\{{{_MARGIN}\\"')
_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')


_SIMPLE = {'\\"': '"', "\\\\": "\\", "\\/": "/", "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\b": "\b", "\\f": "\f"}


def _unescaped(escape: re.Match[str]) -> str:
    return _SIMPLE.get(escape.group()) or str(json.loads(f'"{escape.group()}"'))


def is_escaped(text: str, start: int) -> bool:
    """Whether an escaped object may begin at `start`."""
    return _ESCAPED.match(text, start) is not None


def escaped_value(text: str, start: int, end: int, work: Work) -> Value | None:
    """The object whose escaped text fills `text[start:end]`, or None if it is none."""
    if not is_escaped(text, start):
        return None
    quoted = text[start] == '"'
    if quoted and (end - start < 2 or text[end - 1] != '"'):  # noqa: PLR2004 - two quotes
        return None
    inner = _ESCAPE.sub(_unescaped, text[start + quoted : end - quoted])
    work.spend(end - start)
    scanner = ValueScanner(inner, work=work)
    found = scanner.value_at(len(inner) - len(inner.lstrip()))
    value = scanner.decoded(found) if found else None
    if value is None or value.problem or not isinstance(value.data, dict) or value.end != len(inner.rstrip()):
        return None
    first = Edit(start, end - start, inner.strip(), RepairKind.ESCAPED_JSON)
    edits = _moved(value.edits, text, start + quoted, end - quoted)
    return Value(start, end, value.data, (first, *edits), damaged=True)


def _moved(edits: Edits, text: str, start: int, end: int) -> list[Edit]:
    """Edits of the unescaped text at their places in the escaped one."""
    if not edits:
        return []
    escapes = [Edit(m.start(), len(m.group()), _unescaped(m)) for m in _ESCAPE.finditer(text, start, end)]
    unescaped = EditedText(text, start, end, escapes)
    return [edit._replace(offset=unescaped.origin(edit.offset)) for edit in edits]
