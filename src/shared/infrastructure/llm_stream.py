"""Reads a model's answer while it is written: what of it is certain, and in the end what the parser makes of it.

`LLMJsonStream` takes the text in pieces of any length. After each piece a `StreamSnapshot` tells what is certain of the
answer so far; nothing of it is taken back. `close` gives what `parse_llm_json_output` gives for the whole text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from pydantic import ValidationError
from pydantic_core import SchemaValidator

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import json_path
from src.shared.domain.options import Finished, known_end, takes
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.as_json import validate_as_json
from src.shared.infrastructure.parsing.decoded import DecodedJson, ParsedOutput
from src.shared.infrastructure.parsing.expected import ANYTHING, expected_of
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.paths import changed_places, item_adapter, path_of, places_in, steps_of, value_at
from src.shared.infrastructure.parsing.stream.answer import AnswerReader, Facts, StreamState
from src.shared.infrastructure.parsing.target_type import target_type

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")

__all__ = ["LLMJsonStream", "StreamSnapshot", "StreamState", "value_at"]


_BLOCK = 64
"""Pieces that are kept as one string: each by itself would take ten times its text."""


class Pieces(Generic[T]):
    """The pieces of one text, and a reader that goes along them when somebody looks.

    Attributes:
        length: how long all of them are.
        read: what was made of the whole text at its end, the object and what holds its data; None before.
    """

    def __init__(self, dto_type: AnswerType[T], normalizers: Sequence[Normalizer]) -> None:
        """Begin without a piece."""
        self.length = 0
        self.read: tuple[T, DecodedJson[Any] | ParsedText[T]] | None = None
        self.normalizers = normalizers
        self._blocks: list[str] = []
        self._starts = array("L", [0])
        self._last: list[str] = []
        self._dto_type = dto_type
        self._target = target_type(dto_type)
        self._typed: dict[int | None, T | None] = {}
        self._reader, self._facts = self._begin()
        self._read = self._given = 0

    def append(self, piece: str) -> StreamSnapshot[T]:
        """Take one piece more; one that tells nothing, if all before it was looked at, is not read yet."""
        start, last = self.length, self._last
        self.length = end = start + len(piece)
        last.append(piece)
        if len(last) == _BLOCK:
            self._blocks.append("".join(last))
            self._starts.append(end)
            last.clear()
        if start != self._read or end >= self._reader.until:
            return StreamSnapshot(self, start, end)
        if "}" in piece or "]" in piece or "｝" in piece or "］" in piece:
            return StreamSnapshot(self, start, end)
        self._read = end
        return StreamSnapshot(self, end, end, self._facts)

    def close(self, value: T, read: DecodedJson[Any] | ParsedText[T]) -> StreamSnapshot[T]:
        """Take what was made of all of them."""
        self.read = value, read
        return StreamSnapshot(self, -1, self.length)

    def between(self, start: int, end: int) -> str:
        """The text from an offset to another."""
        parts, before = self._last, self._starts[-1]
        if start < before:
            first = bisect_right(self._starts, start) - 1
            before = self._starts[first]
            parts = [*self._blocks[first : bisect_left(self._starts, end)], *parts]
        return "".join(parts)[start - before : end - before]

    def facts_after(self, start: int, end: int) -> Facts:
        """What is certain behind the piece that stands between two offsets.

        The reader goes on from where it is; for an earlier place it begins anew. Pieces that nobody looked at are
        read as one; the last is read by itself, since `changed` tells of it.
        """
        if end < self._read:
            self._reader, self._facts = self._begin()
            self._read = self._given = 0
        for at in (start if self._read < start else 0, end):
            if self._given < at:
                self._facts = self._reader.feed(self.between(self._given, at))
                self._read = self._given = at
        return self._facts

    def typed(self, end: int | None) -> T | None:
        """The object of the text up to the end of its value, where a parser would read it; else None."""
        if end not in self._typed:
            text = self.between(0, self.length if end is None else end)
            self._typed[end] = inspect(text, self._dto_type, normalizers=self.normalizers, finished=True).result
        return self._typed[end]

    def _begin(self) -> tuple[AnswerReader, Facts]:
        """A reader at the beginning; a hook may rename keys: then those of the type say nothing yet."""
        target = self._target
        reader = AnswerReader(
            target.own_roots,
            frozenset() if self.normalizers else target.own_keys,
            ANYTHING if self.normalizers else expected_of(self._dto_type),
            as_written=target.reads_decimals,
            reads_escapes=target.read_as.escapes != "json" or bool(target.field_escapes),
        )
        return reader, reader.feed("")


class StreamSnapshot(Generic[T]):
    """What is certain of an answer after one of its pieces. It is worked out when it is first looked at.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_end", "_facts", "_pieces", "_start")

    def __init__(self, pieces: Pieces[T], start: int, end: int, facts: Facts | None = None) -> None:
        """Tell of the piece between two offsets, which changes nothing if that is none; or from -1 on, of the end."""
        self._pieces, self._start, self._end, self._facts = pieces, start, end, facts

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
        touched = self.facts.touched if self._start < self._end else ()
        return tuple(dict.fromkeys(map(path_of, touched)))

    @property
    def value(self) -> T | None:
        """The typed object once the value has come to its end and satisfies the type; else None.

        Before `close` it is what the parser gives for the text up to there: if the last bracket stood too early, the
        members behind it are in the object that `close` gives, and not in this one.
        """
        if self._start < 0 and self._pieces.read:
            return self._pieces.read[0]
        return self._pieces.typed(self.facts.end) if self.state is StreamState.DONE else None

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
            facts = self._pieces.facts_after(self._start, self._end)
            if self._start < 0 and self._pieces.read:
                data = self._pieces.read[1].data
                changed = [*changed_places(facts.data, data, facts.complete)]
                facts = Facts(data, frozenset(map(path_of, places_in(data))), StreamState.DONE, None, changed)
            self._facts = facts
        return self._facts


