"""How often a damaged text is gone over, and how often its reading goes from one file to another.

python -m benchmarks.passes [--size 3]

The text is a report with quoted words, raw line ends and trailing commas, a draft, a fence and prose. A pass of a
character is counted wherever an expression of the project goes over it: as far as it matched, or all that it searched.
A move is a call from a function of one of the project's files to one of another. What Python's own methods and the
standard decoder go over is not counted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from src.shared.domain import expression as expressions

ROOT = str(Path(__file__).parents[1] / "src")
SEARCHES = frozenset({"search", "finditer", "findall", "split", "sub"})
passed: Counter[str] = Counter()
"""Characters gone over, by expression."""


class CountingExpression(expressions.Expression):
    """Compiled at once, counts the characters that each call goes over."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Wrap the methods of the compiled expression."""
        super().__init__(pattern, flags)
        compiled = re.compile(pattern, flags)
        for name in ("match", "fullmatch", *SEARCHES):
            setattr(self, name, self._counting(name, getattr(compiled, name)))

    def _counting(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:  # noqa: ANN401 - whatever the method takes and gives
            found = method(*arguments)
            text, at, end = _searched(name, arguments)
            if isinstance(found, re.Match):
                end = found.end()
            elif name not in SEARCHES:
                end = at
            passed[self.pattern] += max(min(end, len(text)) - at, 0)
            return found

        return call


def _searched(name: str, arguments: tuple[Any, ...]) -> tuple[str, int, int]:
    """The text of a call, and the offsets between which it looks."""
    text, *bounds = arguments[1:] if name == "sub" else arguments
    if name in {"sub", "split"}:
        return text, 0, len(text)
    return text, bounds[0] if bounds else 0, bounds[1] if len(bounds) > 1 else len(text)


def main(arguments: list[str] | None = None) -> int:
    """Print the size of the text, the passes a character, and the moves between files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.passes")
    parser.add_argument("--size", type=int, default=3, help="KB of the clean text")
    size = parser.parse_args(arguments).size
    expressions.expression = CountingExpression  # type: ignore[assignment]  # before the reader is imported
    from benchmarks.documents import KB, Report, build  # noqa: PLC0415
    from benchmarks.reports import everything  # noqa: PLC0415
    from src.shared.infrastructure.llm_json import parse_llm_json_output  # noqa: PLC0415

    text, expected = everything(build(size * KB))
    for _ in range(2):  # what is loaded with the first text is not counted
        passed.clear()
        moves, read = _moves(lambda: parse_llm_json_output(text, Report))
    is_right = read == Report.model_validate(expected)
    print(f"{len(text):,} characters, {'right' if is_right else 'not right'}")
    print(f"{passed.total() / len(text):.1f} passes of a character, {moves:,} moves between files")
    for pattern, count in passed.most_common(5):
        print(f"  {count / len(text):5.2f}  {' '.join(pattern.split())[:100]}")
    return int(not is_right)


def _moves(call: Callable[[], Any]) -> tuple[int, Any]:
    """How often a function of the project is called from another of its files, and what the call gives."""
    count = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        caller = frame.f_back
        if event != "call" or caller is None:
            return
        files = frame.f_code.co_filename, caller.f_code.co_filename
        count += files[0] != files[1] and all(file.startswith(ROOT) for file in files)

    sys.setprofile(note)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return count, result


if __name__ == "__main__":
    sys.exit(main())
