"""The page of results: every number in it comes from the run that wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tools.benchmarks import environment
from tools.benchmarks.accuracy import Counts, Group
from tools.benchmarks.conditions import Condition, conditions
from tools.benchmarks.documents import label
from tools.benchmarks.growth import FAMILIES, Growth
from tools.benchmarks.losses import is_right, losses, milliseconds
from tools.benchmarks.peers import PEERS, Peer
from tools.benchmarks.timing import Cell, Plan, Times
from tools.benchmarks.verdict import Verdict

SURE = "real outputs, one object, confidence high"
"""The group of recorded texts whose counts stand in the result."""

_ALL = " everywhere"
"""Behind the name of a condition in which all of a text is damaged; another one has the same damage in three places."""


@dataclass(frozen=True, slots=True)
class Results:
    """What one run measured; a part that was not run is empty."""

    plan: Plan
    peers: tuple[Peer, ...]
    times: Times = field(default_factory=dict)
    corpus: tuple[Group, ...] = ()
    counts: Counts = field(default_factory=dict)
    growth: Growth = field(default_factory=dict)

    def sizes(self) -> list[int]:
        """Return the measured sizes, ascending."""
        return sorted({size for size, _, _ in self.times})


def page(results: Results) -> str:
    """Return the whole page as Markdown."""
    return "\n".join(
        (*_head(results), *_times(results), *_growth_by_size(results), *_corpus(results), *_hostile(results))
    )


def table(header: Iterable[str], rows: Iterable[Iterable[str]], align: str = "---:") -> Iterator[str]:
    """Return a Markdown table's lines, and the empty line after it; `align` is that of all columns but the first."""
    names = list(header)
    yield "| " + " | ".join(names) + " |"
    yield "| --- " + f"| {align} " * (len(names) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def result(right: dict[str, int], cells: int, fastest: int, real: dict[str, Counter[Verdict]]) -> Iterator[str]:
    """What the page comes to, before all of it.

    Args:
        right: in how many of the measured cells each library is right.
        cells: how many there are.
        fastest: in how many of them ours is the fastest that is right.
        real: verdicts of each library on the real outputs in which no doubt is left which object is the answer.
    """
    yield "## Result"
    yield ""
    yield (
        f"Ours is right in {right['ours']} of {cells} cells (a condition at a size each), and in {fastest} of them no "
        "other library is right and faster. [Where ours loses](#where-ours-loses) lists the rest."
    )
    yield ""
    shown = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED)
    yield from table(
        ("library", f"cells right, of {cells}", *(f"real outputs {each}" for each in shown)),
        ((name, str(count), *(str(real[name][each]) for each in shown)) for name, count in right.items()),
    )


def _result(results: Results) -> Iterator[str]:
    group = next((each.name for each in results.corpus if each.name == SURE), None)
    if group is None or not results.times or not results.counts:
        return
    names = [peer.name for peer in results.peers if peer.family != "limit"]
    cells = {(size, condition) for size, condition, _ in results.times}
    right = {name: sum(is_right(results.times[size, at, name], at) for size, at in cells) for name in names}
    lost = len(losses(results.times, results.peers))
    real = {name: results.counts[group, name] for name in names}
    yield from result(right, len(cells), len(cells) - lost, real)


def _head(results: Results) -> Iterator[str]:
    title, reading = Path(__file__).with_name("reading.md.template").read_text("utf-8").split("## How to read it", 1)
    yield title.strip()
    yield ""
    yield from _result(results)
    yield f"## How to read it{reading}"
    yield "## Measured on and with"
    yield ""
    yield from (f"- {name}: {fact}" for name, fact in environment.machine().items())
    yield f"- turns of the round-robin: {results.plan.rounds}; budget: {results.plan.budget:g} s a reading"
    yield ""
    yield from table(
        ("library", "version", "how it is called"),
        ((peer.name, environment.version(peer) or "absent", peer.note) for peer in PEERS),
        align="---",
    )


def _times(results: Results) -> Iterator[str]:
    if not results.times:
        return
    yield "## Conditions"
    yield ""
    named = [each for each in conditions() if not each.name.endswith(" in 3 places")]
    meanings = ((each.name.removesuffix(_ALL), each.meaning.removesuffix(f",{_ALL}")) for each in named)
    yield from table(("condition", "what it is"), meanings, align="---")
    size = results.sizes()[0]
    yield f"## Milliseconds at {label(size)}"
    yield ""
    yield from table(
        ("condition", *(peer.name for peer in results.peers)),
        ((condition.name, *_row(results, size, condition)) for condition in named),
    )
    yield from _losses(results)


