r"""Rests of a model's own format in an answer, or in the arguments of a call: notes for the caller to judge.

What stands beside the JSON, such as `<|call|>` or `</arg_value>>`, is left out. A value is never changed: it may be
about marks, and a backslash that looks doubled may be meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from src.shared.domain.edits import kinds_of
from src.shared.domain.exceptions import Place
from src.shared.domain.expression import expression
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.paths import path_of
from src.shared.infrastructure.parsing.state import Note, ParseState, Span
from src.shared.infrastructure.tool_call_forms.marks import REST, may_have_rests

BESIDE, INSIDE = "left out a mark", "looks_like_mark"
"""The actions of a note on a mark beside the JSON, and on one in a string or a key of it."""
UNESCAPED, TWICE = "unescaped", "looks_like_double_escape"
"""Those on JSON that was escaped as a whole, and on a string whose escapes may be escaped once more."""
_SURE_ESCAPE = expression(r"\\(?:\"|u[0-9a-fA-F]{4}|[nrt](?![a-z]))|(?<=[^\\])\\\\(?=\w)")
"""What is hardly anything but an escape: before a small letter it may be LaTeX, or a part of a path."""
_DRIVE = expression(r"(?<![A-Za-z0-9])[A-Za-z]:\\(?!\\)")
"""A path with single backslashes."""


def is_clean(text: str) -> bool:
    """Whether a text has no sign of a rest; most texts have none."""
    return "\\\\" not in text and '\\"' not in text and not may_have_rests(text)


def notes_of(state: ParseState) -> tuple[Note, ...]:
    """A note for each rest beside the JSON that was chosen, and in it."""
    if is_clean(state.text):
        return ()
    answer = next(note for note in reversed(state.notes) if note.action == "chosen")
    stage, chosen, text = answer.stage, answer.span, state.text
    around = ((0, chosen.start), (chosen.end, len(text))) if may_have_rests(text) else ()
    beside = [Note(stage, BESIDE, Span(*rest.span())) for part in around for rest in REST.finditer(text, *part)]
    if RepairKind.ESCAPED_JSON in kinds_of(state.edits):
        beside.append(Note(stage, UNESCAPED, chosen, path="$"))
    return (*beside, *notes_in(state.data, text, chosen, stage))


def notes_in(data: object, text: str, around: Span, stage: str = "strict") -> Iterator[Note]:
    """A note for each rest in the strings and keys of data that part of a text was read as.

    Its span is that part where the string does not stand there as JSON writes it.
    """
    at = around.start
    for place, string in _strings(data):
        rests, meant = REST.findall(string) if may_have_rests(string) else (), _unescaped(string)
        if not rests and meant is None:
            continue
        written = json.dumps(string, ensure_ascii=False)
        start = text.find(written, at, around.end) if at >= 0 else -1
        at = start + len(written) if start >= 0 else -1  # one search in vain is enough: each may cost all of the text
        whole, path = Span(start, at) if at >= 0 else around, path_of(place)
        for rest in rests:
            start = text.find(rest, start, at) if start >= 0 else -1
            yield Note(stage, INSIDE, Span(start, start + len(rest)) if start >= 0 else whole, path=path)
            start += len(rest) if start >= 0 else 0
        if meant is not None:
            yield Note(stage, TWICE, whole, meant, path)


def _strings(data: object) -> Iterator[tuple[Place, str]]:
    """The keys and the strings of data in the order of the text, each with its place."""
    left: list[tuple[Place, object]] = [(None, data)]
    while left:
        place, value = left.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, dict):
            left += (one for key in reversed(value) for one in (((place, key), value[key]), ((place, key), key)))
        elif isinstance(value, list):
            left += (((place, at), value[at]) for at in reversed(range(len(value))))


def _unescaped(string: str) -> str | None:
    """A string without one layer of escapes, if all its backslashes may be such, and one hardly is anything else."""
    if "\\" not in string or not _SURE_ESCAPE.search(string) or _DRIVE.search(string):
        return None
    try:
        return str(json.loads(f'"{string}"'))
    except ValueError:
        return None
