"""What an agent's output parser is made of: a label, a DTO, normalizers, rules, and the context's own exception.

Also one answer that is put together of several texts: the good parts of the first, and what was asked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Protocol, TypeVar, Unpack, cast, overload

from pydantic import AfterValidator, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, core_schema

from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, name_of, schema_name
from src.shared.domain.exceptions import AppException, LLMJsonParseError, problems_of
from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.options import (
    READ_AS,
    Finished,
    ReaderOptions,
    ReadOptions,
    check_options,
    known_end,
    takes,
    unusual,
)
from src.shared.domain.partial import Partial, PartProblem
from src.shared.domain.ports.output import OutputPort, OutputStream, ParsedText, PartsWanted
from src.shared.domain.read_as import reading_as, told_scalar
from src.shared.domain.rules import Normalizer, Rule
from src.shared.domain.type_shapes import Path, TypeParts
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    finish_draft,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
    read_draft,
)
from src.shared.infrastructure.parsing.decoded import DecodedJson, ParsedOutput
from src.shared.infrastructure.parsing.parse_errors import problem_of
from src.shared.infrastructure.parsing.state import Target
from src.shared.infrastructure.parsing.target_type import target_type

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from src.shared.infrastructure.parsing.parts import Draft

T = TypeVar("T")


def parsed_text(value: T, decoded: DecodedJson[Any]) -> ParsedText[T]:
    """A value and how its text was read."""
    stages = tuple(dict.fromkeys(note.stage for note in decoded.notes))
    return ParsedText(value, decoded.repairs, stages, decoded.data, decoded.coercions, decoded.grade)


def _kept(rules: Sequence[Rule[T]], answer: T) -> T:
    broken = [problem_of(one.rule, one.message, one.loc, answer) for one in (rule(answer) for rule in rules) if one]
    if broken:
        raise ValidationError.from_exception_data(type(answer).__name__, broken)
    return answer


class ErrorType(Protocol):
    """The error class of an agent's parser: any exception class that takes a message, and `details` by keyword.

    It may be a subclass of `AppException` or an application's own class. `call_with_json` asks a model again only
    after subclasses of `AppException`.

    .. versionadded:: 0.1.0
    """

    def __call__(self, message: str, /, *, details: dict[str, Any]) -> Exception:
        """Make the error from the message and details of the parser's error."""
        ...


@dataclass(frozen=True)
class AgentOutput(Generic[T]):
    """The output contract of one agent.

    Attributes:
        label: the agent's Chinese title, written to the log as `context_label`.
        dto_type: the type its text is parsed into.
        error_type: the context's own parse error, raised instead of `LLMJsonParseError`.
        normalizers: hooks run in this order on the decoded object, before validation.
        rules: what an answer of the right form must keep besides; one that is broken is a validation error.
        options: how its texts are read besides.

    .. versionadded:: 0.1.0
    """

    label: str
    dto_type: AnswerType[T]
    error_type: ErrorType
    normalizers: Sequence[Normalizer] = ()
    rules: Sequence[Rule[T]] = ()
    options: ReaderOptions = field(default_factory=ReaderOptions)

    taken_options: ClassVar = frozenset(ReaderOptions.__annotations__) - {"normalizers", "context_label"}
    """What `options` may hold: what has a place of its own in the contract is said there."""

    def __post_init__(self) -> None:
        """Refuse what would fail only with the first text that is refused.

        Raises:
            TypeError: `error_type` makes no error of a message and details, or another argument is of another type.
        """
        for name in self.options:
            if name not in self.taken_options:
                message = f"options cannot hold {name!r}; they are: {', '.join(sorted(self.taken_options))}"
                raise TypeError(message)
        check_options(label=self.label, normalizers=self.normalizers, rules=self.rules, **self.options)
        _check_error_type(self.error_type)
        object.__setattr__(self, "dto_type", told_scalar(self.dto_type, self.options))  # which is asked for, too

    @cached_property
    def checked_type(self) -> AnswerType[T]:
        """The type with the rules behind it, and with what the options let it take: what a text is validated as.

        Every broken rule is a validation error of its own, at the rule's field; none sees an answer of the wrong form.
        """
        checked: Any = self.dto_type
        if self.rules:
            checked = TypeAdapter(Annotated[checked, AfterValidator(partial(_kept, tuple(self.rules)))])
        allowed: Any = {name: value for name, value in unusual(self.options).items() if name in READ_AS}
        checked = reading_as(checked, **allowed) if allowed else checked
        if not self.options.get("coerce"):
            return cast("AnswerType[T]", checked)
        from src.shared.domain.coercion.lenient import coercing  # noqa: PLC0415 - hardly an agent needs it

        return cast("AnswerType[T]", coercing(checked))

    def parse(self, raw: str, *, finished: Finished = None) -> T:
        """Parse an agent's raw text.

        Args:
            raw: the text as the model gave it.
            finished: as for `parse_llm_json_output`.

        Raises:
            Exception: an `error_type` with the message and details of the parser's error, raised from it.
        """
        with self.own_error():
            return parse_llm_json_output(raw, self.checked_type, finished=finished, **self.asked)

    def parse_with_trace(self, raw: str, **options: Unpack[ReadOptions]) -> ParsedOutput[T]:
        """`parse`, also returning how the text was read.

        Args:
            raw: the text as the model gave it.
            options: as for `parse_llm_json_output`, beside those of the contract.

        Raises:
            Exception: as for `parse`.

        .. versionadded:: 0.1.0
        """
        asked: Any = {**self.asked, **options}
        with self.own_error():
            return parse_llm_json_output_with_trace(raw, self.checked_type, **asked)

    def read(self, raw: str, *, finished: Finished = None) -> ParsedText[T]:
        """`parse_with_trace`, as use cases take it: the repairs, and the stages that had something to do.

        Raises:
            Exception: as for `parse`.
        """
        parsed = self.parse_with_trace(raw, finished=finished)
        return parsed_text(parsed.value, parsed.decoded)

    @cached_property
    def asked(self) -> ReaderOptions:
        """What every text is read with, beside what its type says."""
        asked: Any = {name: value for name, value in self.options.items() if name not in (*READ_AS, "coerce")}
        return cast("ReaderOptions", {**asked, "normalizers": self.normalizers, "context_label": self.label})

    def stream(self) -> OutputStream[T]:
        """A reader for one text that is still written: an `LLMJsonStream`."""
        from src.shared.infrastructure.llm_stream import LLMJsonStream  # noqa: PLC0415 - it loads the whole parser

        return LLMJsonStream(self.checked_type, self.label, self.normalizers)

    def parse_good(self, raw: str, *, finished: Finished = None) -> Partial[T]:
        """`parse`, but keep the good parts of an answer that is not all right, and name the others.

        Raises:
            Exception: as for `parse`, where nothing can be kept.

        .. versionadded:: 0.1.0
        """
        with self.own_error():
            return _good(self, raw, finished=finished)

    def mending(self) -> OutputPort[Partial[T]]:
        """The contract for one answer of which the good parts are kept, and the others asked for."""
        return _MendedOutput(self)

    @contextmanager
    def own_error(self) -> Iterator[None]:
        """Raise the parser's error as the context's own."""
        try:
            yield
        except LLMJsonParseError as error:
            own = self.error_type(error.message, details=error.details)
            if isinstance(own, AppException):
                own.told = error.told
            raise own from error


