"""Every option of every public function and class is checked where it is given, before a text is looked at."""

import asyncio
import inspect
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, is_typeddict

import pytest
from pydantic import BaseModel

import llm_output
from llm_output import (
    AgentOutput,
    FinishReason,
    Grade,
    Lenient,
    LLMJsonParseError,
    LLMJsonStream,
    NumberMeaning,
    Partial,
    ReadAs,
    ToolCallStream,
    contains_tool_call,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
    parse_tool_call,
    plain_output,
    read_tool_calls,
)
from llm_output.agents import parse_envelope, parse_payload
from llm_output.events import MemoryEvents, ObservedOutput
from llm_output.llama_index import RefusedOutputError, UnifiedOutputParser
from llm_output.visual_rag import parse_action
from src.modules.cowriting.application import OpenEnvelope
from src.modules.cowriting.infrastructure import AnyPayload, EnvelopeOutput
from src.shared.domain.options import CHECKS, FLAGS, check_options
from src.shared.domain.options import OPTIONS as READING
from tests.shared.application.typed import typed


class Row(BaseModel):
    a: int


WHOLE, CUT = '{"a": 1}', '{"a": 1'


class Door(NamedTuple):
    """A parameter of a public function, or of a method of a public class."""

    module: ModuleType
    name: str
    parameter: str

    def __str__(self) -> str:
        return f"{self.module.__name__}.{self.name}({self.parameter})"


