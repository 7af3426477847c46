"""Ours against the others, cell by cell: what stands in the summary, and every cell that is lost."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.conditions import Condition, conditions
from benchmarks.documents import label
from benchmarks.peers import Peer
from benchmarks.timing import Cell, Times
from benchmarks.verdict import Verdict

_RIVALS = ("native", "python", "node")


def standing(times: Times, peers: tuple[Peer, ...], size: int) -> Iterator[tuple[str, ...]]:
    """Return a row for each condition: ours against the limit, json_repair and the fastest that is right."""
    for condition in conditions():
        ours = times[size, condition.name, "ours"]
        limit = times.get((size, condition.name, "pydantic"))
        repair = times.get((size, condition.name, "json_repair"))
        rival = fastest_right(times, peers, size, condition)
        rival_cells = ("-", "-", "-") if rival is None else (rival[0], f"{rival[1] * 1000:.3g}", _over(ours, rival[1]))
        yield (
            condition.name,
            str(ours.verdict),
            _over(ours, limit.seconds if limit else None),
            _under(repair, ours),
            *rival_cells,
        )


def fastest_right(times: Times, peers: tuple[Peer, ...], size: int, condition: Condition) -> tuple[str, float] | None:
    """Return the fastest other library that gets this one right, and its seconds."""
    cells = {peer.name: times[size, condition.name, peer.name] for peer in peers if peer.family in _RIVALS}
    right = [(cell.seconds, name) for name, cell in cells.items() if is_right(cell, condition.name) and cell.seconds]
    if not right:
        return None
    seconds, name = min(right)
    return name, seconds


def losses(times: Times, peers: tuple[Peer, ...]) -> Iterator[str]:
    """Return a list item for every cell where ours is not right, or is not the fastest that is."""
    for size in sorted({size for size, _, _ in times}):
        for condition in conditions():
            ours = times[size, condition.name, "ours"]
            where = f"- {label(size)}, {condition.name}"
            if not is_right(ours, condition.name):
                yield f"{where}: ours is {ours.verdict}"
                continue
            rivals = [
                f"{peer.name} {ours.seconds / cell.seconds:.1f} times faster"
                for peer in peers
                if peer.family in _RIVALS and is_right(cell := times[size, condition.name, peer.name], condition.name)
                if ours.seconds and cell.seconds and cell.seconds < ours.seconds
            ]
            if rivals:
                yield f"{where}: {', '.join(rivals)}"


def is_right(cell: Cell, condition: str) -> bool:
    """Whether this is what a careful reader does in that condition: to refuse, where the text is cut off."""
    return cell.verdict is (Verdict.REFUSED if condition == "truncated" else Verdict.RIGHT)


def _over(ours: Cell, seconds: float | None) -> str:
    return "-" if ours.seconds is None or not seconds else f"{ours.seconds / seconds:.2f}"


def _under(other: Cell | None, ours: Cell) -> str:
    if other is None or other.seconds is None or not ours.seconds:
        return "-"
    note = "" if other.verdict is Verdict.RIGHT else f" ({other.verdict})"
    return f"{other.seconds / ours.seconds:.1f}{note}"
