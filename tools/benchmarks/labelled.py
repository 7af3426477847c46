"""Texts whose reading is known, of every kind that is at hand, and what the parser makes of them.

`python -m tools.benchmarks.labelled` prints for each corpus how many are right, refused and wrong, and which are not
right. It ends with exit code 1 if one is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json, parse_llm_json_output_with_trace
from tests.corpus.wanted import type_of
from tests.tables import types
from tests.tables.rows import READINGS, texts_of
from tools.attack.budget import Budget
from tools.attack.damaged import damaged_document
from tools.attack.quiet import quiet
from tools.attack.tables import table
from tools.benchmarks.accuracy import CORPUS

_TESTS = Path(__file__).parents[2] / "tests"
NOT_ASKED_FOR = ("truncated", "no-json", "several", "xml-tags")
"""Kinds of real outputs whose expected value is not what the parser is to give."""
REAL_FILTER = f"objects of real_outputs.jsonl without the kinds {', '.join(NOT_ASKED_FOR)}"
OTHERWISE_BY_DESIGN: dict[str, Any] = {
    "ai-formats/double-encoded": {"a": 1},
    "concat/ndjson-comments": {},
    "literals/nan": {"a": float("nan")},
    "literals/infinity": [float("inf"), float("-inf")],
}
"""Cases of jsonmend's corpus whose value is another one here: JSON in a string is read, equal objects are one answer,
and NaN is a number."""
TO_BE_READ = (
    *("ai-formats/url-query-params", "commas/leading-array", "commas/missing-after-string", "commas/semicolon-sep"),
    *("comments/comment-bracket-shield", "comments/comments-actions", "keys/missing-colon-bare"),
    *("literals/undefined-array", "literals/literal-then-prose", "literals/unquoted-array"),
    *("literals/unquoted-url-array", "markdown-fence/fenced-tuple", "numbers/unicode-minus"),
    *("structure/redundant-close-many", "structure/bracket-brace", "structure/brace-bracket"),
    *("structure/array-key-colon-clean", "structure/tuple", "structure/tuple-nested"),
)
"""The nineteen cases of it that a careful reader reads and that were refused when this was written."""


_SHOWN = 20
"""Names of refused texts that are printed of each corpus."""


class Verdict(StrEnum):
    """What came of a text."""

    RIGHT = "right"
    REFUSED = "refused"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text whose reading is known.

    Attributes:
        name: its id.
        text: what is read.
        accepted: the values it may have; none where it is to be refused.
        dto_type: what it is read into; None for `decode_llm_json`.
        options: of the call.
    """

    name: str
    text: str
    accepted: tuple[Any, ...]
    dto_type: Any = None
    options: dict[str, Any] = field(default_factory=dict)


class Reading(NamedTuple):
    """What came of a text; `decoded` is None where it is refused."""

    verdict: Verdict
    decoded: DecodedJson[Any] | None


def read(one: Labelled) -> Reading:
    """Read a text and judge the result; refusing is right only where it is to be refused."""
    try:
        if one.dto_type is None:
            decoded = decode_llm_json(one.text, **one.options)
            value = decoded.data
        else:
            parsed = parse_llm_json_output_with_trace(one.text, one.dto_type, **one.options)
            decoded, value = parsed.decoded, _as_json(parsed.value, one.dto_type)
    except LLMJsonParseError:
        return Reading(Verdict.REFUSED if one.accepted else Verdict.RIGHT, None)
    is_right = any(_written(value) == _written(accepted) for accepted in one.accepted)
    return Reading(Verdict.RIGHT if is_right else Verdict.WRONG, decoded)


def _as_json(value: Any, dto_type: Any) -> Any:  # noqa: ANN401 - any value of any type
    return TypeAdapter(dto_type).dump_python(value, mode="json")


def _written(value: object) -> str:
    """A value as text that is the same for equal values: 1 is not 1.0, NaN is NaN, the order of keys is nothing."""
    return json.dumps(value, sort_keys=True)


def own_outputs() -> Iterator[Labelled]:
    """The project's own corpus of outputs: those whose value is known."""
    for row in rows_of(_TESTS / "corpus/own/outputs.jsonl"):
        if row.get("expected") is not None:
            yield Labelled(row["id"], row["text"], (row["expected"],), options={"root": "any"})


def own_readings() -> Iterator[Labelled]:
    """The project's own corpus of minimal texts."""
    return _wanted(_TESTS / "corpus/own/readings.jsonl", "own")


def recorded_readings() -> Iterator[Labelled]:
    """The recorded readings: texts that are read as what they were made from."""
    for number, (_, text, reading) in enumerate(rows_of(_TESTS / "recorded_readings/readings.jsonl")):
        if "value" in reading:
            yield Labelled(f"recorded {number}", text, (reading["value"],), options={"root": "any", "finished": True})


def table_rows() -> Iterator[Labelled]:
    """The rows of the tests' tables that are read, or are refused as such; known failures too."""
    rows = (
        row for name, one in READINGS.items() if name != "kept" for row in one["row"]
    )  # what is kept is no whole one
    for row in rows:
        for text, expected in texts_of(row):
            accepted = (json.loads(expected["value"]),) if "value" in expected else ()
            dto_type = types.type_of(row["type"]) if "type" in row else None
            yield Labelled(row["name"], text, accepted, dto_type, row.get("options", {}))


