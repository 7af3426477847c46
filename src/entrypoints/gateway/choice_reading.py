"""Reads one choice of a completion: content by a schema, calls by the schemas of their tools, reasoning apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from src.entrypoints.http.reading import QUICK, QUICK_WORK, HttpContract, SchemaContracts
from src.entrypoints.http.requests import ParseBody, ParseRequest
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import FinishReason, finish_reason_of
from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.language import Phrase
from src.shared.domain.reading.signs import JSON_BLANKS
from src.shared.domain.reasoning import draft_marks
from src.shared.domain.strict_json import strict
from src.shared.infrastructure.llm_json import ParsedOutput, parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.inspection import Note
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, parse_named_call, read_tool_calls

Schema: TypeAlias = dict[str, Any]
Contracts: TypeAlias = Callable[[Schema], HttpContract]

LARGE = 65_536
"""Characters of strict JSON up to which the loop reads it; of anything else far fewer."""
_IN_DRAFT = Phrase("a call stands before a mark that closes reasoning: it may be none")
_NO_CALL = Phrase("the model is said to have called a tool, and there is no call")


class Call(NamedTuple):
    """A call of a function: its name, its arguments as JSON, and what the model calls it."""

    name: str
    arguments: str
    id: str | None = None


@dataclass(frozen=True)
class Choice:
    """What one choice says, and by what it is read.

    Attributes:
        content: its text.
        calls: of functions, as the upstream told them apart; others than functions are left aside.
        finish: why the model stopped, in the upstream's word.
        schema: of the content; None where it is prose.
        tools: the schema of each function's arguments, by its name.
        may_leak: whether a call in the text is one.
        is_plain: whether content and arguments are texts, as they are to be.
    """

    content: str
    calls: tuple[Call, ...]
    finish: str | None
    schema: Schema | None
    tools: dict[str, Schema]
    may_leak: bool = True
    is_plain: bool = True


class Refusal(NamedTuple):
    """Why a choice cannot be read.

    Attributes:
        code: for programs.
        message: for people.
        stage: of the parser.
        feedback: for the model.
    """

    code: str
    message: str
    stage: str
    feedback: str


class ChoiceReading(NamedTuple):
    """What a choice says.

    Attributes:
        content: its text, JSON where a schema is given; None where there are only calls.
        calls: all that are to be made.
        reasoning: what stood in the text and is none of the answer.
        is_own: whether content and calls are what the upstream sent, to the last character.
        grade: how sure the least sure part of it is.
        repairs: how many there were.
    """

    content: str | None
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    is_own: bool = True
    grade: Grade = Grade.CLEAN
    repairs: int = 0


def read_choice(choice: Choice) -> ChoiceReading | Refusal:
    """Read a choice in a process that can be ended.

    Raises:
        Problem: a schema cannot be used as a type.
    """
    try:
        return _read(choice, lambda schema: _SCHEMAS.kept(schema) or _SCHEMAS.compile(schema), HttpContract.read)
    except LLMJsonParseError as error:
        return Refusal(error.code, error.message, error.details["stage"], error.feedback())


_SCHEMAS = SchemaContracts()
"""What this process, if it is a reader, has compiled."""


def read_at_once(choice: Choice, contracts: SchemaContracts) -> ChoiceReading | None:
    """Read a choice on the loop, if that takes little work and it is not refused; else None."""
    schemas = [*(choice.tools.values() if choice.calls else ()), *([] if choice.schema is None else [choice.schema])]
    kept = [contracts.kept(schema) for schema in schemas]
    texts = [choice.content, *(call.arguments for call in choice.calls)]
    may_be_call = choice.may_leak and choice.content.strip()
    if may_be_call or not all(one is not None and one.is_quick for one in kept) or not all(map(_is_quick, texts)):
        return None
    with suppress(LLMJsonParseError, _TooMuchWorkError):
        return _read(choice, lambda schema: contracts.kept(schema) or contracts.compile(schema), _with_little_work)
    return None


class _TooMuchWorkError(Exception):
    """A process reads it."""


def _with_little_work(contract: HttpContract, request: ParseRequest) -> ParsedOutput[Any]:
    parsed = contract.read_at_once(request, QUICK_WORK)
    if parsed is None:
        raise _TooMuchWorkError
    return parsed


def _is_quick(text: str) -> bool:
    return len(text) <= QUICK or (len(text) <= LARGE and _strict(text) is not None)


def _strict(text: str) -> object:
    """The value of a text that is strict JSON, an object or a list for the most part; else None."""
    with suppress(ValueError, RecursionError, OverflowError):
        value, end = strict(text, len(text) - len(text.lstrip(JSON_BLANKS)))
        if not text[end:].strip(JSON_BLANKS):
            return value
    return None


_Read: TypeAlias = Callable[[HttpContract, ParseRequest], ParsedOutput[Any]]


def _read(choice: Choice, contract_of: Contracts, read: _Read) -> ChoiceReading:
    finish = finish_reason_of(choice.finish)
    if choice.calls:
        return _named_calls(choice, finish, contract_of)
    if choice.may_leak and choice.content.strip():
        types = {name: contract_of(schema).type for name, schema in choice.tools.items()}
        is_call = contains_tool_call(choice.content, types)
        if is_call or contains_tool_call(_without_marks(choice.content), types):  # it may stand in open reasoning
            found = read_tool_calls(choice.content, types, finished=finish.finished if is_call else None)
            if found:
                return _leaked_calls(choice.content, found)
            first = next(draft_marks(without_reasoning(choice.content)[0]), None)
            if first is not None and first.closes:
                raise _no_call(_IN_DRAFT, choice)
    if finish is FinishReason.TOOL_CALLS and choice.tools:
        raise _no_call(_NO_CALL, choice)
    if choice.schema is None:
        content, reasoning = without_reasoning(choice.content)
        return ChoiceReading(content, (), reasoning, *_kept(choice, content))
    contract = contract_of(choice.schema)
    request = ParseBody.model_construct(text=choice.content, finished=finish.finished)
    parsed = read(contract, request)
    grade, repairs = parsed.decoded.grade, len(parsed.decoded.repairs)
    if grade is Grade.CLEAN and _strict(choice.content) is not None:
        return ChoiceReading(choice.content, is_own=choice.is_plain)
    reasoning = _reasoning_in(choice.content, parsed.decoded.notes)
    return ChoiceReading(contract.written(parsed.value).decode(), (), reasoning, False, grade, repairs)  # noqa: FBT003 - a tuple


def _no_call(message: Phrase, choice: Choice) -> LLMJsonParseError:
    return LLMJsonParseError(message.text(), {"stage": "tool_call", "root": "call", "raw_length": len(choice.content)})


def _named_calls(choice: Choice, finish: FinishReason, contract_of: Contracts) -> ChoiceReading:
    """The calls that the upstream told apart from the text."""
    contracts = {name: contract_of(schema) for name, schema in choice.tools.items()}
    types = {name: contract.type for name, contract in contracts.items()}
    calls, grade, repairs = [], Grade.CLEAN, 0
    for call in choice.calls:
        value = parse_named_call(call.name, call.arguments, types, finished=finish.finished).arguments
        if _strict(call.arguments) == value:
            calls.append(call)
            continue
        if value:
            known = None if finish.finished else finish.finished
            decoded = parse_llm_json_output_with_trace(call.arguments, types[call.name], finished=known).decoded
            grade, repairs = least_sure((grade, decoded.grade)), repairs + len(decoded.repairs)
        calls.append(call._replace(arguments=contracts[call.name].written(value).decode()))
        grade = least_sure((grade, Grade.LOSSLESS))
    content, reasoning = without_reasoning(choice.content) if choice.may_leak else (choice.content, "")
    is_own, wrapped = _kept(choice, content)
    is_own &= tuple(calls) == choice.calls and true_finish(choice.finish) == choice.finish
    return ChoiceReading(content, tuple(calls), reasoning, is_own, least_sure((grade, wrapped)), repairs)


def _leaked_calls(text: str, found: Sequence[ToolCall]) -> ChoiceReading:
    """The calls that stand in a text, and what stands beside them; how much was mended in them nobody says."""
    before, reasoning = without_reasoning(text[: found[0].span.start])
    content = before + _outside(text, [call.span for call in found])[found[0].span.start :]
    calls = tuple(map(call_of, found))
    return ChoiceReading(content if content.strip() else None, calls, reasoning, False, Grade.READ)  # noqa: FBT003 - a tuple


def call_of(call: ToolCall) -> Call:
    """A call that stands in a text, its arguments as JSON."""
    return Call(call.name, HttpContract("tool", None).written(call.arguments).decode(), call.id)


def _outside(text: str, spans: Sequence[Span]) -> str:
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _kept(choice: Choice, content: str) -> tuple[bool, Grade]:
    """Whether a text is as it came, and the grade of that."""
    is_same = content == choice.content
    return choice.is_plain and is_same, Grade.CLEAN if is_same else Grade.WRAPPED


def true_finish(finish: str | None) -> str | None:
    """The finish reason of a choice that has calls."""
    is_true = finish_reason_of(finish) in {FinishReason.TOOL_CALLS, FinishReason.LENGTH, FinishReason.REFUSED}
    return finish if is_true else "tool_calls"


# --- reasoning ----------------------------------------------------------------------------------------------


def _reasoning_in(text: str, notes: Iterable[Note]) -> str:
    """What was dropped as reasoning, without its marks."""
    spans = [note.span for note in notes if note.stage == "think" and note.action == "dropped"]
    return "\n".join(filter(None, (_between_marks(text[span.start : span.end]) for span in spans)))


def without_reasoning(text: str) -> tuple[str, str]:
    """Prose behind a closed block of reasoning at its very beginning, and the reasoning; elsewhere it may be prose."""
    start, depth, family = len(text) - len(text.lstrip()), 0, ""
    for mark in draft_marks(text):
        family = family or mark.family
        if not depth and (mark.start != start or mark.closes or mark.is_void or not mark.is_firm):
            break
        if mark.family == family and not mark.is_void:
            depth += -1 if mark.closes else 1
        if not depth:
            return text[mark.end :].lstrip(), _between_marks(text[start : mark.end])
    return text, ""


def _without_marks(text: str) -> str:
    """A text without the marks of reasoning in it, but not without the reasoning."""
    marks = [*draft_marks(text)]
    return _outside(text, [Span(mark.start, mark.end) for mark in marks]) if marks else ""


def _between_marks(block: str) -> str:
    marks = list(draft_marks(block))
    start = marks[0].end if marks and not marks[0].start else 0
    end = marks[-1].start if marks and marks[-1].end == len(block) else len(block)
    return block[start:end].strip()
