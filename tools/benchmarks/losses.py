"""Ours against the others, cell by cell: what stands in the summary, and every cell that is lost."""

from __future__ import annotations

from collections.abc import Iterator

from tools.benchmarks.conditions import Condition, conditions
from tools.benchmarks.peers import Peer
from tools.benchmarks.timing import Cell, Times
from tools.benchmarks.verdict import Verdict

_RIVALS = ("native", "python", "node")


def standing(times: Times, peers: tuple[Peer, ...], size: int) -> Iterator[tuple[str, ...]]:
    """Return a row for each condition: ours against the limit, json_repair and the fastest that is right."""
    for condition in conditions():
        ours = times[size, condition.name, "ours"]
        limit = times.get((size, condition.name, "pydantic"))
        repair = times.get((size, condition.name, "json_repair"))
        rival = fastest_right(times, peers, size, condition)
        fastest = times[size, condition.name, rival.name] if rival else None
        yield (
            condition.name,
            str(ours.verdict),
            _ratio(ours, limit),
            _ratio(repair, ours) + _not_right(repair, condition),
            rival.name if rival else "-",
            milliseconds(fastest.seconds) if fastest and fastest.seconds else "-",
            _ratio(ours, fastest),
        )


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


def _ratio(one: Cell | None, other: Cell | None) -> str:
    ratio = one.over(other) if one and other else None
    return "-" if ratio is None else f"{ratio:.2f}"


def _not_right(cell: Cell | None, condition: Condition) -> str:
    return "" if cell is None or is_right(cell, condition.name) else f" ({cell.verdict})"
