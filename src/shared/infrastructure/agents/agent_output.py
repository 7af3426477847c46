"""What an agent's output parser is made of: a label, a DTO, normalizers, rules, and the context's own exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any, Generic, Protocol, TypeVar

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from src.shared.domain.answer_type import AnswerType, name_of
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.language import Language
from src.shared.domain.partial import Partial
from src.shared.domain.ports.output import OutputPort, OutputStream, ParsedText
from src.shared.domain.read_as import reading_as
from src.shared.domain.rules import Normalizer, Rule, RuleViolation
from src.shared.infrastructure.agents.parsed_text import parsed_text
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.parse_errors import MESSAGE

T = TypeVar("T")


def checked_type(dto_type: AnswerType[T], rules: Sequence[Rule[T]]) -> AnswerType[T]:
    """The type that an answer satisfies when it satisfies this one and keeps the rules.

    Every broken rule is a validation error of its own, at the rule's field. Without rules the type is given back.

    Args:
        dto_type: the type; a class, where there are rules.
        rules: applied to the validated object; none of them sees an answer of the wrong form.
    """
    if not rules:
        return dto_type
    given: Any = dto_type
    checked: Any = Annotated[given, AfterValidator(partial(_kept, tuple(rules)))]
    return TypeAdapter(checked)


def _kept(rules: Sequence[Rule[T]], answer: T) -> T:
    broken = [violation for violation in (rule(answer) for rule in rules) if violation]
    if broken:
        raise ValidationError.from_exception_data(type(answer).__name__, [_problem(one, answer) for one in broken])
    return answer


def _problem(violation: RuleViolation, answer: object) -> InitErrorDetails:
    said = {"said": violation.message.text(Language.BOTH), MESSAGE: violation.message}
    error = PydanticCustomError(violation.rule, "{said}", said)
    return InitErrorDetails(type=error, loc=violation.loc, input=answer)


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
        unwrap: whether an answer under one key, or in a list of one, is taken; as for `parse_llm_json_output`.

    .. versionadded:: 0.1.0
    """

    label: str
    dto_type: AnswerType[T]
    error_type: ErrorType
    normalizers: Sequence[Normalizer] = ()
    rules: Sequence[Rule[T]] = ()
    unwrap: bool = False

    @cached_property
    def checked_type(self) -> AnswerType[T]:
        """The type with the rules behind it: what a text is validated as."""
        checked = checked_type(self.dto_type, self.rules)
        return reading_as(checked, unwrap=True) if self.unwrap else checked

    def parse(self, raw: str, *, finished: bool | None = None) -> T:
        """Parse an agent's raw text.

        Args:
            raw: the text as the model gave it.
            finished: as for `parse_llm_json_output`.

        Raises:
            Exception: an `error_type` with the message and details of the parser's error, raised from it.
        """
        with self.own_error():
            return parse_llm_json_output(
                raw, self.checked_type, normalizers=self.normalizers, context_label=self.label, finished=finished
            )

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[T]:
        """`parse`, also returning how the text was read: the repairs, and the stages that had something to do.

        Raises:
            Exception: as for `parse`.
        """
        with self.own_error():
            parsed = parse_llm_json_output_with_trace(
                raw, self.checked_type, normalizers=self.normalizers, context_label=self.label, finished=finished
            )
        return parsed_text(parsed.value, parsed.decoded)

    def stream(self) -> OutputStream[T]:
        """A reader for one text that is still written: an `LLMJsonStream`."""
        from src.shared.infrastructure.llm_stream import LLMJsonStream  # noqa: PLC0415 - it loads the whole parser

        return LLMJsonStream(self.checked_type, self.label, self.normalizers)

    def parse_good(self, raw: str, *, finished: bool | None = None) -> Partial[T]:
        """`parse`, but keep the good parts of an answer that is not all right, and name the others.

        Raises:
            Exception: as for `parse`, where nothing can be kept.

        .. versionadded:: 0.1.0
        """
        with self.own_error():
            return parse_llm_json_output(
                raw,
                self.checked_type,
                normalizers=self.normalizers,
                context_label=self.label,
                finished=finished,
                keep="good",
            )

    def mending(self) -> OutputPort[Partial[T]]:
        """The contract for one answer of which the good parts are kept, and the others asked for."""
        from src.shared.infrastructure.agents.mended_output import MendedOutput  # noqa: PLC0415 - hardly an agent needs it

        return MendedOutput(self)

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


def plain_output(dto_type: AnswerType[T], label: str = "") -> AgentOutput[T]:
    """The output contract of a type without an agent: the parser's own error, no normalizers.

    .. versionadded:: 0.1.0
    """
    return AgentOutput(label or name_of(dto_type), dto_type, LLMJsonParseError)