def callables_of(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions and classes of a module, and the methods of the classes; protocols are for others to keep."""
    for name in module.__all__:
        found = getattr(module, name)
        is_class = (
            isinstance(found, type)
            and not is_typeddict(found)
            and not issubclass(found, Enum)
            and not getattr(found, "_is_protocol", False)
        )
        if is_class or isinstance(found, FunctionType):
            yield name, found
        for key, method in vars(found).items() if is_class else ():
            if isinstance(method, FunctionType) and not key.startswith("_"):
                yield f"{name}.{key}", method


MODULES = [
    llm_output,
    *(import_module(f"llm_output.{one.name}") for one in iter_modules(llm_output.__path__) if one.name != "instructor"),
]
"""instructor has an environment of its own, and its test there."""
CALLABLES = [
    (module, name, inspect.signature(found).parameters) for module in MODULES for name, found in callables_of(module)
]
OPTIONS = {*CHECKS, "finished"}
OF_ANOTHER_MEANING = {
    "RepairedToolCalls(tools)",  # what `bind_tools` takes
    "Rollout(tools)",
    "LLMGenerationManager(tools)",
    "LLMGenerationManager(rules)",  # what a rollout is made of
    "LLMRequest(timeout)",  # the provider's client takes it
    "contains_tool_call(tools)",
    "UnifiedOutputParser.read(tools)",  # names
}
DOORS = [
    Door(module, name, parameter)
    for module, name, parameters in CALLABLES
    for parameter in parameters
    if parameter in OPTIONS and f"{name}({parameter})" not in OF_ANOTHER_MEANING
]
NO_OPTIONS = {
    *("name", "dto_type", "meaning", "choice", "max_bytes", "last_image"),  # what is read
    *(
        "system_message",
        "temperature",
        "max_tokens",
        "budget",
        "output_schema",
        "reasoning_effort",
        "stop",
    ),  # a request
    *("extra_headers", "extra_body", "progress"),
    "options",  # several at once
    *("logging", "strict"),  # those of json_repair
}
"""Parameters with a default, beside options, that do not say how a text is read."""


def test_option_without_a_check_is_found() -> None:
    """A new parameter of whatever takes options is checked, or named above as no option."""
    unknown = {
        f"{module.__name__}.{name}({parameter.name})"
        for module, name, parameters in CALLABLES
        if OPTIONS & {*parameters} and f"{name}(tools)" not in OF_ANOTHER_MEANING
        for parameter in parameters.values()
        if parameter.default is not parameter.empty and parameter.name not in OPTIONS | NO_OPTIONS
    }
    assert unknown == set()
    assert len(DOORS) > 100


REQUIRED: dict[str, Any] = {
    **dict.fromkeys(("raw", "text", "arguments", "payload", "prompt", "json_str"), WHOLE),
    **dict.fromkeys(("texts", "predictions", "responses", "messages"), (WHOLE,)),
    **dict.fromkeys(("dto_type", "answer_type", "output_model"), Row),
    "tools": {"f": Row},
    "schema": {"type": "object"},
    "label": "x",
    "error_type": LLMJsonParseError,
    "eos_token": "",
    "completion": None,
    "llm": None,
    "stream": (),
    "result": None,
}


def owner_of(name: str) -> Any:  # noqa: ANN401 - any object
    """What a method is called on; None for a function or a class."""
    makers: dict[str, Callable[[], Any]] = {
        "AgentOutput": lambda: plain_output(Row),
        "LLMJsonStream": lambda: LLMJsonStream(Row),
        "ObservedOutput": lambda: ObservedOutput(plain_output(Row), MemoryEvents()),
        "ReadAs": ReadAs,
        "ToolCallStream": lambda: ToolCallStream({"f": Row}),
        "TypedLLM": lambda: typed(WHOLE)[0],
        "UnifiedOutputParser": lambda: UnifiedOutputParser(Row),
    }
    return makers[name.partition(".")[0]]() if "." in name else None


def called(door: Door, value: object) -> object:
    owner = owner_of(door.name)
    function = getattr(owner, door.name.partition(".")[2]) if owner else getattr(door.module, door.name)
    needed = {
        name: REQUIRED[name]
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    result = function(**{**needed, door.parameter: value})
    if inspect.isasyncgen(result):
        return asyncio.run(anext(result))
    return asyncio.run(result) if inspect.iscoroutine(result) else result


class Reason(Enum):
    LENGTH = "length"


WRONG: dict[str, tuple[object, ...]] = {
    "finished": (0, 1, 0.0, "", "no", "length", "True", Reason.LENGTH, (), object),
    **dict.fromkeys((*FLAGS, *(name for name, one in READING.items() if one.kind is bool)), ("no", "", 0, 1, None)),
    **dict.fromkeys(("context_label", "label"), (5, b"x", ["x"])),
    **dict.fromkeys(("several", "escapes", "run_together", "accept"), ("lst", "", 1, True, None, ["last"])),
    "notations": ("yaml", "", 1, None, True, ["yml"], {"json": 1}, [None]),
    **dict.fromkeys(("keep", "root"), ("all", "", 1, True, ["good"])),
    "language": ("fr", "EN", "", 1, True, ["en"]),
    "timeout": ("5", True, 0, -1, float("nan"), float("inf"), 10**400, Decimal(5)),
    **dict.fromkeys(("normalizers", "rules"), (str.lower, Row, 5, "x", ["x"], [None], {"a": 1}, iter(()))),
    "tools": ([Row], Row, "f", None),
}
HOOKS_BY_TOOL: tuple[object, ...] = (str.lower, [str.lower], 5, "x", {"f": str.lower}, {"f": "x"}, {"f": ["x"]})


@pytest.mark.parametrize("door", DOORS, ids=str)
def test_option_of_no_known_value_is_a_mistake_of_the_caller(door: Door) -> None:
    by_tool = door.name in ("read_tool_calls", "ToolCallStream") and door.parameter == "normalizers"
    for value in HOOKS_BY_TOOL if by_tool else WRONG[door.parameter]:
        with pytest.raises((TypeError, ValueError), match=rf"\A{door.parameter}(\[.+\])? must be ") as refused:
            called(door, value)
        assert door.parameter != "finished" or refused.type is TypeError


def test_error_of_an_end_says_what_reads_the_word_of_a_provider() -> None:
    with pytest.raises(TypeError, match=r"not 'length'; for what a provider said: finish_reason_of\(word\)\.finished"):
        parse_llm_json_output(CUT, Row, finished="length")  # type: ignore[call-overload]


# --- what is known of the end ---

READERS: dict[str, Callable[[str, Any], object]] = {
    "parse": lambda text, end: parse_llm_json_output(text, Row, finished=end),
    "parse with an option": lambda text, end: parse_llm_json_output(text, Row, finished=end, several="last"),
    "with_trace": lambda text, end: parse_llm_json_output_with_trace(text, Row, finished=end).value,
    "decode": lambda text, end: decode_llm_json(text, finished=end).data,
    "stream": lambda text, end: fed(LLMJsonStream(Row), text).close(end),
    "agent": lambda text, end: plain_output(Row).parse(text, finished=end),
    "agent, read": lambda text, end: plain_output(Row).read(text, finished=end).value,
    "agent, mending": lambda text, end: plain_output(Row).mending().read(text, finished=end).value.value,
    "observed": lambda text, end: ObservedOutput(plain_output(Row), MemoryEvents()).read(text, finished=end).value,
    "llama-index": lambda text, end: UnifiedOutputParser(Row).read(text, finished=end),
    "payload": lambda text, end: parse_payload(text, finished=end),
    "typed payload": lambda text, end: parse_payload(text, Row, finished=end),
    "payload of a list": lambda text, end: AnyPayload().read(
        f"[{text}]"[: len(text) + 1 + text.endswith("}")], finished=end
    ),
}


def fed(stream: Any, text: str) -> Any:  # noqa: ANN401 - any stream
    stream.feed(text)
    return stream


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_reason_says_what_its_end_says(read: Callable[[str, Any], object]) -> None:
    for reason in FinishReason:
        for text in (WHOLE, CUT):
            assert outcome(read, text, reason) == outcome(read, text, reason.finished)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_cut_answer_is_not_read_whatever_says_that_it_is_cut(read: Callable[[str, Any], object]) -> None:
    numpy = pytest.importorskip("numpy")
    for end in (False, numpy.False_, FinishReason.LENGTH, FinishReason.REFUSED, FinishReason.ERROR):
        assert outcome(read, WHOLE, end) is outcome(read, CUT, end) is None
    for end in (True, numpy.True_, FinishReason.STOP):
        assert outcome(read, WHOLE, end) is not None


def outcome(read: Callable[[str, Any], object], text: str, end: object) -> str | None:
    try:
        return repr(read(text, end))
    except (LLMJsonParseError, llm_output.AppException, RefusedOutputError):
        return None


def test_calls_heed_every_end() -> None:
    numpy = pytest.importorskip("numpy")
    text = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    for end in (False, numpy.False_, FinishReason.LENGTH):
        for read in (
            partial(parse_tool_call, WHOLE, Row),
            partial(read_tool_calls, text, {"f": Row}),
            fed(ToolCallStream({"f": Row}), text).close,
        ):
            with pytest.raises(LLMJsonParseError) as refused:
                read(finished=end)
            assert refused.value.details["truncated"]
    assert parse_tool_call(None, Empty, finished=FinishReason.STOP) == Empty()
    with pytest.raises(LLMJsonParseError, match="empty"):
        parse_tool_call(None, Row, finished=FinishReason.TOOL_CALLS)


class Empty(BaseModel):
    a: int = 0


def test_actions_and_envelopes_heed_every_end() -> None:
    action = '{"think": "", "action": "answer", "arguments": {}, "answer": "x"}'
    envelope = '{"meta": {}, "payload": "x"}'
    for end in (False, FinishReason.LENGTH):
        assert parse_action(action, finished=end).action_type is None
        with pytest.raises(llm_output.AppException, match="cut off"):
            parse_envelope(envelope, finished=end)
    assert parse_action(action, finished=FinishReason.STOP).action_type == "answer"
    assert parse_envelope(envelope, finished=FinishReason.STOP).payload == "x"


def test_open_envelope_heeds_every_end() -> None:
    reader = OpenEnvelope(EnvelopeOutput(), MemoryEvents())
    envelope = '{"meta": {}, "payload": "x"}'
    for wrong in ("length", 0):
        with pytest.raises(TypeError, match="finish_reason_of"):
            asyncio.run(reader.envelope(envelope, finished=wrong))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="finish_reason_of"):
            asyncio.run(reader.payload("", AnyPayload(), finished=wrong))  # type: ignore[arg-type]
    with pytest.raises(llm_output.AppException, match="cut off"):
        asyncio.run(reader.envelope(envelope, finished=FinishReason.LENGTH))


def test_without_numpy_nothing_is_one_of_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(TypeError, match="finish_reason_of"):
        parse_llm_json_output(WHOLE, Row, finished=0)  # type: ignore[call-overload]
    monkeypatch.setitem(sys.modules, "numpy", ModuleType("numpy"))
    with pytest.raises(TypeError, match="finish_reason_of"):
        parse_llm_json_output(WHOLE, Row, finished=0)  # type: ignore[call-overload]


def test_end_is_checked_before_a_stream_is_closed() -> None:
    stream = fed(LLMJsonStream(Row), WHOLE)
    with pytest.raises(TypeError, match="finish_reason_of"):
        stream.close("length")
    assert stream.close() == Row(a=1)


# --- what is right stays right ---


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    return {"a": data["b"]}


def test_values_of_each_option_are_taken() -> None:
    numpy = pytest.importorskip("numpy")
    for flag in (True, False, numpy.True_, numpy.False_):
        check_options(coerce=flag, unwrap=flag, salvage=flag)
    for hooks in ([renamed], (renamed,), deque([renamed])):
        assert parse_llm_json_output('{"b": 1}', Row, normalizers=hooks) == Row(a=1)
    empty: list[list[Any] | tuple[Any, ...] | None] = [None, [], ()]
    for nothing in empty:
        assert parse_llm_json_output(WHOLE, Row, normalizers=nothing) == Row(a=1)
    times: list[Any] = [5, 0.5, Fraction(1, 2), numpy.float32(5), numpy.int64(5), None]
    for seconds in times:
        assert parse_llm_json_output(WHOLE, Row, timeout=seconds) == Row(a=1)
    for grade in (*Grade, *map(str, Grade)):
        check_options(accept=grade)
    assert parse_llm_json_output('{"o": {"a": "1"}}', Row, unwrap=numpy.True_, coerce=numpy.True_) == Row(a=1)
    assert parse_llm_json_output(WHOLE, Row, keep="good") == Partial(Row(a=1))
    assert decode_llm_json(CUT + ", ", salvage=numpy.True_, root="object").data == {"a": 1}
    assert read_tool_calls("", {"f": Row}, normalizers={"f": [renamed], "g": ()}) == ()
    assert read_tool_calls("", {"f": Row}, normalizers=None) == ()


def test_label_of_another_kind_of_text_is_taken() -> None:
    class Label(str):
        __slots__ = ()

    assert parse_llm_json_output(WHOLE, Row, context_label=Label("x")) == Row(a=1)


def test_options_given_by_place_are_checked() -> None:
    with pytest.raises(TypeError, match="context_label must be str, not int"):
        LLMJsonStream(Row, 5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"normalizers must be .*; write normalizers=\[renamed\]"):
        LLMJsonStream(Row, "x", renamed)  # type: ignore[call-overload]


def test_one_name_is_no_list_of_names() -> None:
    with pytest.raises(TypeError, match=r"write \['search'\]"):
        contains_tool_call("", "search")


def test_meaning_of_numbers_may_be_named_by_its_word() -> None:
    assert Lenient("percent").meaning is NumberMeaning.PERCENT  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'procent' is not a valid NumberMeaning"):
        Lenient("procent")  # type: ignore[arg-type]


def test_raw_of_another_type_is_told_with_a_time_too() -> None:
    with pytest.raises(TypeError, match="raw must be str or None, not int"):
        parse_llm_json_output(5, Row, timeout=1)  # type: ignore[call-overload]


# --- an agent's error class ---


class Bare(Exception):  # noqa: N818 - as applications write it
    pass


class PassingOn(Exception):  # noqa: N818 - as above
    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)


class Wanting(Exception):  # noqa: N818 - as above
    def __init__(self, message: str, *, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.errors = details["validation_errors"]


@pytest.mark.parametrize("error_type", [Bare, PassingOn, Exception, ValueError, dict, "x", None])
def test_error_class_that_takes_no_details_is_told_when_the_agent_is_made(error_type: Any) -> None:  # noqa: ANN401 - a mistake
    with pytest.raises(TypeError, match=r"def __init__\(self, message, \*, details\):\n        super\(\)"):
        AgentOutput("x", Row, error_type)


def test_two_lines_of_the_error_are_what_the_class_lacks() -> None:
    with pytest.raises(TypeError) as refused:
        AgentOutput("x", Row, Bare)  # type: ignore[arg-type]
    lines = re.findall(r"^    .*", str(refused.value), re.MULTILINE)
    assert len(lines) == 2
    made: dict[str, Any] = {}
    exec("\n".join(["class Mended(Exception):", *lines]), made)  # noqa: S102 - our own two lines
    with pytest.raises(made["Mended"], match="为空"):
        AgentOutput("x", Row, made["Mended"]).parse("")


def test_error_class_may_want_more_of_the_details() -> None:
    with pytest.raises(Wanting) as refused:
        AgentOutput("x", Row, Wanting).parse('{"a": "x"}')
    assert refused.value.errors[0]["loc"] == ("a",)