def _row(results: Results, size: int, condition: Condition) -> Iterator[str]:
    for peer in results.peers:
        cell = results.times[size, condition.name, peer.name]
        yield _cell(cell, results.plan.budget, right=is_right(cell, condition.name))


def _cell(cell: Cell, budget: float, *, right: bool) -> str:
    if cell.seconds is None:
        return f"> {budget:g} s" if cell.verdict is Verdict.OVER_BUDGET else str(cell.verdict)
    time = milliseconds(cell.seconds)
    if cell.verdict is Verdict.RIGHT:
        return time
    return f"{time} {cell.verdict}" if right else f"**{cell.verdict}**"


def _losses(results: Results) -> Iterator[str]:
    yield "## Where ours loses"
    yield ""
    yield "The fastest other library that is right, and how many times faster it is than ours (typed), where it is."
    yield ""
    lost = losses(results.times, results.peers)
    rows = [(each.name, *(lost.get((size, each.name), "") for size in results.sizes())) for each in conditions()]
    yield from table(("condition", *map(label, results.sizes())), (row for row in rows if any(row[1:])))


def _growth_by_size(results: Results) -> Iterator[str]:
    sizes = results.sizes()
    if len(sizes) < 2:  # noqa: PLR2004 - growth needs two points
        return
    yield "## Growth with the size, ours"
    yield ""
    yield "The time for a size, divided by the time for the size before it: the least and the most of all conditions."
    yield ""
    rows = []
    for small, large in pairwise(sizes):
        cells = [
            (results.times[large, each.name, "ours"], results.times[small, each.name, "ours"]) for each in conditions()
        ]
        grown = [after.seconds / before.seconds for after, before in cells if after.seconds and before.seconds]
        if grown:
            rows.append((f"{label(small)} to {label(large)}", f"× {min(grown):.1f}", f"× {max(grown):.1f}"))
    yield from table(("sizes", "least", "most"), rows)


def _corpus(results: Results) -> Iterator[str]:
    yield "## Right, wrong, refused on recorded texts"
    yield ""
    if not results.counts:
        yield "Not part of this run: the corpus is kept beside the project and was missing or not requested."
        yield ""
        return
    yield (
        "Each cell: right / wrong; the others gave no object. Of texts that are cut off or hold no JSON: how many were "
        "accepted."
    )
    yield ""
    peers = [peer for peer in results.peers if peer.family != "limit" and peer.name != "ours, no type"]
    yield from table(
        ("texts", *(peer.name for peer in peers)),
        (
            (
                f"{group.name}: {len(group.cases)}",
                *_counted([results.counts[group.name, peer.name] for peer in peers]),
            )
            for group in results.corpus
        ),
    )


def _counted(verdicts: list[Counter[Verdict]]) -> Iterator[str]:
    """The cells of one group of texts, each of one library."""
    has_answers = any(count[Verdict.RIGHT] or count[Verdict.WRONG] for count in verdicts)
    for count in verdicts:
        yield f"{count[Verdict.RIGHT]} / {count[Verdict.WRONG]}" if has_answers else str(count[Verdict.ACCEPTED])


def _hostile(results: Results) -> Iterator[str]:
    if not results.growth:
        return
    sizes = sorted({size for _, _, size in results.growth})[-2:]
    names = [peer.name for peer in results.peers if any(key[1] == peer.name for key in results.growth)]
    yield "## Milliseconds on hostile texts"
    yield ""
    yield "One piece of syntax, repeated. Only the growth matters: the time must not grow faster than the text."
    yield ""
    yield from table(
        ("family", *(f"{name}, {label(size)}" for name in names for size in sizes)),
        (
            (family, *(_hostile_cell(results.growth, family, name, size) for name in names for size in sizes))
            for family in FAMILIES
        ),
    )


def _hostile_cell(growth: Growth, family: str, name: str, size: int) -> str:
    cell = growth.get((family, name, size))
    if cell is None:
        return "-"
    return str(cell.verdict) if cell.seconds is None else milliseconds(cell.seconds)
