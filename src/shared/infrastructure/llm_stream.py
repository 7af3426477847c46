"""Reads a model's answer while it is written: what of it is certain, and in the end what the parser makes of it.

`LLMJsonStream` takes the text in pieces of any length. After each piece a `StreamSnapshot` tells what is certain of the
answer so far; nothing of it is taken back. `close` gives what `parse_llm_json_output` gives for the whole text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import json_path
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.as_json import validate_as_json
from src.shared.infrastructure.parsing.stream.answer import StreamState
from src.shared.infrastructure.parsing.stream.paths import item_adapter, steps_of, value_at
from src.shared.infrastructure.parsing.stream.pieces import Facts, Pieces

T = TypeVar("T")

__all__ = ["LLMJsonStream", "StreamSnapshot", "StreamState", "value_at"]


class _Whole(NamedTuple, Generic[T]):
    """What was made of the whole text; its data are worked out when somebody looks at them."""

    value: T
    data: Callable[[], Any]


class StreamSnapshot(Generic[T]):
    """What is certain of an answer after one of its pieces. It is worked out when it is first looked at.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_count", "_facts", "_pieces", "_whole")

    def __init__(self, pieces: Pieces, whole: _Whole[T] | None = None) -> None:
        self._pieces = pieces
        self._count = pieces.texts.count
        self._whole = whole
        self._facts: Facts | None = None

    @property
    def data(self) -> Any:  # noqa: ANN401 - decoded JSON
        """What is certain so far, as plain dicts and lists; None while nothing is.

        Snapshots share what is whole: copy it before you change it. With normalizers it is the data in front of them.
        """
        return (self._facts or self.facts).data

    @property
    def complete(self) -> AbstractSet[str]:
        """The JSON paths (`$.title`, `$.items[0]`) of the values that are whole."""
        return self.facts.complete

    @property
    def state(self) -> StreamState:
        """How far the answer is read."""
        return self.facts.state

    @property
    def changed(self) -> tuple[str, ...]:
        """The paths that appeared, grew or became whole since the snapshot before."""
        return self.facts.changed

    @property
    def value(self) -> T | None:
        """The typed object once the value has come to its end and satisfies the type; else None.

        Before `close` it is what the parser gives for the text up to there: if the last bracket stood too early, the
        members behind it are in the object that `close` gives, and not in this one.
        """
        if self._whole:
            return self._whole.value
        value: T | None = self._pieces.typed(self.facts.end) if self.state is StreamState.DONE else None
        return value

    def at(self, path: str) -> Any:  # noqa: ANN401 - decoded JSON
        """The value at a path of `data`, such as those in `complete` and `changed`.

        Raises:
            LookupError: there is none, or not yet.
            ValueError: it is no path.
        """
        return value_at(self.data, path)

    def __eq__(self, other: object) -> bool:
        """Whether both tell the same of an answer; what changed depends on the snapshot before."""
        if not isinstance(other, StreamSnapshot):
            return NotImplemented
        ours = (self.state, self.complete, self.data, self.value)
        return ours == (other.state, other.complete, other.data, other.value)

    __hash__ = None  # type: ignore[assignment]  # its data are dicts and lists

    def __repr__(self) -> str:
        """For a debugger."""
        return f"StreamSnapshot(state={self.state.value!r}, data={self.data!r}, complete={sorted(self.complete)!r})"

    @property
    def facts(self) -> Facts:
        """All of it at once, for the stream itself."""
        if self._facts is None:
            whole = self._whole
            self._facts = self._pieces.facts_of_whole(whole.data()) if whole else self._pieces.facts_after(self._count)
        return self._facts


