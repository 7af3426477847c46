"""The port to a parser: what turns one agent's text into its type."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import TypeAdapter

from src.shared.domain.answer_type import SchemaType
from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.grade import Grade
from src.shared.domain.partial import Partial
from src.shared.domain.repair import Repair

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ParsedText(Generic[T_co]):
    """A typed object and how it was read.

    Attributes:
        value: the validated object.
        repairs: every departure from strict JSON, in the order of the text.
        stages: names of the parser's stages that had something to do, in their order.
        data: the decoded JSON that the object was made of, in front of normalizers; None where the reader keeps none.
        coercions: every value that was read as what its type asks for, where the type allows it.
        grade: how sure the object is; None where the reader does not say.

    .. versionadded:: 0.1.0
    """

    value: T_co
    repairs: tuple[Repair, ...] = ()
    stages: tuple[str, ...] = ()
    data: Any = field(default=None, compare=False, repr=False)
    coercions: tuple[Coercion, ...] = ()
    grade: Grade | None = None


class OutputPort(Protocol[T_co]):
    """What one agent's text is parsed into, and by what.

    .. versionadded:: 0.1.0
    """

    @property
    def label(self) -> str:
        """Who is asking, such as an agent's title; goes to logs and events as `context_label`."""
        ...

    @property
    def dto_type(self) -> type[T_co] | TypeAdapter[Any] | SchemaType[T_co]:
        """The type of the result, or what validates it."""
        ...

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[T_co]:
        """Parse a raw text.

        Args:
            raw: the text as the model gave it.
            finished: True, the model stopped by itself; False, it was cut off, and the text is refused as truncated;
                None, unknown, so the text has to show its end.

        Raises:
            AppException: the text cannot be read as the type; `details` are those of `LLMJsonParseError`.
        """
        ...


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartsWanted:
    """The parts of an answer that cannot be used, to be asked for on their own.

    Attributes:
        dto_type: an object with a member for each of them, which is what is asked for.
        told: says, in the language that is spoken, which member stands for what, what was wrong with it, and how it was
            written, a line each.
    """

    dto_type: SchemaType[Any]
    told: Callable[[], str]


@runtime_checkable
class MendingOutput(Protocol[T_co]):
    """An output contract for one answer that may be put together of several texts; used once.

    `read` refuses an answer that is not whole, and takes the next text for the parts that are wanted.
    """

    @property
    def wanted(self) -> PartsWanted | None:
        """What the next text is read as; None: a whole answer."""
        ...

    def kept(self, cut: str | None) -> ParsedText[T_co] | None:
        """What there is of the answer where no other text comes; None where nothing can be kept.

        Args:
            cut: the last text, if all that is known of the answer is that it was cut off.
        """
        ...


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
    """An output contract whose texts can be read while they are written."""

    def stream(self) -> OutputStream[T]:
        """A reader for one text."""
        ...

    def mending(self) -> OutputPort[Partial[T]]:
        """The contract for one answer of which the good parts are kept, and the others asked for: a `MendingOutput`."""
        ...
