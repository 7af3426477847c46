"""Reads one choice of a completion: content by a schema, calls by the schemas of their tools, reasoning apart."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from src.entrypoints.gateway.chat_request import Contract, Schema
from src.entrypoints.http.pools import JobHandler, reader_environment
from src.entrypoints.http.reading import QUICK, QUICK_WORK, HttpContract, SchemaContracts
from src.entrypoints.http.requests import ParseBody
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import FinishReason, finish_reason_of
from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.language import Phrase
from src.shared.domain.reading.signs import JSON_BLANKS
from src.shared.domain.reasoning import between_marks, draft_marks, split_reasoning
from src.shared.domain.strict_json import strict
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.processes import ForkServer
from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, parse_named_call, read_tool_calls

LARGE = 65_536
"""Characters of strict JSON up to which the loop reads it; of anything else far fewer."""
_IN_DRAFT = Phrase("a call stands before a mark that closes reasoning: it may be none")
_NO_CALL = Phrase("the model is said to have called a tool, and there is no call")


class Call(NamedTuple):
    """A call of a function: its name, its arguments as JSON, and what it is called."""

    name: str
    arguments: str
    id: str = ""


class Choice(NamedTuple):
    """What one choice says: its text, its calls of functions, and in the upstream's word why the model stopped."""

    content: str
    calls: tuple[Call, ...]
    finish: object


class ChoiceReading(NamedTuple):
    """What a choice says.

    Attributes:
        content: its text, JSON where a schema is given; None where there are only calls.
        calls: all that are to be made.
        reasoning: what stood in the text and is none of the answer.
        is_own: whether content, calls and finish reason are the upstream's, to the last character.
        grade: how sure the least sure part of it is.
        repairs: how many there were.
    """

    content: str | None
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    is_own: bool = False
    grade: Grade = Grade.CLEAN
    repairs: int = 0


_SCHEMAS = SchemaContracts()
"""What this process, if it is a reader, has compiled."""


def read_choice(choice: Choice, contract: Contract) -> ChoiceReading | LLMJsonParseError:
    """Read a choice in a process that can be ended, or say why it cannot be read.

    Raises:
        Problem: a schema cannot be used as a type.
    """
    try:
        return _ChoiceReader(choice, contract, _SCHEMAS).read()
    except LLMJsonParseError as error:
        return error


class ChoiceHandler(JobHandler):
    """Does jobs in a reader that has loaded what choices need as well: that takes longer than a text has at first."""

    def __init__(self) -> None:
        super().__init__()
        for content, arguments, contract in _SAMPLES:
            calls = () if arguments is None else (Call("find", arguments),)
            read_choice(Choice(content, calls, None), contract)


READERS = ForkServer(f"{__name__}:{ChoiceHandler.__name__}", reader_environment)
"""Of each process of the gateway, if any is needed."""
FIRST_SECONDS = 0.25
"""Seconds of processor time that a choice has at first: looking for calls of new tools compiles for a tenth of one."""
_FOUND: Schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
_CALLS, _JSON = Contract(None, {"find": _FOUND}, may_leak=True), Contract(_FOUND, {}, may_leak=False)
_SAMPLES = (
    ("Prose (as it is).", None, _CALLS),
    ('<tool_call>{"name": "find", "arguments": {"q": "tea"}}</tool_call>', None, _CALLS),
    ("<think>tea</think><tool_call>{'name': 'find', 'arguments': {q: 'tea',}}", None, _CALLS),
    ("", "{'q': 'tea',", _CALLS),
    ("No JSON.", None, _JSON),
)
"""Choices of each kind: content, arguments of a call, and what is asked for."""


def read_at_once(choice: Choice, contract: Contract, schemas: SchemaContracts) -> ChoiceReading | None:
    """Read a choice on the loop, if that takes little work and it is not refused; else None."""
    used = [*(contract.tools.values() if choice.calls else ()), *([] if contract.schema is None else [contract.schema])]
    may_be_call = contract.may_leak and choice.content.strip()
    is_quick = not may_be_call and all(one is not None and one.is_quick for one in map(schemas.kept, used))
    if is_quick and all(map(_is_quick, [choice.content, *(call.arguments for call in choice.calls)])):
        with suppress(LLMJsonParseError, _TooMuchWorkError):
            return _ChoiceReader(choice, contract, schemas, QUICK_WORK).read()
    return None


class _TooMuchWorkError(Exception):
    """A process reads it."""


def _is_quick(text: str) -> bool:
    return len(text) <= QUICK or (len(text) <= LARGE and _strict(text) is not None)


def _strict(text: str) -> object:
    """The value of a text that is strict JSON, an object or a list for the most part; else None."""
    with suppress(ValueError, RecursionError, OverflowError):
        value, end = strict(text, len(text) - len(text.lstrip(JSON_BLANKS)))
        if not text[end:].strip(JSON_BLANKS):
            return value
    return None


