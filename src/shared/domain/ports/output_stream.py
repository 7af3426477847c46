"""The port to a reader of a text that is still written."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeVar

from src.shared.domain.ports.output import OutputPort, ParsedText

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Snapshot(Protocol[T_co]):
    """What is certain of a text so far; the parser's own is `StreamSnapshot`.

    .. versionadded:: 0.1.0
    """

    @property
    def data(self) -> Any:  # noqa: ANN401 - any JSON type
        """Plain dicts and lists: what is certain so far; None while nothing is."""
        ...

    @property
    def complete(self) -> AbstractSet[str]:
        """The JSON paths whose value is whole, such as `$.title` and `$.items[0]`."""
        ...

    @property
    def state(self) -> str:
        """`waiting`, `reading`, `unsure` or `done`."""
        ...

    @property
    def value(self) -> T_co | None:
        """The typed object once the whole of it satisfies the type."""
        ...

    @property
    def changed(self) -> tuple[str, ...]:
        """The JSON paths that appeared, grew or became whole since the snapshot before."""
        ...


class OutputStream(Protocol[T]):
    """Reads one text while it is written.

    .. versionadded:: 0.1.0
    """

    @property
    def text(self) -> str:
        """All that was fed."""
        ...

    @property
    def snapshot(self) -> Snapshot[T]:
        """The last snapshot."""
        ...

    def feed(self, chunk: str) -> Snapshot[T]:
        """Take so much more of the text, of any length."""
        ...

    def close_as(self, parsed: ParsedText[T]) -> Snapshot[T]:
        """The last snapshot: of the whole text, by what `OutputPort.read` has made of it."""
        ...


class StreamingOutput(OutputPort[T], Protocol[T]):
    """An output contract whose texts can be read while they are written.

    .. versionadded:: 0.1.0
    """

    def stream(self) -> OutputStream[T]:
        """A reader for one text."""
        ...