class LLMJsonStream(Generic[T]):
    """Reads one answer in pieces.

    The cost of all snapshots together is linear in the text, and a snapshot that nobody looks at costs next to
    nothing. What is new of a long value is shown in steps of at most a thousandth of it. Every way of cutting the text
    gives the same snapshots at the same offsets.

    Two things cannot be foreseen: a key that stands a second time in its object, with another value, and a closing
    mark of reasoning (`</think>`) behind an answer, which makes a draft of all that is before it. Then `close` gives
    what the parser gives, and that is not what was shown.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        dto_type: AnswerType[T],
        context_label: str = "",
        normalizers: Sequence[Normalizer] | None = None,
    ) -> None:
        """Begin an answer.

        Args:
            dto_type: any type the parser takes.
            context_label: the caller's name for the log.
            normalizers: as for `parse_llm_json_output`.

        Raises:
            TypeError, pydantic.errors.PydanticUserError: as for `parse_llm_json_output`.
        """
        self._dto_type = dto_type
        self._pieces = Pieces(dto_type, tuple(normalizers or ()))
        self._context_label = context_label
        self._given: dict[str, int] = {}
        self._snapshot: StreamSnapshot[T] = StreamSnapshot(self._pieces)
        self._is_closed = False

    @property
    def text(self) -> str:
        """All of it so far."""
        return self._pieces.text()

    @property
    def snapshot(self) -> StreamSnapshot[T]:
        """The last snapshot; after `close` the one of the whole answer."""
        return self._snapshot

    def feed(self, chunk: str) -> StreamSnapshot[T]:
        """Take the next piece of the text, of any length.

        Raises:
            TypeError: it is no text.
            ValueError: the stream is closed.
        """
        if self._is_closed:
            message = "the stream is closed"
            raise ValueError(message)
        if type(chunk) is not str and not isinstance(cast("object", chunk), str):
            message = f"chunk must be str, not {type(chunk).__name__}; decode bytes first, with an incremental decoder"
            raise TypeError(message)
        self._pieces.texts.append(chunk)
        self._snapshot = StreamSnapshot(self._pieces)
        return self._snapshot

    def close(self, finished: bool | None = None) -> T:  # noqa: FBT001 - what the parser calls it, too
        """Tell that there is no more text: exactly what `parse_llm_json_output` gives for the whole of it.

        Args:
            finished: what is known about the end, as for `parse_llm_json_output`.

        Raises:
            LLMJsonParseError: the text is refused. What was complete is still in `snapshot`.
        """
        self._is_closed = True
        parsed = parse_llm_json_output_with_trace(
            self.text,
            self._dto_type,
            normalizers=self._pieces.normalizers,
            context_label=self._context_label,
            finished=finished,
        )
        self._snapshot = StreamSnapshot(self._pieces, _Whole(parsed.value, lambda: parsed.decoded.data))
        return parsed.value

    def close_as(self, parsed: ParsedText[T]) -> StreamSnapshot[T]:
        """Tell that there is no more text, and what was made of the whole of it already.

        Args:
            parsed: what `AgentOutput.read` gave for the text.

        Returns:
            The last snapshot.
        """
        self._is_closed = True
        self._snapshot = StreamSnapshot(self._pieces, _Whole(parsed.value, lambda: parsed.data))
        return self._snapshot

    def items(self, path: str) -> Iterator[Any]:
        """The elements of the list at a path that are whole and were not given yet, each as an object of its own type.

        To be called after each piece, and once more after `close`. An element that does not satisfy its type ends
        them: `close` then refuses the answer and says why.

        Args:
            path: such as `$.rows`, or `$` for an answer that is a list.

        Raises:
            TypeError: the type has no such list.
            ValueError: it is no path.
        """
        path = json_path(steps_of(path))  # as `complete` writes it
        return self._items(path, item_adapter(self._dto_type, path))

    def _items(self, path: str, adapter: TypeAdapter[Any]) -> Iterator[Any]:
        while f"{path}[{self._given.get(path, 0)}]" in self._snapshot.complete:
            at = self._given.get(path, 0)
            element = value_at(self._snapshot.data, path)[at]
            try:
                value = validate_as_json(adapter, element, hooked=False, decimals=True)
            except ValidationError:
                return
            self._given[path] = at + 1
            yield value
