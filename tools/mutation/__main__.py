"""The command: change the code that reads and repairs, and see whether a test notices.

python -m tools.mutation [--count N] [--seed N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tools.mutation.run import Copy, End, Ended
from tools.mutation.sample import mutants, sampled

_ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Try half of the mutants on the code, half on the expressions; print the rates and what survived."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation")
    parser.add_argument("--count", type=int, default=30, help="changes to try, half of the code, half of expressions")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    half = (options.count + 1) // 2
    names = ("code", "expressions")
    found = mutants(_ROOT)
    chosen = [
        sampled(_ROOT, of, size, options.seed) for of, size in zip(found, (half, options.count - half), strict=True)
    ]
    print(
        f"seed {options.seed}: "
        + ", ".join(f"{len(c)} of {len(of)} {n}" for n, of, c in zip(names, found, chosen, strict=True)),
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        ended = []
        for each in Copy(_ROOT, Path(folder)).run([mutant for of in chosen for mutant in of]):
            print(f"{each.end:8} {each.seconds:5.0f} s  {each.mutant}", flush=True)
            ended.append(each)
    print("\n" + summary(names[0], ended[: len(chosen[0])]) + "\n" + summary(names[1], ended[len(chosen[0]) :]))
    return 0


def summary(name: str, ended: list[Ended]) -> str:
    """The rate, and every mutant that survived."""
    counts = Counter(each.end for each in ended)
    tried = counts[End.KILLED] + counts[End.SURVIVED]
    rate = f", {counts[End.KILLED] / tried:.0%}" if tried else ""
    said = f"{name}: {counts[End.KILLED]} of {tried} killed{rate}; {counts[End.BROKEN]} broken"
    return "\n".join([said, *(f"  survived  {each.mutant}" for each in ended if each.end is End.SURVIVED)])


if __name__ == "__main__":
    sys.exit(main())
