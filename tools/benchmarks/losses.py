"""Ours against the others, cell by cell: every cell that is lost."""

from __future__ import annotations

from tools.benchmarks.conditions import Condition, conditions
from tools.benchmarks.peers import Peer
from tools.benchmarks.timing import Cell, Times
from tools.benchmarks.verdict import Verdict

_RIVALS = ("native", "python", "node")


def fastest_right(times: Times, peers: tuple[Peer, ...], size: int, condition: Condition) -> Peer | None:
    """Return the fastest other library that gets this one right."""
    right = [
        (cell.seconds, peer.name, peer)
        for peer in peers
        if peer.family in _RIVALS and is_right(cell := times[size, condition.name, peer.name], condition.name)
        if cell.seconds
    ]
    return min(right)[-1] if right else None


def losses(times: Times, peers: tuple[Peer, ...]) -> dict[tuple[int, str], str]:
    """Return what ours is in each cell where it is not right, or who is right and how much faster."""
    lost = {}
    for size in sorted({size for size, _, _ in times}):
        for condition in conditions():
            ours = times[size, condition.name, "ours"]
            rival = fastest_right(times, peers, size, condition)
            ratio = ours.over(times[size, condition.name, rival.name]) if rival else None
            if not is_right(ours, condition.name):
                lost[size, condition.name] = f"ours is {ours.verdict}"
            elif rival and ratio and ratio > 1:
                lost[size, condition.name] = f"{rival.name} {ratio:.1f}"
    return lost


def milliseconds(seconds: float) -> str:
    """Return a time with three significant digits."""
    value = seconds * 1000
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"  # noqa: PLR2004 - from here on %g writes exponents


def is_right(cell: Cell, condition: str) -> bool:
    """Whether this is what a careful reader does in that condition: to refuse, where the text is cut off."""
    return cell.verdict is (Verdict.REFUSED if condition == "truncated" else Verdict.RIGHT)
