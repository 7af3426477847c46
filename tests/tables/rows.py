"""The tables as data: what their files hold, and the texts of a row."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
HERE = Path(__file__).parent


def table(name: str) -> dict[str, Any]:
    """A table by the name of its file."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


def calls() -> dict[str, Any]:
    """The table of calls, a row for each text: those of one outcome stand together there, by their names."""
    data = table("calls")
    rows = []
    for row in data["row"]:
        texts = row.pop("texts")
        if isinstance(texts, list):
            texts = {f"{row['name']} {number}": text for number, text in enumerate(texts, 1)}
        rows += [
            {**row, "name": name, **(text if isinstance(text, dict) else {"text": text})}
            for name, text in texts.items()
        ]
    return {**data, "row": rows}


CALLS = calls()
ANSWERS = table("answers")
DECISIONS = table("decisions")
TEXTS = (
    *("cut_off", "damages", "kept", "remarks", "scalars", "several_objects", "shapes", "signs"),
    *("strings_and_roots", "typed", "wrappings"),
)
"""Tables of texts and what is read of them, by what they are about."""
READINGS = {"answers": ANSWERS, "decisions": DECISIONS} | {name: table(name) for name in TEXTS}


def texts_of(row: Row) -> Iterator[tuple[str, Row]]:
    """Each text of a row, with what its row says of this text."""
    for text in row.get("texts") or [row["text"]]:
        for around in row.get("around", ("{}",)):
            for sign in row.get("signs", "¤"):
                said = {"at": sign, "value": json.dumps(sign, ensure_ascii=False)[1:-1]}
                expected = {key: row[key].replace("¤", one) for key, one in said.items() if key in row}
                yield around.replace("{}", text).replace("¤", sign), row | expected