_LINES = """\
    def __init__(self, message, *, details):
        super().__init__(message)"""
"""What an exception class without a constructor of its own lacks."""


def _check_error_type(error_type: object) -> None:
    """Make an error as a refused text does: a signature does not tell what the class above makes of the arguments."""
    name = getattr(error_type, "__name__", repr(error_type))
    message = Phrase(
        "error_type must be an exception class that is made by {name}(message, details=...); write these two "
        "lines in it, or derive it from AppException, which keeps the details:\n{lines}",
        name=name,
        lines=_LINES,
    )
    try:
        error: object = cast("ErrorType", error_type)("", details={"stage": "empty", "raw_length": 0})
    except TypeError as cause:
        raise TypeError(message.text()) from cause
    except Exception:  # noqa: BLE001 - the caller's code, which may want more of the details than these
        return
    if not isinstance(error, Exception):
        raise TypeError(message.text())


def _good(output: AgentOutput[T], raw: str, *, finished: Finished) -> Partial[T]:
    asked: Any = output.asked
    kept: Partial[T] = parse_llm_json_output(raw, output.checked_type, finished=finished, keep="good", **asked)
    return kept


@overload
def plain_output(dto_type: AnswerType[T], label: str = "", **options: Unpack[ReaderOptions]) -> AgentOutput[T]: ...


@overload
def plain_output(dto_type: TypeForm[T], label: str = "", **options: Unpack[ReaderOptions]) -> AgentOutput[T]: ...


@takes(ReaderOptions)  # type: ignore[misc]  # a union is an `AnswerType`, too
def plain_output(dto_type: AnswerType[T], label: str = "", **options: Unpack[ReaderOptions]) -> AgentOutput[T]:
    """The output contract of a type without an agent: the parser's own error.

    Args:
        dto_type: any type the parser takes.
        label: who is asking, for logs and events; by default the type's name.
        options: those of `ReaderOptions`.

    Returns:
        What reads a text as the type: `parse`, `read`, `stream`.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> plain_output(Review).parse('{"score": 4}')
        Review(score=4)

    .. versionadded:: 0.1.0
    """
    hooks, named = options.pop("normalizers", None) or (), options.pop("context_label", "")
    return AgentOutput(label or named or name_of(dto_type), dto_type, LLMJsonParseError, hooks, options=options)


def read_text(text: str, output: AgentOutput[Any] | None, **options: Any) -> ParsedOutput[Any]:  # noqa: ANN401 - checked there
    """Read a text into a type; without one, into plain data.

    Args:
        text: what a model wrote.
        output: the type, and what goes with it.
        options: those of `ReadOptions`; without a type those of `DecodeOptions`, and `root`.

    Raises:
        LLMJsonParseError: it is refused.
    """
    if output is None:
        decoded = decode_llm_json(text, **options)
        return ParsedOutput(decoded.data, decoded)
    return output.parse_with_trace(text, **options)


