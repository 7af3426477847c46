"""How often each character of a text is passed, and how many calls go from file to file: `tools.benchmarks.passes`.

A character is passed by an expression, by a find in the text as it was given, or by the decoder. An expression that
does not match where it was tried passes one character. Finds in copies are not counted.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
from collections import Counter
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import Expression
from src.shared.infrastructure.llm_json import decode_llm_json
from tools.benchmarks.report import table

_OBJECT = json.dumps({"title": "Tea", "rows": [{"id": at, "note": "a few words"} for at in range(8)]}, indent=2)
_DAMAGED = _OBJECT.replace('"title"', "title").replace("},", "}", 2).replace("few words", 'few "words"', 3)
TEXTS = {
    "clean": _OBJECT,
    "fenced": f"Here it is:\n```json\n{_OBJECT}\n```\nI hope it helps.",
    "in prose": f"It is as follows:\n{_OBJECT}\nThat is all.",
    "refused": f"The first version: {_OBJECT}\nand the second: {_OBJECT.replace('Tea', 'Cake')}\nor neither.",
    "damaged": f"Here it is:\n```json\n{_DAMAGED[:-2]},\n}}\n```\nI hope it helps.",
}
BY, _ALL = ("expressions", "finds", "decoder"), sys.maxsize


class _Given(str):  # noqa: SLOT000 - it has what was passed
    passed: Counter[str]

    def find(self, part: str, start: int = 0, end: int = _ALL) -> int:  # type: ignore[override]  # strings take None
        at = super().find(part, start, end)
        self.passed["finds"] += (at if at >= 0 else min(end, len(self))) - start
        return at

    def __contains__(self, part: object) -> bool:
        return isinstance(part, str) and self.find(part) >= 0


def _expression(passed: Counter[str], method: Any, text: str, start: int = 0, end: int = _ALL) -> Any:  # noqa: ANN401
    found, is_whole = method(text, start, end), method.__name__ in {"search", "finditer"}
    last = found.end() if hasattr(found, "end") else min(end, len(text)) if is_whole else start
    passed["expressions"] += max(last - start, 1)
    return found


def _decoder(passed: Counter[str], method: Any, text: str, start: int) -> Any:  # noqa: ANN401 - as the decoder's method
    try:
        data, end = method(text, start)
    except ValueError as error:
        passed["decoder"] += getattr(error, "pos", start) - start
        raise
    passed["decoder"] += end - start
    return data, end


_METHODS = {**dict.fromkeys(("match", "fullmatch", "search", "finditer"), _expression), "scan_once": _decoder}


def read(*texts: str) -> None:
    """Decode texts, or have them refused."""
    for text in texts:
        with suppress(LLMJsonParseError):
            decode_llm_json(text)


def passes(text: str) -> Counter[str]:
    """How many characters are passed in reading a text, by what passes them."""
    read(text, f"{text} ")  # so that all expressions are compiled, and what is kept of the last text is of another
    given = _Given(text)
    given.passed = passed = Counter[str]()
    gc.unfreeze()  # what was frozen is not among the objects
    known = (one for one in gc.get_objects() if type(one) in {Expression, json.JSONDecoder})
    before = [(one, name, getattr(one, name)) for one in known for name in _METHODS if hasattr(one, name)]
    try:
        for one, name, method in before:
            setattr(one, name, partial(_METHODS[name], passed, method))
        read(given)
    finally:
        for one, name, method in before:
            setattr(one, name, method)
    return passed


def calls(text: str) -> Counter[bool]:
    """How many calls of our functions it takes: those inside of a file (False), and from one to another (True)."""
    read(text, f"{text} ")
    made, before = Counter[bool](), sys.getprofile()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_back and "/src/" in frame.f_code.co_filename:
            made[frame.f_back.f_code.co_filename != frame.f_code.co_filename] += 1

    sys.setprofile(note)
    read(text)
    sys.setprofile(before)
    return made


def main() -> None:
    """Print a row of the table for each text."""
    logging.disable()
    rows = []
    for name, text in TEXTS.items():
        passed, made = passes(text), calls(text)
        shares = (f"{one / len(text):.1f}" for one in (*map(passed.__getitem__, BY), passed.total()))
        rows.append((name, str(len(text)), *shares, str(made.total()), str(made[True])))
    print("\n".join(table(("text", "characters", *BY, "in all", "calls", "from file to file"), rows)))


if __name__ == "__main__":
    main()