def real_outputs() -> Iterator[Labelled]:
    """Real outputs whose value is an object, apart from kinds that are asked for otherwise."""
    for row in rows_of(CORPUS / "real_outputs.jsonl"):
        if is_asked_for(row):
            yield Labelled(row["id"], row["text"], (row["expected"],))


def is_asked_for(row: dict[str, Any]) -> bool:
    """Whether a row of real outputs passes `REAL_FILTER`."""
    return isinstance(row.get("expected"), dict) and row.get("kind") not in NOT_ASKED_FOR


def wrong_readings() -> Iterator[Labelled]:
    """Minimal texts that an earlier edition read wrongly."""
    return _wanted(CORPUS / "wrong_readings.jsonl", "wrong")


def jsonmend_cases() -> Iterator[Labelled]:
    """Another library's cases; where the design says so, with another value."""
    for row in rows_of(CORPUS / "cases_jsonmend.jsonl"):
        name = row["id"]
        accepted = row.get("accepted") or [row[key] for key in ("expected",) if key in row]
        if row.get("check") != "valid":  # any value will do there
            also = [OTHERWISE_BY_DESIGN[name]] if name in OTHERWISE_BY_DESIGN else []
            yield Labelled(name, row["input"], (*accepted, *also), options={"root": "any"})


def jsonmend_to_be_read() -> Iterator[Labelled]:
    """Those of them that were refused and should be read."""
    return (one for one in jsonmend_cases() if one.name in TO_BE_READ)


def pool() -> Iterator[Labelled]:
    """The texts of the pool that hold one object of strict JSON and no other bracket."""
    for row in rows_of(CORPUS / "pool_30k.jsonl.gz"):
        value = only_object(row["text"])
        if value is not None:
            yield Labelled(row["id"], row["text"], (value,))


def attacked(kinds: int, count: int, seeds: tuple[int, ...]) -> Iterator[Labelled]:
    """Texts of the attack with so many kinds of damage; what is strict JSON after one of them may have that value."""
    for seed in seeds:
        for number, rng in Budget(count=count).turns(seed):
            made = damaged_document(number, rng)
            if made is not None and len(made.kinds) == kinds:
                yield Labelled(f"{seed}/{number}", made.text, (made.document, *made.plain), options={"finished": True})


def only_object(text: str) -> dict[str, Any] | None:
    """The object of a text that holds one in strict JSON, without a key that stands twice, and no other bracket."""
    start = text.find("{")
    try:
        value, end = _strict().raw_decode(text, max(start, 0))
    except (ValueError, RecursionError):
        return None
    outside = text[:start] + text[end:]
    return value if start >= 0 and not any(sign in outside for sign in "{}[]") else None


@cache
def _strict() -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_distinct)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


CORPORA: dict[str, Callable[[], Iterator[Labelled]]] = {
    "own corpus": own_outputs,
    "own minimal texts": own_readings,
    "recorded readings": recorded_readings,
    "tables of cases": table_rows,
    "real outputs": real_outputs,
    "wrong readings": wrong_readings,
    "jsonmend's cases": jsonmend_cases,
    "the nineteen of them to be read": jsonmend_to_be_read,
    "pool": pool,
}


def main(arguments: list[str] | None = None) -> int:
    """Print a row for each corpus, and the names of what is not right."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.labelled")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=[*CORPORA], metavar="CORPUS")
    found = {name: judged(CORPORA[name]()) for name in parser.parse_args(arguments).only}
    print(f"real outputs: {REAL_FILTER}\npool: texts with one object, of strict JSON, and no other bracket\n")
    counts = [[len(names[verdict]) for verdict in Verdict] for names in found.values()]
    rows = ((name, sum(each), *each) for name, each in zip(found, counts, strict=True))
    print(table(("corpus", "texts", *Verdict), rows))
    for name, names in found.items():
        for verdict, most in ((Verdict.WRONG, None), (Verdict.REFUSED, _SHOWN)):
            if names[verdict]:
                left_out = "" if most is None or len(names[verdict]) <= most else " …"
                print(f"\n{name}, {verdict}: {', '.join(names[verdict][:most])}{left_out}")
    return int(any(names[Verdict.WRONG] for names in found.values()))


def judged(texts: Iterable[Labelled]) -> dict[Verdict, list[str]]:
    """The names of the texts by what comes of them."""
    found: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    for one in texts:
        found[read(one).verdict].append(one.name)
    return found


def _wanted(file: Path, name: str) -> Iterator[Labelled]:
    for number, row in enumerate(rows_of(file)):
        accepted = () if row["want"] == "refuse" else (row["want"],)
        dto_type = None if row["type"] is None else type_of(row["type"])
        yield Labelled(f"{row.get('cluster', name).split()[0]} {number}", row["text"], accepted, dto_type)


def rows_of(file: Path) -> Iterator[Any]:
    """The rows of a file of lines of JSON, packed or not; none where there is no such file."""
    if file.is_file():
        opened: Callable[..., Any] = gzip.open if file.suffix == ".gz" else open
        with opened(file, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


if __name__ == "__main__":
    quiet()
    sys.exit(main())
