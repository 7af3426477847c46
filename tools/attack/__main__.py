"""The command.

python -m tools.attack damage [--minutes N] [--count N] [--seed N]
python -m tools.attack cuts   [--minutes N] [--count N] [--seed N]
python -m tools.attack calls  [--minutes N] [--count N] [--seed N]
python -m tools.attack duels  [--minutes N] [--count N] [--seed N]
python -m tools.attack repairs [--minutes N] [--count N] [--seed N]
python -m tools.attack streams [--minutes N] [--count N] [--seed N]
python -m tools.attack parts   [--minutes N] [--count N] [--seed N]
python -m tools.attack hostile [--minutes N] [--count N] [--seed N]
python -m tools.attack all    [--minutes N] [--seed N]

Exit code 1 where a promise was broken, else 0. A seed always makes the same texts; the budget says how many of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

from tools.attack import calls, cuts, damage, duels, hostile, parts, repairs, streams
from tools.attack.budget import Budget
from tools.attack.quiet import quiet

_MINUTE = 60.0


class Report(Protocol):
    """What an attack gives back."""

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""

    def text(self) -> str:
        """Write the tables and the examples."""


class Attack(NamedTuple):
    """An attack: how it is run, how far where nobody says, and its share of the time when all are run.

    One without a share is only run by its name.
    """

    run: Callable[[Budget, int], Report]
    budget: Budget
    share: float


ATTACKS = {
    "damage": Attack(damage.attack, Budget(seconds=_MINUTE), 0.25),
    "cuts": Attack(cuts.attack, Budget(count=100_000), 0.2),
    "calls": Attack(calls.attack_both, Budget(count=20_000), 0.1),
    "duels": Attack(duels.attack, Budget(count=10_000), 0.15),
    "parts": Attack(parts.attack, Budget(count=10_000), 0.1),
    "repairs": Attack(repairs.attack, Budget(count=3_300), 0.1),
    "streams": Attack(streams.attack, Budget(count=20_000), 0.1),
    "hostile": Attack(hostile.attack, Budget(seconds=_MINUTE), 0),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the attacks asked for; return the exit code."""
    options = _options(arguments)
    everything = options.attack == "all"
    names = [name for name, attack in ATTACKS.items() if attack.share] if everything else [options.attack]
    broken = False
    for name in names:
        attack = ATTACKS[name]
        seconds = options.minutes and options.minutes * _MINUTE * (attack.share if everything else 1)
        budget = Budget(options.count, seconds) if options.count or seconds else attack.budget
        print(f"{name}, seed {options.seed}\n", flush=True)
        report = attack.run(budget, options.seed)
        print(report.text(), end="\n\n", flush=True)
        broken = broken or report.broken
    return int(broken)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.attack")
    parser.add_argument("attack", choices=[*ATTACKS, "all"])
    parser.add_argument("--minutes", type=float, help="time to go on for; with `all`, shared between them")
    parser.add_argument("--count", type=int, help="texts, cuts, calls, duels, answers of a repair, streams or families")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    quiet()
    sys.exit(main())
