"""The command: tool calls in texts, read by this project and by what else reads them in Python; writes the page.

python -m tools.benchmarks.tool_call_parsers [--peers FOLDER] [--texts FILE] [--output FOLDER]

A reader that is not installed, in the environment or in the folder, is named and left out. FILE defaults to
`../shared/corpus/tool_calls.jsonl`, and is left out if it is absent.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import io
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS
from tools.attack import notations
from tools.attack.notations import KEY, TOOL, TOOLS, VALUE
from tools.benchmarks import tool_call_corpus
from tools.benchmarks.forms import ROOT
from tools.benchmarks.report import table
from tools.benchmarks.tool_call_peers import PEERS, Calls, Peer, Tools

OUTCOMES = ("right", "wrong", "silent", "refused")
_TITLES = {
    "whole": "Whole calls",
    "near": "Calls behind a sentence that speaks of a mark",
    "damaged": "Calls with a damaged mark, and one reading left",
    "servers": "Cases of servers' own tests",
}


class Text(NamedTuple):
    """A text, its notation, and the calls that are in it."""

    kind: str
    notation: str
    text: str
    tools: Tools
    calls: Calls


def texts(file: Path) -> Iterator[Text]:
    """All of them."""
    wanted: Calls = [(TOOL, {KEY: VALUE})]
    for row in NOTATIONS:
        for one in notations.texts(row):
            if one.kind in _TITLES:
                yield Text(one.kind, row.name, one.text, TOOLS, wanted)
    for case in tool_call_corpus.cases(file) if file.exists() else ():
        calls = [(call["name"], call["arguments"]) for call in case.calls]
        yield Text("servers", case.family, case.text, tool_call_corpus.typed(case.tools), calls)


def outcome(peer: Peer, text: Text) -> str | None:
    """What a reader makes of a text; None if the text is in no notation of its."""
    if peer.asked is not None and text.notation not in peer.asked:
        return None
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            found = peer.read(text.text, text.tools, (peer.asked or {}).get(text.notation, ""))
    except Exception:  # noqa: BLE001 - whatever another library raises
        return "refused"
    if found == text.calls:
        return "right"
    return "wrong" if found else "silent"


def why_absent(peer: Peer) -> str:
    """Why a reader cannot be asked; empty if it can."""
    sample = next(text for text in texts(Path()) if peer.asked is None or text.notation in peer.asked)
    try:
        peer.read(sample.text, sample.tools, (peer.asked or {}).get(sample.notation, ""))
    except ImportError as error:
        return f"needs {peer.package}: {error}"
    except Exception as error:  # noqa: BLE001 - as above
        return f"{type(error).__name__}: {error}" if "vocab" in str(error) else ""
    return ""


def page(peers: list[Peer], absent: dict[str, str], file: Path) -> str:
    """The whole page as Markdown."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for text in texts(file):
        counted.update((text.kind, peer.name, became) for peer in peers if (became := outcome(peer, text)))
    lines = ["## Read with", ""]
    rows = [
        (peer.name, importlib.metadata.version(peer.package) if peer.package else "this source tree") for peer in peers
    ]
    rows += [(name, f"absent: {why}") for name, why in absent.items()]
    lines += table(("reader", "version"), rows, align="---")
    shown = []
    for kind, title in _TITLES.items():
        counts = [(peer.name, [counted[kind, peer.name, one] for one in OUTCOMES]) for peer in peers]
        of_kind = [[name, str(sum(one)), *map(str, one)] for name, one in counts if sum(one)]
        shown += [[title if at == 0 else "", *row] for at, row in enumerate(of_kind or [["no such texts"] + [""] * 5])]
    lines += ["## What was read", "", *table(("texts", "reader", "number", *OUTCOMES), shown)]
    return Path(__file__).with_suffix(".md.template").read_text("utf-8") + "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Count and write; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, action="append", default=[], help="folder with other libraries")
    parser.add_argument("--texts", type=Path, default=tool_call_corpus.CORPUS)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "explanation", help="folder of the page")
    asked = parser.parse_args(arguments)
    sys.path += map(str, asked.peers)
    absent = {peer.name: why for peer in PEERS if (why := why_absent(peer))}
    for name, why in absent.items():
        print(f"absent: {name}, {why}")
    found = page([peer for peer in PEERS if peer.name not in absent], absent, asked.texts)
    (asked.output / "tool-call-parsers.md").write_text(found, "utf-8")
    print(f"written: {asked.output / 'tool-call-parsers.md'}")
    return 0


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
