"""The command: what frameworks make of recorded outputs, alone and with this project's parser; writes the page.

python -m tools.benchmarks.frameworks [--output FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.benchmarks import accuracy, environment
from tools.benchmarks.accuracy import Counts, Group
from tools.benchmarks.forms import ROOT
from tools.benchmarks.framework_peers import FRAMEWORKS
from tools.benchmarks.peers import Peer
from tools.benchmarks.report import table
from tools.benchmarks.verdict import Verdict

_REAL = "real outputs, "
_ONE = "real outputs, one object, "
_SHOWN = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED, Verdict.ACCEPTED, Verdict.OVER_BUDGET, Verdict.CRASHED)


def main(arguments: list[str] | None = None) -> int:
    """Count and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="frameworks", description="What frameworks make of recorded outputs.")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "explanation", help="folder of the page")
    output: Path = parser.parse_args(arguments).output
    texts = tuple(group for group in accuracy.groups() if group.name.startswith(_REAL))
    if not texts:
        print("nothing to read: the texts are kept beside the project, and are absent", file=sys.stderr)
        return 1
    present = tuple(peer for peer in FRAMEWORKS if environment.version(peer))
    for peer in FRAMEWORKS:
        if peer not in present:
            print(f"absent: {peer.name}, which needs {peer.package}")
    counts = accuracy.count(present, texts, print)
    output.mkdir(parents=True, exist_ok=True)
    (output / "frameworks.md").write_text(page(present, texts, counts), "utf-8")
    print(f"written: {output / 'frameworks.md'}")
    return 0


def page(peers: tuple[Peer, ...], texts: tuple[Group, ...], counts: Counts) -> str:
    """The whole page as Markdown."""
    head = Path(__file__).with_suffix(".md.template").read_text("utf-8")
    whole = tuple(group for group in texts if group.name.startswith(_ONE))
    others = tuple(group for group in texts if group not in whole)
    lines = [*_read_with(peers), *_table("One object in the text", whole, peers, counts)]
    for group in others:
        name = group.name.removeprefix(_REAL)
        lines += _table(name[:1].upper() + name[1:], (group,), peers, counts)
    return head + "\n".join(lines)


def _read_with(peers: tuple[Peer, ...]) -> Iterator[str]:
    yield "## Read with"
    yield ""
    rows = ((peer.name, environment.version(peer) or "", peer.note) for peer in peers)
    yield from table(("framework", "version", "how it is called"), rows, align="---")


def _table(title: str, groups: tuple[Group, ...], peers: tuple[Peer, ...], counts: Counts) -> Iterator[str]:
    """The verdicts of several groups together."""
    sums = {peer: sum((counts[group.name, peer.name] for group in groups), Counter[Verdict]()) for peer in peers}
    shown = [verdict for verdict in _SHOWN if any(count[verdict] for count in sums.values())]
    yield f"## {title}: {sum(len(group.cases) for group in groups)} texts"
    yield ""
    rows = ((peer.name, *(str(count[verdict]) for verdict in shown)) for peer, count in sums.items())
    yield from table(("framework", *shown), rows)


if __name__ == "__main__":
    sys.exit(main())