_TEXT_LIMIT = 300
"""Most characters that are shown of a part, and of what is wrong with it."""


class _PartsType(SchemaType[dict[str, Any]]):
    """An object of some parts of a type, each under a name of its own."""

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        """`schema`: Pydantic's core schema of it."""
        self.name = name
        self._schema = schema

    def json_schema(self) -> dict[str, Any]:
        return adapter_of(self).json_schema(by_alias=True)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = self._schema
        return cast("CoreSchema", schema)


class _MendedOutput(Generic[T]):
    """The output contract of an agent for one answer; implements `OutputPort` and `MendingOutput` of a `Partial`."""

    def __init__(self, output: AgentOutput[T]) -> None:
        """`output`: how a whole answer is read."""
        self.label = output.label
        self.dto_type: Any = output.dto_type
        self.wanted: PartsWanted | None = None
        self._output = output
        wanted = target_type(output.checked_type)
        self._target = Target(wanted, tuple(output.normalizers), keep="draft")
        self._parts = TypeParts(wanted.adapter.core_schema)
        self._last: ParsedText[Draft] | None = None
        self._best: ParsedText[Partial[T]] | None = None

    def read(self, raw: str, *, finished: Finished = None) -> ParsedText[Partial[T]]:
        """Read a whole answer, or the parts that are wanted of one.

        Raises:
            Exception: the agent's own error: the text cannot be read, or parts of the answer cannot be used yet.
        """
        with self._output.own_error():
            end, last = known_end(finished), self._last
            if self.wanted and last:
                text = self._mended(last, self.wanted, raw, end)
            else:
                draft = read_draft(raw, replace(self._target, finished=end), self.label)
                text = replace(parsed_text(draft.value, draft.decoded), data=draft.value.data)
            kept = self._keep(text)
            if text.value.error:
                raise text.value.error
        return kept

    def kept(self, cut: str | None) -> ParsedText[Partial[T]] | None:
        if self._best is None and cut is not None:
            with suppress(LLMJsonParseError):
                return ParsedText(_good(self._output, cut, finished=False), grade=Grade.CHOSEN)
        return self._best

    def _mended(
        self,
        last: ParsedText[Draft],
        wanted: PartsWanted,
        raw: str,
        finished: bool | None,  # noqa: FBT001 - passed on
    ) -> ParsedText[Draft]:
        """The answer with the parts of another text in their places."""
        from src.shared.infrastructure.parsing.parts import put  # noqa: PLC0415 - hardly an agent needs it

        found = read_draft(raw, Target(target_type(wanted.dto_type), finished=finished, keep="draft"), self.label)
        given = [(path, found.value.data[name]) for name, path, _ in _named(last.value) if name in found.value.data]
        if found.value.error and not given:
            raise found.value.error
        data = last.value.data
        for path, part in given:  # the whole answer is validated anew: a part may still be wrong
            data = put(data, path, part)
        state = finish_draft(data, self._target)
        grade = least_sure(one for one in (last.grade, found.decoded.grade) if one)
        draft = state.result
        return ParsedText(draft, last.repairs, last.stages, draft.data, state.coercions, grade)

    def _keep(self, text: ParsedText[Draft]) -> ParsedText[Partial[T]]:
        """What there is of an answer; remember the best of it, and what to ask for next."""
        draft = text.value
        kept: ParsedText[Any] = ParsedText(
            draft.kept, text.repairs, text.stages, draft.data, text.coercions, text.grade
        )
        self._last, self.wanted = text, self._parts_wanted(draft) if draft.wanted else None
        best = self._best.value.problems if self._best else None
        if draft.kept is not None and (best is None or len(draft.kept.problems) <= len(best)):
            self._best = kept
        return kept

    def _parts_wanted(self, draft: Draft) -> PartsWanted:
        fields = {}
        for name, path, _ in _named(draft):
            schema: Any = self._parts.at(path)
            fields[name] = core_schema.typed_dict_field(schema, required=True)
        schema = self._parts.with_definitions(core_schema.typed_dict_schema(fields))
        parts = _PartsType(f"{schema_name(self.dto_type)}_parts"[:64], schema)
        problems = [(name, problem) for name, _, problem in _named(draft)]
        return PartsWanted(parts, lambda: "\n".join(_line_of(*one) for one in problems))


def _named(draft: Draft) -> list[tuple[str, Path, PartProblem]]:
    """The parts that are wanted, each under a name that no data can choose."""
    return [(f"part_{number}", *part) for number, part in enumerate(draft.wanted, 1)]


def _line_of(name: str, problem: PartProblem) -> str:
    """One part: where it stands, what is wrong, and how it was written; one line, whatever the model wrote."""
    wrong = "; ".join(problems_of(problem.error))
    line = f"- {name}: {one_line(problem.path, _TEXT_LIMIT)}: {one_line(wrong, _TEXT_LIMIT)}"
    return f"{line}: {one_line(problem.text, _TEXT_LIMIT)}" if problem.text else line
