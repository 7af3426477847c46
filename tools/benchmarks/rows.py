"""Tables of many short rows, in every style of writing and every pair of styles: right, linear, and how fast.

python -m tools.benchmarks.rows [--sizes 1 5 30 150 2000] [--only WORDS] [--all]

A line is printed of each size, and of each table that is not read right, takes longer than json_repair, or grows
faster than its length from the second largest size to the largest; `--all` prints every table. json_repair has to be
installed (`.cache/bench/bin/python`). It is compared with on damaged tables that it reads right, as elsewhere it may
have stopped early; a table counts as slower from 30 rows on, as in shorter ones what is done once for each text weighs
more. Times are the least of several, in processor time. Exit code 1 if there is such a table.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tools.attack.quiet import quiet
from tools.attack.tables import table
from tools.benchmarks.reports import json_repair
from tools.benchmarks.writing import Damage, Token, rewritten, tokens

SIZES = (1, 5, 30, 150, 2000)
"""Rows of a table."""
MOST_GROWTH = 2.0
"""How many times as long a character of the largest table may take as one of the second largest."""
_REPEATS = 3
_ENOUGH = 0.3
"""Seconds after which a text is not read once more."""
_INDENT = "\n    "
COMPARED = 30
"""Rows from which on a table must not take longer than with json_repair."""
_LEAST_TIME = 5e-5
"""Seconds below which growth is not measured: what is done once for a text is longer than that."""


@dataclass(frozen=True, slots=True)
class Style:
    """A way in which models write tables.

    Attributes:
        name: what it is called.
        damages: what is done to the tokens of clean JSON.
        quotes: whether it says how strings are quoted; of two such styles each has every second row.
        words: what the note of a row has besides: the styles of a table say all of theirs.
        is_in_lines: whether each member stands on a line.
        has_commas: whether there are commas between the rows.
        has_comments: whether there is a comment behind each row.
    """

    name: str
    damages: tuple[Damage, ...] = ()
    quotes: bool = False
    words: tuple[str, ...] = ()
    is_in_lines: bool = False
    has_commas: bool = True
    has_comments: bool = False


class Table(NamedTuple):
    """Rows of one shape in one or two styles."""

    shape: str
    styles: tuple[Style, ...]

    def __str__(self) -> str:
        """Its name."""
        return f"{self.shape}: {' + '.join(style.name for style in self.styles) or 'clean'}"

    def written(self, count: int) -> tuple[str, Any]:
        """So many rows as text, and what they mean."""
        words = [style.words for style in self.styles if style.words]
        rows = [
            SHAPES[self.shape](at, " ".join(each[at % len(each)] for each in words) or "really") for at in range(count)
        ]
        pieces = [self._row(row, at) for at, row in enumerate(rows)]
        before, after, comma = self._around()
        comma = comma if all(style.has_commas for style in self.styles) else ""
        commented = any(style.has_comments for style in self.styles)
        ends = (f"{comma} // row {at}{_INDENT}" if commented else comma + _INDENT for at in range(count - 1))
        text = before + "".join(piece + end for piece, end in zip(pieces, [*ends, ""], strict=True)) + after
        return text, {"rows": rows}

    def _damages(self, at: int) -> tuple[Damage, ...]:
        """What is done to a row: by the style of its quotes first, as the others go by what it leaves."""
        quoting = [style for style in self.styles if style.quotes]
        others = [style for style in self.styles if not style.quotes]
        chosen = [quoting[at % len(quoting)], *others] if quoting else others
        return tuple(damage for style in chosen for damage in style.damages)

    def _row(self, row: dict[str, Any], at: int) -> str:
        clean = list(tokens(row, _INDENT))
        if not any(style.is_in_lines for style in self.styles):
            before = ["", *(token.kind for token in clean)]
            clean = [
                replace(token, text=" " if kind in {"comma", "colon"} else "") if token.kind == "space" else token
                for kind, token in zip(before, clean, strict=False)
            ]
        return "".join(token.text for token in rewritten(clean, self._damages(at)))

    def _around(self) -> tuple[str, str, str]:
        """What stands before the rows and behind them, and a comma."""
        made = rewritten(tokens({"rows": [0, 0]}, "\n"), self._damages(0))
        scalars = [at for at, token in enumerate(made) if token.kind == "scalar"]
        before, after = made[: scalars[0]], made[scalars[1] + 1 :]
        return (
            "".join(token.text for token in before),
            "".join(token.text for token in after),
            made[scalars[0] + 1].text,
        )


def _notes(at: int, words: str) -> dict[str, Any]:
    sentences = ("it is {} so", "the {} price since May", "see {} page 3, line 4", "结论 {} 见附录")
    return {"id": at, "note": sentences[at % len(sentences)].format(words), "ok": at % 3 > 0}


def _dense(at: int, words: str) -> dict[str, Any]:
    note = f"a {words} b" if words != "really" else "ab"
    return {"id": at, "x": at * 7 % 100 / 4, "s": note, "ok": at % 2 > 0, "no": None, "n": [at, 2]}


SHAPES: dict[str, Callable[[int, str], dict[str, Any]]] = {"rows with a note": _notes, "dense rows": _dense}


def _quoted(opening: str, closing: str) -> tuple[Damage, ...]:
    def quote(token: Token) -> str:
        return opening + token.text[1:-1].replace('\\"', '"') + closing

    return Damage("key", quote), Damage("string", quote)


def _python_word(token: Token) -> str:
    return repr(token.value)


_SINGLE = _quoted("'", "'")
_PYTHON_WORDS = Damage("scalar", _python_word, lambda token: token.value is None or isinstance(token.value, bool))


def _wide(token: Token) -> str:
    return token.text.translate(dict(zip(map(ord, "{}[],:"), "｛｝［］，：", strict=True)))


STYLES = (
    Style("single quotes", _SINGLE, quotes=True),
    Style("single quotes, apostrophes", _SINGLE, quotes=True, words=("isn't", "Bob's", "don't")),
    Style(
        "Python's",
        (
            Damage("key", lambda token: repr(token.value)),
            Damage("string", lambda token: repr(token.value)),
            _PYTHON_WORDS,
        ),
        quotes=True,
    ),
    Style("smart quotes", _quoted("“", "”"), quotes=True),
    Style("bare keys", (Damage("key", lambda token: str(token.value)),)),
    Style("inner quotes", (Damage("string", lambda token: token.text.replace('\\"', '"')),), words=('"really"',)),
    Style(
        "full-width signs",
        (Damage("open", _wide), Damage("close", _wide), Damage("comma", _wide), Damage("colon", _wide)),
    ),
    Style("trailing commas", (Damage("end", lambda _: ","),)),
    Style("words of Python", (_PYTHON_WORDS,)),
    Style("one member a line", is_in_lines=True),
    Style("rows without commas", has_commas=False),
    Style("a comment a row", has_comments=True),
)


def tables() -> Iterator[Table]:
    """Every style and pair of styles in every shape; a pair that is written as one of its styles is left out."""
    for shape in SHAPES:
        seen: set[str] = set()
        for styles in ((), *((style,) for style in STYLES), *combinations(STYLES, 2)):
            made = Table(shape, styles)
            text, _ = made.written(3)
            if text not in seen:
                yield made
            seen.add(text)


class Measured(NamedTuple):
    """What came of a table of one size: seconds of ours, and of json_repair where it reads it right, else None."""

    verdict: str
    length: int
    seconds: float
    peer: float | None

    @property
    def ratio(self) -> float:
        """Our time as a multiple of json_repair's; 0 where there is nothing to compare."""
        return self.seconds / self.peer if self.peer else 0.0


