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
    return head + "\n".join((*_read_with(peers), *_table(texts, peers, counts)))


def _read_with(peers: tuple[Peer, ...]) -> Iterator[str]:
    yield "## Read with"
    yield ""
    rows = ((peer.name, environment.version(peer) or "", peer.note) for peer in peers)
    yield from table(("framework", "version", "how it is called"), rows, align="---")


def _table(texts: tuple[Group, ...], peers: tuple[Peer, ...], counts: Counts) -> Iterator[str]:
    """The verdicts on the texts with one object together, and how many of the others were accepted."""
    whole = tuple(group for group in texts if group.name.startswith(_ONE))
    others = tuple(group for group in texts if group not in whole)
    sums = {peer: sum((counts[group.name, peer.name] for group in whole), Counter[Verdict]()) for peer in peers}
    shown = [verdict for verdict in _SHOWN if any(count[verdict] for count in sums.values())]
    yield "## What came of them"
    yield ""
    yield f"The first {len(shown)} columns are of {sum(len(group.cases) for group in whole)} texts with one object."
    yield ""
    accepted = (f"{group.name.removeprefix(_REAL)}: accepted of {len(group.cases)}" for group in others)
    rows = (
        (
            peer.name,
            *(str(count[verdict]) for verdict in shown),
            *(str(counts[group.name, peer.name][Verdict.ACCEPTED]) for group in others),
        )
        for peer, count in sums.items()
    )
    yield from table(("framework", *shown, *accepted), rows)


if __name__ == "__main__":
    sys.exit(main())