@dataclass
class _ChoiceReader:
    """Reads one choice; with a bound of the work, what takes more is not read."""

    choice: Choice
    contract: Contract
    schemas: SchemaContracts
    most_work: int = 0

    def read(self) -> ChoiceReading:
        """What the choice says; raises what `HttpContract.read` raises, and `_TooMuchWorkError`."""
        contract, text = self.contract, self.choice.content
        if self.choice.calls:
            return self._named_calls()
        if contract.may_leak and text.strip() and (leaked := self._leaked_calls()):
            return leaked
        if finish_reason_of(self.choice.finish) is FinishReason.TOOL_CALLS and contract.tools:
            raise self._no_call(_NO_CALL)
        if contract.schema is not None:
            return self._json(self._compiled(contract.schema))
        content, reasoning = split_reasoning(text)
        is_own = content == text
        return ChoiceReading(content, (), reasoning, is_own, Grade.CLEAN if is_own else Grade.WRAPPED)

    @property
    def _finished(self) -> bool | None:
        return finish_reason_of(self.choice.finish).finished

    def _compiled(self, schema: Schema) -> HttpContract:
        return self.schemas.kept(schema) or self.schemas.compile(schema)

    def _tools(self) -> dict[str, HttpContract]:
        return {name: self._compiled(schema) for name, schema in self.contract.tools.items()}

    def _json(self, contract: HttpContract) -> ChoiceReading:
        text = self.choice.content
        request = ParseBody.model_construct(text=text, finished=self._finished)
        parsed = contract.read_at_once(request, self.most_work) if self.most_work else contract.read(request)
        if parsed is None:
            raise _TooMuchWorkError
        decoded = parsed.decoded
        if decoded.grade is Grade.CLEAN and _strict(text) is not None:
            return ChoiceReading(text, is_own=True)
        spans = (note.span for note in decoded.notes if note.stage == "think" and note.action == "dropped")
        reasoning = "\n".join(filter(None, (between_marks(text[span.start : span.end]) for span in spans)))
        written = contract.written(parsed.value).decode()
        return ChoiceReading(written, (), reasoning, grade=decoded.grade, repairs=len(decoded.repairs))

    def _named_calls(self) -> ChoiceReading:
        """The calls that the upstream told apart from the text."""
        choice, finished, tools = self.choice, self._finished, self._tools()
        types = {name: tool.type for name, tool in tools.items()}
        content, reasoning = split_reasoning(choice.content) if self.contract.may_leak else (choice.content, "")
        grades, repairs, calls = [Grade.CLEAN if content == choice.content else Grade.WRAPPED], 0, list[Call]()
        for call in choice.calls:
            value = parse_named_call(call.name, call.arguments, types, finished=finished).arguments
            if _strict(call.arguments) == value:
                calls.append(call)
                continue
            if value:
                known = None if finished else finished
                decoded = parse_llm_json_output_with_trace(call.arguments, types[call.name], finished=known).decoded
                grades, repairs = [*grades, decoded.grade], repairs + len(decoded.repairs)
            calls.append(Call(call.name, tools[call.name].written(value).decode()))
            grades.append(Grade.LOSSLESS)
        is_own = (content, tuple(calls), true_finish(choice.finish)) == (choice.content, choice.calls, choice.finish)
        return ChoiceReading(content, tuple(calls), reasoning, is_own, least_sure(grades), repairs)

    def _leaked_calls(self) -> ChoiceReading | None:
        """The calls that stand in the text, if there are any."""
        text = self.choice.content
        types = {name: tool.type for name, tool in self._tools().items()}
        is_call = contains_tool_call(text, types)
        marks = [] if is_call else [Span(mark.start, mark.end) for mark in draft_marks(text)]
        if not is_call and not (marks and contains_tool_call(_outside(text, marks), types)):  # in open reasoning
            return None
        if found := read_tool_calls(text, types, finished=self._finished if is_call else None):
            return leaked_calls(text, found)
        first = next(draft_marks(split_reasoning(text)[0]), None)
        if first is not None and first.closes:
            raise self._no_call(_IN_DRAFT)
        return None

    def _no_call(self, message: Phrase) -> LLMJsonParseError:
        length = len(self.choice.content)
        return LLMJsonParseError(message.text(), {"stage": "tool_call", "root": "call", "raw_length": length})


def leaked_calls(text: str, found: Sequence[ToolCall]) -> ChoiceReading:
    """The calls that stand in a text, and what stands beside them; how much was mended in them nobody says."""
    first, written = found[0].span.start, HttpContract("tool", None).written
    before, reasoning = split_reasoning(text[:first])
    content = before + _outside(text, [call.span for call in found])[first:]
    ids = (call.id or f"call_{secrets.token_hex(12)}" for call in found)
    calls = tuple(Call(call.name, written(call.arguments).decode(), id_) for call, id_ in zip(found, ids, strict=True))
    return ChoiceReading(content if content.strip() else None, calls, reasoning, grade=Grade.READ)


def true_finish(finish: object) -> object:
    """The finish reason of a choice that has calls."""
    is_true = finish_reason_of(finish) in {FinishReason.TOOL_CALLS, FinishReason.LENGTH, FinishReason.REFUSED}
    return finish if is_true else "tool_calls"


def _outside(text: str, spans: Sequence[Span]) -> str:
    """What stands outside of some parts of a text."""
    ends, starts = [0, *(span.end for span in spans)], [*(span.start for span in spans), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
