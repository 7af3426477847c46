"""The command: how often the parser takes the nearest reading, over small damaged texts.

python -m tests.reference_reader [--count N] [--seed N]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict

from tests.reference_reader.checking import Found, Small, is_covered, judged, read, reference_of, small_texts
from tests.reference_reader.grammar import EDIT
from tests.reference_reader.readings import Nearest
from tools.attack.quiet import quiet
from tools.attack.reader import Accepted, Reading
from tools.attack.tables import example, table

Judged = tuple[Small, Reading, Nearest | None]
_BROKEN = (Found.WRONG, Found.TIE_WRONG)
_ONE = (Found.READ, Found.REFUSED, Found.WRONG)
_MOST_LOST = 12


def main(arguments: list[str] | None = None) -> int:
    """Print the tables for one damage and for two."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference_reader")
    parser.add_argument("--count", type=int, default=1000, help="texts for one damage, and as many for two")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for damages in (1, 2):
        found = _found(options.count, options.seed, damages)
        print(f"{damages} damage{'s'[: damages - 1]}, seed {options.seed}\n")
        print(_counts(found), _examples(found), _lost(found), sep="\n\n", end="\n\n", flush=True)
    return 0


def _found(count: int, seed: int, damages: int) -> dict[Found, list[Judged]]:
    found: dict[Found, list[Judged]] = defaultdict(list)
    for small in small_texts(count, seed, damages):
        if is_covered(small.text):
            reading, reference = read(small.text), reference_of(small.text, further=EDIT)
            found[judged(reading, reference)].append((small, reading, reference))
    return found


def _counts(found: dict[Found, list[Judged]]) -> str:
    texts = {each: len(found[each]) for each in Found}
    one = texts[Found.READ] + texts[Found.REFUSED] + texts[Found.WRONG]
    tie = texts[Found.TIE_DECIDED] + texts[Found.TIE_REFUSED] + texts[Found.TIE_WRONG]
    rows: list[tuple[object, ...]] = [
        ("one", one, texts[Found.READ], texts[Found.REFUSED], texts[Found.WRONG]),
        ("several", tie, texts[Found.TIE_DECIDED], texts[Found.TIE_REFUSED], texts[Found.TIE_WRONG]),
        (
            "none in reach",
            texts[Found.FAR_READ] + texts[Found.FAR_REFUSED],
            "-",
            texts[Found.FAR_REFUSED],
            texts[Found.FAR_READ],
        ),
    ]
    rows.insert(1, ("one, by a whole edit", *(_clear(found, *each) for each in (_ONE, *((one,) for one in _ONE)))))
    return table(("nearest readings", "texts", "read", "refused", "wrong"), rows)


def _clear(found: dict[Found, list[Judged]], *among: Found) -> int:
    """How many have no reading with another value up to one edit further."""
    return sum(reference is not None and reference.lead is None for each in among for _, _, reference in found[each])


def _examples(found: dict[Found, list[Judged]]) -> str:
    """The shortest wrong text of each kind of damage."""
    shortest: dict[tuple[str, str], Judged] = {}
    for each in _BROKEN:
        for judgement in found[each]:
            key = (each.value, judgement[0].kinds[0])
            shortest[key] = min(judgement, shortest.get(key, judgement), key=lambda known: len(known[0].text))
    return "\n\n".join(_example(name, *judgement) for (name, _), judgement in shortest.items()) or "none is wrong"


def _example(name: str, small: Small, reading: Reading, reference: Nearest | None) -> str:
    got = reading.data if isinstance(reading, Accepted) else None
    near = reference.values[:3] if reference else []
    return example(f"{name}: {' + '.join(small.kinds)}", text=small.text, got=got, nearest=near)


def _lost(found: dict[Found, list[Judged]]) -> str:
    """The kinds of damage that are refused most often though one reading is nearest, with the shortest text."""
    lost = Counter(kind for small, _, _ in found[Found.REFUSED] for kind in small.kinds)
    read_too = Counter(kind for small, _, _ in found[Found.READ] for kind in small.kinds)
    texts: dict[str, str] = {}
    for small, _, _ in found[Found.REFUSED]:
        for kind in small.kinds:
            texts[kind] = min(small.text, texts.get(kind, small.text), key=len)
    rows = [(kind, number, read_too[kind], repr(texts[kind])) for kind, number in lost.most_common(_MOST_LOST)]
    return table(("refused though one is nearest", "refused", "read", "shortest"), rows)


if __name__ == "__main__":
    quiet()
    sys.exit(main())