def measure(made: Table, count: int, peer: Callable[[str], object] | None) -> Measured:
    """Read so many rows."""
    text, expected = made.written(count)
    seconds = _least(partial(_read, text))
    is_compared = not _is_clean(text) and peer is not None and verdict(_value_of(peer, text), expected) == "right"
    compared = _least(partial(peer, text)) if peer is not None and is_compared else None
    return Measured(verdict(_read(text), expected), len(text), seconds, compared)


def _value_of(peer: Callable[[str], object], text: str) -> object:
    """What another library reads; None where it gives up, as json_repair does where it would recurse too deeply."""
    with suppress(ValueError):
        return peer(text)
    return None


def verdict(value: Any, expected: Any) -> str:  # noqa: ANN401 - any JSON value
    """Whether a text is read right; None is refused."""
    if value is None:
        return "refused"
    return "right" if json.dumps(value, sort_keys=True) == json.dumps(expected, sort_keys=True) else "wrong"


def _is_clean(text: str) -> bool:
    """Whether a text is strict JSON: that json_repair reads with the standard decoder."""
    with suppress(ValueError):
        json.loads(text)
        return True
    return False


def growth(found: dict[int, Measured]) -> float:
    """How many times as long a character of the largest table takes as one of the second largest."""
    if len(found) < 2 or found[sorted(found)[-2]].seconds < _LEAST_TIME:  # noqa: PLR2004 - two are compared
        return 0.0
    small, large = (found[size].seconds / found[size].length for size in sorted(found)[-2:])
    return large / small