class LLMJsonStream(Generic[T]):
    """Reads one answer in pieces.

    The cost of all snapshots together is linear in the text, and a snapshot that nobody looks at costs next to
    nothing. What is new of a long value is shown in steps of at most a sixty-fourth of it. Every way of cutting the
    text gives the same snapshots at the same offsets.

    Five things cannot be foreseen: a key that stands a second time in its object, with another value; a closing mark
    of reasoning (`</think>`) behind an answer, which makes a draft of all that is before it; words behind an answer
    that take it back, or behind a list that say that it goes on; and a key that shows only late that the object is a
    JSON Schema. Then `close` gives what the parser gives, and that is not what was shown.

    .. versionadded:: 0.1.0
    """

    @overload
    def __init__(
        self, dto_type: AnswerType[T], context_label: str = "", normalizers: Sequence[Normalizer] | None = None
    ) -> None: ...

    @overload
    def __init__(
        self, dto_type: TypeForm[T], context_label: str = "", normalizers: Sequence[Normalizer] | None = None
    ) -> None: ...

    @takes()  # type: ignore[misc]  # a union is an `AnswerType`, too
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
        self._pieces: Pieces[T] = Pieces(dto_type, tuple(normalizers or ()))
        self._context_label = context_label
        self._given: dict[str, int] = {}
        self._snapshot = StreamSnapshot(self._pieces, 0, 0)
        self._is_closed = False

    @property
    def text(self) -> str:
        """All of it so far."""
        return self._pieces.between(0, self._pieces.length)

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
        self._snapshot = self._pieces.append(chunk)
        return self._snapshot

    def close(self, finished: Finished = None) -> T:
        """Tell that there is no more text: exactly what `parse_llm_json_output` gives for the whole of it.

        Args:
            finished: what is known about the end, as for `parse_llm_json_output`.

        Raises:
            LLMJsonParseError: the text is refused. What was complete is still in `snapshot`.
        """
        finished = known_end(finished)
        self._is_closed = True
        parsed: ParsedOutput[T] = parse_llm_json_output_with_trace(
            self.text,
            self._dto_type,
            normalizers=self._pieces.normalizers,
            context_label=self._context_label,
            finished=finished,
        )
        self._snapshot = self._pieces.close(parsed.value, parsed.decoded)
        return parsed.value

    def close_as(self, parsed: ParsedText[T]) -> StreamSnapshot[T]:
        """Tell that there is no more text, and what was made of the whole of it already.

        Args:
            parsed: what `AgentOutput.read` gave for the text.

        Returns:
            The last snapshot.
        """
        self._is_closed = True
        self._snapshot = self._pieces.close(parsed.value, parsed)
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

    def _items(self, path: str, adapter: SchemaValidator) -> Iterator[Any]:
        while f"{path}[{self._given.get(path, 0)}]" in self._snapshot.complete:
            at = self._given.get(path, 0)
            element = value_at(self._snapshot.data, path)[at]
            try:
                value: Any = validate_as_json(adapter, element, hooked=False, decimals=True)
            except ValidationError:
                return
            self._given[path] = at + 1
            yield value
