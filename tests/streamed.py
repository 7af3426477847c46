"""What a stream showed of a text on the way, and whether the whole text takes any of it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.parsing.paths import value_at


def snapshots(text: str, dto_type: Any = dict[str, Any], sizes: Sequence[int] = (1,)) -> list[StreamSnapshot[Any]]:  # noqa: ANN401 - any type
    """The snapshots of a text that comes in pieces of these sizes, in turn."""
    stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
    return [stream.feed(piece) for piece in pieces(text, sizes)]


def pieces(text: str, sizes: Sequence[int] = (1,)) -> Iterator[str]:
    """The text in pieces of these sizes, in turn."""
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        yield text[at : at + size]
        at, turn = at + size, turn + 1


def taken_back(shown: Sequence[StreamSnapshot[Any]], final: Any) -> str | None:  # noqa: ANN401 - decoded JSON
    """The first path at which a snapshot shows what is not in the final data; None if all of it is."""
    for snapshot in shown:
        if not snapshot.changed:
            continue
        if snapshot.data is not None and (path := not_in(snapshot.data, final, "$")):
            return path
        for path in snapshot.changed:
            if path in snapshot.complete and _differs(value_at(snapshot.data, path), value_at(final, path)):
                return f"{path}, which was complete"
    return None


def not_in(part: Any, final: Any, path: str) -> str | None:  # noqa: ANN401 - decoded JSON
    """Where a part is no beginning of the final data."""
    if isinstance(part, dict) and isinstance(final, dict):
        members: Iterator[tuple[str, Any, bool, Any]] = (
            (f"{path}.{key}", value, key in final, final.get(key)) for key, value in part.items()
        )
    elif isinstance(part, list) and isinstance(final, list):
        padded = [*((True, value) for value in final), *((False, None) for _ in part)]
        members = ((f"{path}[{at}]", value, *padded[at]) for at, value in enumerate(part))
    elif isinstance(part, str) and isinstance(final, str):
        return None if final.startswith(part) else path
    else:
        return path if _differs(part, final) else None
    found = (where if not is_there else not_in(value, other, where) for where, value, is_there, other in members)
    return next((where for where in found if where), None)


def _differs(one: object, other: object) -> bool:
    return repr(one) != repr(other)