def _read(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return decode_llm_json(text).data
    except LLMJsonParseError:
        return None


def _least(run: Callable[[], object]) -> float:
    times: list[float] = []
    while len(times) < _REPEATS and sum(times) < _ENOUGH:
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.rows")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="rows")
    parser.add_argument("--only", default="", help="tables whose name has these words")
    parser.add_argument("--all", action="store_true", help="print every table")
    options = parser.parse_args(arguments)
    peer = json_repair()
    for made in tables():
        _read(made.written(2)[0])  # what is loaded with the first text is not measured
    chosen = [made for made in tables() if options.only in str(made)]
    found = {made: {size: measure(made, size, peer) for size in options.sizes} for made in chosen}
    print(
        table(
            ("rows", "tables", "right", "refused", "wrong", "µs/row", "x json_repair", "at most", "over it"),
            _by_size(found),
        )
    )
    bad = [made for made, sizes in found.items() if is_bad(sizes)]
    shown = chosen if options.all else bad
    print(f"\n{len(bad)} of {len(chosen)} tables are not right, take longer than json_repair, or are not linear")
    if shown:
        header = ("table", *(f"{size} rows" for size in options.sizes), "growth")
        print("\n" + table(header, (_line(made, found[made]) for made in shown)))
    return int(bool(bad))


def is_bad(sizes: dict[int, Measured]) -> bool:
    """Whether a table is not read right, takes longer than json_repair, or grows faster than its length."""
    is_slow = any(one.ratio > 1 for size, one in sizes.items() if size >= COMPARED)
    return is_slow or growth(sizes) > MOST_GROWTH or any(one.verdict != "right" for one in sizes.values())


def _by_size(found: dict[Table, dict[int, Measured]]) -> Iterator[tuple[object, ...]]:
    for size in next(iter(found.values()), {}):
        measured = [sizes[size] for sizes in found.values()]
        verdicts = Counter(one.verdict for one in measured)
        ratios = [one.ratio for one in measured if one.peer] or [0.0]
        yield (
            *(size, len(measured), verdicts["right"], verdicts["refused"], verdicts["wrong"]),
            f"{median(one.seconds for one in measured) / size * 1e6:.1f}",
            *(f"{median(ratios):.2f}", f"{max(ratios):.2f}", sum(ratio > 1 for ratio in ratios)),
        )


def _line(made: Table, sizes: dict[int, Measured]) -> tuple[str, ...]:
    cells = (f"{one.verdict} {one.seconds * 1e3:.1f} ms {one.ratio:.2f} x" for one in sizes.values())
    return str(made), *cells, f"{growth(sizes):.2f}"


if __name__ == "__main__":
    quiet()
    sys.exit(main())
