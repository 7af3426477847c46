"""Rows in the styles of models, one or two at once, and slips in them."""

import json
from collections.abc import Callable
from itertools import combinations
from typing import Any

ROWS = [{"name": f"row {number}", "note": "it is so", "ok": True, "no": None, "n": [number, 2]} for number in range(40)]
TEXT = json.dumps({"rows": ROWS}, ensure_ascii=False)


def _bare(text: str) -> str:
    for key in ("rows", "name", "note", "ok", "no", "n"):
        text = text.replace(f'"{key}":', f"{key}:")
    return text


def _curly(text: str) -> str:
    parts = text.split('"')
    return "".join(part + ("“" if number % 2 == 0 else "”") for number, part in enumerate(parts[:-1])) + parts[-1]


STYLES: dict[str, Callable[[str], str]] = {
    "Python's repr": lambda text: repr(json.loads(text)),
    "keys without quotes": _bare,
    "full-width signs": lambda text: text.translate(dict(zip(map(ord, "{}[],:"), "｛｝［］，：", strict=True))),
    "curly quotes": _curly,
    "trailing commas": lambda text: text.replace("]", ",]").replace("}", ",}"),
    "raw line ends": lambda text: text.replace("it is", "it\nis"),
    "quoted words": lambda text: text.replace("it is", 'it "really" is'),
    "quoted words at the end": lambda text: text.replace("is so", 'is "so"'),
}
SLIPS: dict[str, Callable[[str], str]] = {
    "a doubled comma": lambda text: _in_the_middle(text, ", ", ",, "),
    "a comma that is missing": lambda text: _in_the_middle(text, "}, ", "} "),
}


def _in_the_middle(text: str, old: str, new: str) -> str:
    at = text.find(old, len(text) // 2)
    return text[:at] + new + text[at + len(old) :] if at >= 0 else text.replace("}， ", "} ", 1)


def meant_by(style: str) -> Any:  # noqa: ANN401 - a JSON value
    if style in {"raw line ends", "quoted words", "quoted words at the end"}:
        return json.loads(json.dumps(json.loads(TEXT)), object_hook=lambda made: _changed(made, style))
    return json.loads(TEXT)


def _changed(made: dict[str, Any], style: str) -> dict[str, Any]:
    notes = {
        "raw line ends": "it\nis so",
        "quoted words": 'it "really" is so',
        "quoted words at the end": 'it is "so"',
    }
    return {**made, "note": notes[style]} if "note" in made else made


MORE_SLIPS: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    **SLIPS,
    "a comma of a member that is missing": lambda text: _in_the_middle(text, ", ", " "),
    "a comment": lambda text: _in_the_middle(text, ", ", ", /* so */ "),
    "a colon that is missing": lambda text: _in_the_middle(text, ": ", " "),
    "one trailing comma": lambda text: text[:-1] + ",}" if text.endswith("}") else text,
}
AMBIGUOUS = {"a colon that is missing", "a comma of a member that is missing"}
"""Beside a key without quotes, which may then be text: read, or refused."""


def in_styles(styles: tuple[str, ...], count: int) -> tuple[str, Any]:
    """So many rows as text in these styles, and what they mean."""
    rows: list[dict[str, Any]] = [{**ROWS[0], "name": f"row {number}", "n": [number, 2]} for number in range(count)]
    document = {"rows": rows}
    text = json.dumps(document, ensure_ascii=False)
    for style in sorted(styles, key=lambda style: style != "Python's repr"):
        text = STYLES[style](text)
    for style in styles:
        document = {"rows": [_changed(row, style) if style in WORDED else row for row in document["rows"]]}
    return text, document


WORDED = {"raw line ends", "quoted words", "quoted words at the end"}
PAIRS = [(style,) for style in STYLES] + [pair for pair in combinations(STYLES, 2) if not set(pair) <= WORDED]
