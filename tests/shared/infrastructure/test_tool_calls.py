"""Calls of tools in a model's text: what counts as one, what is text, and what is refused."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from src.shared.domain import work
from src.shared.domain.exceptions import FEEDBACK_LIMIT, LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS, TWO_READINGS
from src.shared.domain.reading.reading import NO_STRING_END
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS
from src.shared.infrastructure.tool_call_forms.words import CUT, NOT_LITERAL, TOO_MANY, TWICE, two_values
from src.shared.infrastructure.tool_calls import ToolCall, read_tool_calls
from tests.log_lines import structlog_unconfigured
from tests.shared.reading import why_and_where


@pytest.fixture(autouse=True)
def _logs_as_in_a_program_without_structlog() -> Iterator[None]:
    with structlog_unconfigured():
        yield


class Weather(BaseModel):
    city: str
    days: int = 1


class Search(BaseModel):
    query: str
    limit: int | None = None
    exact: bool = False
    note: str | None = None
    since: date | None = None
    price: Decimal | None = None
    side: Literal["BUY", "SELL"] = "BUY"
    tags: list[str] = []
    either: int | str | None = None
    anything: Any = None


class Now(BaseModel):
    pass


class Defaults(BaseModel):
    limit: int = 10


TOOLS: dict[str, Any] = {"get_weather": Weather, "search": Search, "now": Now, "defaults": Defaults}
PARIS = Weather(city="Paris", days=3)
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>'
NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def read(text: str | None, *, finished: bool | None = None) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in read_tool_calls(text, TOOLS, finished=finished)]


def refusal(text: str, *, finished: bool | None = None, tools: dict[str, Any] | None = None) -> LLMJsonParseError:
    with pytest.raises(LLMJsonParseError) as caught:
        read_tool_calls(text, tools or TOOLS, finished=finished)
    return caught.value


def is_cut_at_the_end(text: str, *, finished: bool | None = None) -> bool:
    details = refusal(text, finished=finished).details
    return details["truncated"] is True and details["position"]["offset"] == len(text)


def coder(name: str, **parameters: str) -> str:
    """A call as Qwen3-Coder writes it."""
    pairs = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters.items())
    return f"<tool_call>\n<function={name}>\n{pairs}</function>\n</tool_call>"


# --- what is a call, and what is none -----------------------------------------------------------------------


MARKS = "</tool_call><tool_call>[TOOL_CALLS]<think></think><|im_end|>"
MARKS_BETWEEN_TAGS = 'a </tool_call> <tool_call> </think> <think> {"name": "now"} <|im_end|>'
SECTION = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
IN_PARIS, NOW_CALL = ("get_weather", PARIS), ("now", Now())


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        # no call
        (None, []),
        ("", []),
        ("It is sunny in {Paris}, see [1](a) and [2].", []),
        ('{"answer": 4}', []),
        ('{"name": "Ann", "age": 4}', []),
        ('[{"name": "Ann"}]', []),
        ('{"doc": "write <tool_call>{\\"name\\": \\"now\\"}</tool_call>"}', []),
        ("[now] is no list of calls, and neither is now() in a sentence", []),
        ("Done.<|im_end|>", []),
        ("<|channel|>final<|message|>Done.<|return|>", []),
        ("now() tells the time.", []),
        ("other(a=1)", []),
        ('{"tool": "now", "parameters": 5}', []),
        ('{"about": "now", "arguments": ["for"]}', []),
        ('{"name": "now", "arguments": {}}; {"arguments": 4}', []),
        # the text ends, and begins no call
        ('Sure. I mean {x and {"answer": [1, 2', []),
        ("Sure. see the func", []),
        ('Sure. As in {"score": 4, "na', []),
        ("Sure. ```python\nx = 1\n```", []),
        ("Sure. a < b", []),
        ("Sure. x[", []),
        # nothing but calls
        ("get_weather(city='Paris', days=3)", [IN_PARIS]),
        ("now()\nget_weather(city='Paris', days=3)\n", [NOW_CALL, IN_PARIS]),
        ('{"name"": "get_weather", "arguments": {"city": "Paris", "days": 3}}', [IN_PARIS]),
        ("```tool_code\nprint(get_weather(city='Paris', days=3))\nnow()\n```", [IN_PARIS, NOW_CALL]),
        # beside a call with a mark
        (f'{NOW}\nIts "name": "now", and it takes no arguments.', [NOW_CALL]),
        (f'{NOW}\n{{"name": "Ann", "arguments": 5}}', [NOW_CALL]),
        # reasoning
        (f"<think>{NOW}</think>Sunny.", []),
        (f"<think>{NOW}</think>{HERMES}", [IN_PARIS]),
        (f"<|channel|>analysis<|message|>{NOW}<|end|>{HERMES}", [IN_PARIS]),
        ('<think>{"name": "now", "arguments": {}}</think>Sunny.', []),
        (f"I might <tool_call> or {NOW}</think>{HERMES}", [IN_PARIS]),
        (f"{NOW}<tool_call></think>Sunny.", []),
        (f"This <think/> is it: [draft] {NOW} (/plan)", [NOW_CALL]),
        # marks in a string, and in a value between tags
        (HERMES.replace("Paris", MARKS) + NOW, [("get_weather", Weather(city=MARKS, days=3)), NOW_CALL]),
        (coder("search", query=MARKS_BETWEEN_TAGS), [("search", Search(query=MARKS_BETWEEN_TAGS))]),
        # something of the end, or of the beginning, is missing
        (HERMES.replace("}}", "}"), [IN_PARIS]),
        (HERMES.removesuffix("\n</tool_call>"), [IN_PARIS]),
        (HERMES.removesuffix("\n</tool_call>") + "\n" + NOW, [IN_PARIS, NOW_CALL]),
        (HERMES.removeprefix("<tool_call>\n") + NOW, [IN_PARIS, NOW_CALL]),
        (f'{KIMI}{{"city": "Paris", "days": 3<|tool_calls_section_end|>', [IN_PARIS]),
        ("<tool_call><function=now></function><|im_end|>", [NOW_CALL]),
        # only with one of the places of the bracket do the members belong where they are known
        (
            '<tool_call>{"name": "search", "arguments": {"query": "x", "tags": ["a"], "exact": true}</tool_call>',
            [("search", Search(query="x", tags=["a"], exact=True))],
        ),
        # members
        ('{"name": "now", "parameters": {}}', [NOW_CALL]),
        ('{"name": "now", "arguments": null}', [NOW_CALL]),
        ('{"name": "now", "arguments": ""}', [NOW_CALL]),
        ('{"name": "now", "arguments": "{}"}', [NOW_CALL]),
        ('{"type": "function", "name": "now", "parameters": {}}', [NOW_CALL]),
        ('{"tool_name": "now", "args": {}, "tool_call_id": "1"}', [NOW_CALL]),
        ('{"type": "tool_use", "id": "a", "name": "now", "input": {}}', [NOW_CALL]),
        (
            '{"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "now", "arguments": "{}"}}]}',
            [NOW_CALL],
        ),
        ('Here it is:\n```json\n{"name": "now", "arguments": {}}\n```', [NOW_CALL]),
        ("{'name': 'now', 'arguments': {}}", [NOW_CALL]),
        ('{"name": "now", "arguments": {}}<|eot_id|>', [NOW_CALL]),
        # arguments in a string, and none
        (
            '[{"function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\", \\"days\\": 3}"}}]',
            [IN_PARIS],
        ),
        ('<tool_call>{"name": "defaults", "arguments": {}}</tool_call>', [("defaults", Defaults())]),
        ("<function=defaults>{}</function>", [("defaults", Defaults())]),
        # line breaks that the template puts around a value, and others
        ("<function=search><parameter=query>a</parameter></function>", [("search", Search(query="a"))]),
        ("<function=search><parameter=query>\na\n</parameter></function>", [("search", Search(query="a"))]),
        ("<function=search><parameter=query>\r\na\r\n</parameter></function>", [("search", Search(query="a"))]),
        ("<function=search><parameter=query>\n\na\n\n</parameter></function>", [("search", Search(query="\na\n"))]),
        (
            '<invoke name="search">\n<parameter name="query">\na\n</parameter>\n</invoke>',
            [("search", Search(query="\na\n"))],
        ),
        (
            "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>\na\n</arg_value>\n</tool_call>",
            [("search", Search(query="\na\n"))],
        ),
        (
            "<function=get_weather><parameter=city>a</parameter><parameter=days>\n2</parameter></function>",
            [("get_weather", Weather(city="a", days=2))],
        ),
    ],
)
def test_text_is_read_as_its_calls(text: str | None, calls: list[tuple[str, Any]]) -> None:
    assert read(text) == calls


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>",
        "<tool_call></tool_call>",
        "<tool_call>\nI would call now.\n</tool_call>",
        '<tool_call>{"answer": 4}</tool_call>',
        "<tool_call>[]</tool_call>",
        "<tool_call><tool_call><function=",
        "<function=get weather>",
        "<tool_call>\n<function=now>\nsome prose\n</function>",
        "[TOOL_CALLS]",
        "[TOOL_CALLS][]",
        "<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>now</tool_call>",
        "<|tool_call_begin|>",
        "<|channel|>commentary to=functions.now",
        "<|channel|>commentary to=functions.now<|message|>",
        "All done.</tool_call>",
        "[get_weather(city)]",
        "[get_weather('Paris')]",
        '{"name": "now", "arguments": [1] + [2]}',
        "Let me see: <tool_c",
        "[TOOL_CALLSget_weather[ARGS]{}",
        "function=search>\n<parameter=query>\na\n</parameter>",
        "tool_call>now<arg_key>a</arg_key>",
        "get_weather(city=paris)",
        "get_weather(city='Paris'",
        "get_weather(city='Paris', days=3)]",
    ],
)
def test_mark_without_a_call_that_can_be_read_is_refused(text: str) -> None:
    assert refusal(text).details["stage"] in {"extract", "repair", "root"}


def test_call_without_a_mark_beside_one_with_a_mark_is_not_lost() -> None:
    error = refusal(f'{NOW}\n{{"name": "get_weather", "arguments": {{"city": "Paris"}}}}')
    assert error.details["position"]["line"] == 4


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ('{"name" "now" "now", "arguments": ]}', TWO_READINGS, ' "now", "arg'),
        (
            "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'a</tool_call>b'}}</tool_call>",
            NO_STRING_END,
            "'a</tool_call>",
        ),
    ],
)
def test_text_that_looks_like_a_call_and_cannot_be_read_is_refused_at_its_place(
    text: str, reason: Message, place: str
) -> None:
    before = 1 if reason is TWO_READINGS else 0
    assert why_and_where(refusal(text)) == (reason.en, text.index(place) - before)


@pytest.mark.parametrize("text", [f"<think>{NOW}", f"{HERMES}<think>now", f"<|channel|>analysis<|message|>{NOW}"])
def test_reasoning_that_is_never_closed_is_refused(text: str) -> None:
    assert refusal(text).details["stage"] == "think"


@pytest.mark.parametrize("text", ['{"name": "get_wea', '```json\n{"na', "[get_wea", "[", '{"answer": [1, 2'])
def test_text_that_begins_like_a_call_and_is_cut_is_refused(text: str) -> None:
    assert refusal(text).details["truncated"] is True


# --- the end has to be shown ------------------------------------------------------------------------------


@pytest.mark.parametrize("finished", [None, True])
@pytest.mark.parametrize(
    "cut",
    [
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "days"',
        "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Paris'",
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3',
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}}',
        '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris", "days": 3',
        '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris", "days": 3',
        '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris", "days": 3',
        "<|tool_call_begin|>functions.defaults:0<|tool_call_argument_begin|>",
        '<function=get_weather>{"city": "Paris", "days": 3',
        "<function=defaults>",
        "<function=get_weather>\n<parameter=city>\nParis\n</parameter>",
        "<function=get_weather>\n<parameter=city>\nPar",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>",
        '<invoke name="get_weather"><parameter name="city">Paris</parameter>',
        '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3',
        '{"name": "get_weather", "parameters": {"city": "Paris", "days"',
        '{"name": "get_weather", "arguments": {"city": "北京", "days": 3',
        'Sure.\n{"name": "get_weather", "parameters": {"city": "Paris", "days": 3',
        "[get_weather(city='Paris', days=3)",
        "get_weather(ci",
    ],
)
def test_cut_arguments_are_never_closed(cut: str, finished: bool | None) -> None:  # noqa: FBT001 - a parameter
    """Servers say `stop` of calls that were cut off, so that nothing but the text shows the end of arguments."""
    assert is_cut_at_the_end(cut, finished=finished)


@pytest.mark.parametrize("finished", [None, True])
@pytest.mark.parametrize("lead", ["Sure.\n", "", "好的。\n", f"{NOW}\n"])
@pytest.mark.parametrize(
    "begun",
    [
        "{",
        '{"na',
        '{"name',
        '{"name"',
        '{"name": "get_wea',
        '{"name": "get_weather", "parameters"',
        "{'name': 'get_weather', 'arguments'",
        '{name: "get_weather", arguments',
        '[{"name": "get_weather", "argu',
        '[{"id": "call_0", "type": "function", "fun',
        '{"role": "assistant", "tool_calls": [{"id',
        "<tool_c",
        "[TOOL",
        "<",
        "[",
        "[get_w",
        "```tool_cod",
        "functo",
        "<|channel|>commentary t",
    ],
)
def test_call_that_is_cut_before_its_arguments_is_refused_where_the_text_ends(
    lead: str,
    begun: str,
    finished: bool | None,  # noqa: FBT001 - a parameter
) -> None:
    assert is_cut_at_the_end(lead + begun, finished=finished)


def test_call_of_python_that_is_cut_behind_another_is_refused() -> None:
    assert refusal("now()\nget_wea").details["truncated"] is True


def test_arguments_that_are_no_json_are_not_searched_for_some() -> None:
    """What stands behind the header is the arguments, or a form that is not known; not prose around an object."""
    inner = '<parameters><p name="x">{"city": "Paris"}</p></parameters>'

    error = refusal(f"<|channel|>commentary to=functions.get_weather<|message|>{inner}<|call|>")

    assert (error.details["stage"], error.details["position"]["offset"]) == ("extract", 0)


def test_section_has_to_be_closed_unless_the_model_stopped_by_itself() -> None:
    assert refusal(SECTION).details["truncated"] is True
    assert read(SECTION, finished=True) == [NOW_CALL]


@pytest.mark.parametrize("finished", [None, True])
def test_tags_that_end_a_call_may_not_be_missing(finished: bool | None) -> None:  # noqa: FBT001 - a parameter
    """Without them there may have been one more parameter."""
    text = coder("get_weather", city="Paris").split("\n</function>")[0]

    assert refusal(text, finished=finished).details["truncated"] is True
    assert refusal(text + "\nand so on", finished=finished).details["stage"] == "extract"


# --- names, spellings and members ---------------------------------------------------------------------------


def test_tool_that_there_is_not_is_refused_by_name() -> None:
    error = refusal(HERMES.replace("get_weather", "get_wether"))

    assert error.details["tool"] == "get_wether"
    assert error.details["tools"] == ["defaults", "get_weather", "now", "search"]
    assert error.details["position"]["offset"] == 0
    assert "get_wether" in error.feedback()
    assert "search" in error.feedback()


def test_only_some_of_many_tools_are_named() -> None:
    error = refusal(NOW, tools={f"tool_{number}": Now for number in range(40)})

    assert len(error.details["tools"]) == 20
    assert error.message.count(", …") == 2


@pytest.mark.parametrize(
    "members",
    [
        '"name": "get_weather", "city": "Paris"',
        '"name": "get_weather", "arguments": {"city": "Paris"}, "days": 3',
        '"name": "get_weather", "arguments": {"city": "Paris"}, "parameters": {}',
        '"name": "now", "tool_name": "search", "arguments": {}',
        '"name": 5, "tool_name": "now", "arguments": {}',
        '"name": "get_weather", "arguments": ["Paris"]',
    ],
)
def test_object_of_a_call_with_other_members_is_refused(members: str) -> None:
    assert refusal(f"<tool_call>{{{members}}}</tool_call>").details["stage"] == "extract"


def test_id_of_a_call_is_kept() -> None:
    kimi = "<|tool_call_begin|>functions.now:3<|tool_call_argument_begin|>{}<|tool_call_end|>"
    mistral = "[TOOL_CALLS]now[CALL_ID]a1b2c3d4e[ARGS]{}"
    numbered = '[TOOL_CALLS][{"name": "now", "id": 7}]'

    assert [read_tool_calls(text, TOOLS)[0].id for text in (kimi, mistral, numbered, NOW)] == [
        "functions.now:3",
        "a1b2c3d4e",
        "7",
        None,
    ]


def test_name_may_itself_look_like_one_with_a_namespace() -> None:
    text = "<|tool_call_begin|>functions.now:3<|tool_call_argument_begin|>{}<|tool_call_end|>"

    assert read_tool_calls(text, {"functions.now:3": Now})[0].name == "functions.now:3"


def test_arguments_in_a_string_that_is_cut_are_refused() -> None:
    text = '[{"function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\""}}]'
    assert refusal(text).details["tool"] == "get_weather"


# --- arguments --------------------------------------------------------------------------------------------


def test_arguments_of_another_tool_are_no_call_without_arguments() -> None:
    error = refusal("<function=defaults>{'city': 'Paris'}</function>")

    assert error.details["validation_errors"][0]["type"] == "no_known_field"


def test_digits_of_a_decimal_are_kept_in_every_form() -> None:
    digits = "0.1234567890123456789012345"
    texts = [
        f'<tool_call>{{"name": "search", "arguments": {{"query": "x", "price": {digits}}}}}</tool_call>',
        f'<function=search>{{"query": "x", "price": {digits}}}</function>',
        f"[search(query='x', price={digits})]",
        coder("search", query="x", price=digits),
    ]

    assert [read(text)[0][1].price for text in texts] == [Decimal(digits)] * 4


def test_error_of_an_argument_names_the_tool_and_its_path() -> None:
    error = refusal(f"{NOW}\n" + HERMES.replace(": 3", ': "three"'))

    assert error.details["tool"] == "get_weather"
    assert error.details["stage"] == "validate"
    assert error.details["validation_errors"][0]["loc"] == ("days",)
    assert error.message.startswith("get_weather: ")
    assert "$.days" in error.feedback()
    assert "tool call again" in error.feedback()
    assert "JSON object only" not in error.feedback()
    assert len(error.feedback()) < FEEDBACK_LIMIT


def test_error_of_an_object_without_marks_names_no_notation_and_one_in_a_notation_shows_how_it_is_written() -> None:
    unmarked = refusal('{"name": "get_weather", "arguments": {"days": "many"}}')
    marked = refusal("<tool_call>get_weather<arg_key>city</arg_key><arg_value>tea</arg_value>")

    assert unmarked.message.startswith("get_weather: ")
    assert "notation" not in unmarked.details
    assert "get_weather" in marked.feedback().rpartition("written as")[2]


def test_error_in_damaged_arguments_has_its_place_in_the_whole_text() -> None:
    text = 'I will look.\n[TOOL_CALLS]get_weather[ARGS]{"city": "Paris" ; ; "days" 3 ] }'

    position = refusal(text).details["position"]

    assert position["line"] == 2
    assert position["offset"] > text.index("{")


def test_error_of_one_call_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "llm_output"), pytest.raises(LLMJsonParseError, match=r"three|integer"):
        read_tool_calls(HERMES.replace(": 3", ': "three"'), TOOLS, context_label="assistant")

    assert len(caplog.records) == 1
    assert "assistant" in caplog.records[0].getMessage()


def test_repairs_of_a_call_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "llm_output"):
        read(HERMES.replace("}}", "},}"))

    assert "trailing_comma" in caplog.text


def test_normalizers_belong_to_a_tool() -> None:
    def capital(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "city": data["city"].upper()}

    for text in (HERMES, '<function=get_weather>{"city": "Paris", "days": 3}</function>'):
        calls = read_tool_calls(text, TOOLS, normalizers={"get_weather": [capital]})
        assert calls[0].arguments.city == "PARIS"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "price", "arguments": {"value": "1.2亿"}}</tool_call>',
        '<function=price>{"value": "1.2亿"}</function>',
        "<function=price><parameter=value>1.2亿</parameter></function>",
        "[price(value='1.2亿')]",
    ],
)
def test_values_are_coerced_if_the_caller_asks_for_it(text: str, caplog: pytest.LogCaptureFixture) -> None:
    class Price(BaseModel):
        value: float

    with caplog.at_level(logging.INFO, "llm_output"):
        (call,) = read_tool_calls(text, {"price": Price}, coerce=True)

    assert call.arguments == Price(value=120_000_000)
    assert "llm_json_coerced" in caplog.text
    assert refusal(text, tools={"price": Price}).details["validation_errors"][0]["type"] == "float_parsing"


def test_json_schema_and_any_object_are_types_of_arguments() -> None:
    schema = JsonSchema({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
    text = "<function=f><parameter=city>\n5\n</parameter></function>"

    assert read_tool_calls(text, {"f": schema})[0].arguments == {"city": "5"}
    assert read_tool_calls("<function=f>{'a': 1}</function>", {"f": dict[str, int]})[0].arguments == {"a": 1}


# --- parameters between tags ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("query", "3", "3"),
        ("query", "true", "true"),
        ("query", " 3 ", " 3 "),
        ("query", "", ""),
        ("query", "line 1\n\nline 2\n", "line 1\n\nline 2\n"),
        ("query", '{"a": 1}', '{"a": 1}'),
        ("query", 'it\'s "so" & <b>x</b>', 'it\'s "so" & <b>x</b>'),
        ("limit", "3", 3),
        ("limit", " 3 ", 3),
        ("limit", "null", None),
        ("limit", "None", None),
        ("exact", "true", True),
        ("exact", "True", True),
        ("exact", "FALSE", False),
        ("note", "a", "a"),
        ("since", "2024-01-05", date(2024, 1, 5)),
        ("since", "null", None),
        ("price", "1.10", Decimal("1.10")),
        ("side", "SELL", "SELL"),
        ("side", '"SELL"', "SELL"),
        ("tags", '["a", "b"]', ["a", "b"]),
        ("tags", "['a', 'b',]", ["a", "b"]),
        ("tags", "[]", []),
        ("either", "abc", "abc"),
        ("anything", "abc", "abc"),
        ("anything", "[abc", "[abc"),
        ("anything", '[a "b: {]', '[a "b: {]'),
    ],
)
def test_parameter_is_what_its_type_says(key: str, text: str, value: object) -> None:
    (call,) = read_tool_calls(coder("search", **({"query": "q"} | {key: text})), TOOLS)

    assert getattr(call.arguments, key) == value
    assert type(getattr(call.arguments, key)) is type(value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("query", '"quoted"'),
        ("note", "null"),
        ("either", "3"),
        ("either", "null"),
        ("anything", "3"),
        ("anything", "[1]"),
    ],
)
def test_parameter_with_two_readings_is_named_and_refused_at_its_value(key: str, text: str) -> None:
    call = coder("search", **({"query": "q"} | {key: text}))
    value = call.index(f"<parameter={key}>") + len(f"<parameter={key}>")
    assert why_and_where(refusal(call)) == (two_values(key, "search").en, value)


@pytest.mark.parametrize(
    ("key", "text", "problem"),
    [
        ("limit", "three", "int_parsing"),
        ("limit", "3.5", "int_from_float"),
        ("limit", "1,234", "int_parsing"),
        ("limit", '3, "exact": true', "int_parsing"),
        ("limit", "3], [4", "int_parsing"),
        ("exact", "perhaps", "bool_parsing"),
        ("tags", "a, b", "list_type"),
        ("tags", "[a b", "list_type"),
        ("side", "HOLD", "literal_error"),
    ],
)
def test_parameter_that_does_not_satisfy_its_type_is_refused_by_its_name(key: str, text: str, problem: str) -> None:
    problems = refusal(coder("search", **({"query": "q"} | {key: text}))).details["validation_errors"]
    assert [(one["loc"], one["type"]) for one in problems] == [((key,), problem)]


def test_parameter_of_two_lists_is_refused_without_a_place() -> None:
    assert why_and_where(refusal(coder("search", query="q", tags='["a"] ["b"]'))) == (SEVERAL_OBJECTS.en, None)


@pytest.mark.parametrize("text", ["\na", "a\n", "\n"])
def test_single_line_break_beside_a_text_has_two_readings(text: str) -> None:
    call = f"<function=search><parameter=query>{text}</parameter></function>"
    assert why_and_where(refusal(call)) == (two_values("query", "search").en, call.index(text))


def test_tag_may_say_whether_a_value_is_text() -> None:
    def deepseek(string: str, text: str) -> str:
        inner = f'<｜DSML｜parameter name="either" string="{string}">{text}</｜DSML｜parameter>'
        query = '<｜DSML｜parameter name="query" string="true">"q"</｜DSML｜parameter>'
        return f'<｜DSML｜invoke name="search">{query}{inner}</｜DSML｜invoke>'

    assert [read(deepseek(string, "3"))[0][1].either for string in ("true", "false")] == ["3", 3]
    assert read(deepseek("true", "3"))[0][1].query == '"q"'


@pytest.mark.parametrize(
    "text",
    [
        "<function=search><parameter=query>a<parameter=query>b</parameter></function>",
        "<function=search><parameter=query>a<tool_call><function=search><parameter=query>b</parameter></function>",
        "<function=search><parameter=query>a</parameter><parameter=query>a</parameter></function>",
        "<tool_call>search<arg_key>query</arg_key><arg_value>a<arg_key>limit</arg_key></tool_call>",
    ],
)
def test_value_that_does_not_end_or_stands_there_twice_is_refused(text: str) -> None:
    assert refusal(text).details["stage"] == "extract"


def test_parameter_that_the_type_does_not_have_is_told_by_the_type() -> None:
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        city: str

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        city: str

    text = "<function=f><parameter=city>a</parameter><parameter=more>b</parameter></function>"

    assert refusal(text, tools={"f": Closed}).details["validation_errors"][0]["type"] == "extra_forbidden"
    assert read_tool_calls(text, {"f": Open})[0].arguments.model_extra == {"more": "b"}
    assert read_tool_calls(text, {"f": Weather})[0].arguments == Weather(city="a")


def test_too_many_parameters_with_two_readings_are_refused() -> None:
    parameters = "".join(f"<parameter=k{number}>{number}</parameter>" for number in range(5))

    error = refusal(f"<function=f>{parameters}</function>", tools={"f": dict[str, Any]})
    assert why_and_where(error) == (two_values("k0", "f").en, len("<function=f><parameter=k0>"))


def test_types_of_parameters_are_found_wherever_a_schema_has_them() -> None:
    class Tree(BaseModel):
        child: Tree | None = None

    schemas = {
        "a": {"allOf": [{"type": "integer"}]},
        "b": {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
        "c": {"const": 3},
        "d": {"type": ["integer", "null"]},
        "e": {"$ref": "#/$defs/e"},
    }
    schema = JsonSchema({"type": "object", "properties": schemas, "$defs": {"e": {"type": "integer"}}})
    parameters = "".join(f"<parameter={key}>3</parameter>" for key in schemas)

    (call,) = read_tool_calls(f"<function=f>{parameters}</function>", {"f": schema})
    (tree,) = read_tool_calls(coder("f", child='{"child": null}'), {"f": Tree})

    assert call.arguments == dict.fromkeys(schemas, 3)
    assert tree.arguments == Tree(child=Tree())


def test_schema_within_schemas_without_end_may_be_anything() -> None:
    inner: dict[str, Any] = {"type": "integer"}
    for _ in range(30):
        inner = {"anyOf": [inner]}
    schema = JsonSchema({"type": "object", "properties": {"a": inner}})

    (call,) = read_tool_calls("<function=f><parameter=a>3</parameter></function>", {"f": schema})

    assert call.arguments == {"a": 3}


# --- Python's form ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'it\\'s \"so\"'", 'it\'s "so"'),
        (r"'a\tb\x41\u4e00\101\U0001F600'", "a\tbA一A😀"),
        (r"'C:\dir\q'", r"C:\dir\q"),
        ("'a, b)]'", "a, b)]"),
        ("[1, -2.5, 1e3, [], {}]", [1, -2.5, 1000.0, [], {}]),
        ("{'a': [True, False, None], \"b\": {'c': 'd',},}", {"a": [True, False, None], "b": {"c": "d"}}),
        ("[true, null]", [True, None]),
        ("+1", 1),
        (".5", 0.5),
    ],
)
def test_literal_of_python_is_read_as_python_reads_it(written: str, value: object) -> None:
    (call,) = read_tool_calls(f"[f(a={written})]", {"f": dict[str, Any]})

    assert call.arguments == {"a": value}


@pytest.mark.parametrize(
    ("written", "offset"),
    [
        ("1 + 2", 1),
        ("'a' 'b'", 3),
        ("['a' 'b']", 4),
        ("f'{x}'", 0),
        ("b'a'", 0),
        ("'''a'''", 0),
        ("(1, 2)", 0),
        ("{1, 2}", 1),
        ("{1: 2}", 1),
        ("{'a' 1}", 4),
        ("[1, 2)", 5),
        ("[1}", 2),
        ("007", 0),
        ("0x1F", 0),
        ("1_000", 0),
        ("__import__('os')", 0),
        ("x", 0),
        (r"'\N{BULLET}'", 0),
        (r"'\x4'", 0),
        (r"'\400'", 0),
        (r"'\777'", 0),
        ("1, **b", 2),
        ("1, 2", 2),
        ("1; b=2", 1),
        ("", 0),
    ],
)
def test_anything_but_a_literal_with_a_name_is_refused(written: str, offset: int) -> None:
    error = refusal(f"[f(a={written})]", tools={"f": dict[str, Any]})
    assert why_and_where(error) == (NOT_LITERAL.en, len("[f(a=") + offset)


def test_argument_given_twice_is_refused_behind_the_comma_before_it() -> None:
    error = refusal("[f(a=1, a=2)]", tools={"f": dict[str, Any]})
    assert why_and_where(error) == (TWICE.en, len("[f(a=1,"))


@pytest.mark.parametrize(
    ("text", "problem", "offset"),
    [
        ("```tool_code\nprint(now()\n```", CUT, 24),
        ("```tool_code\nnow()\nx = 5\n```", NOT_LITERAL, 18),
        ("[now(), now]", CUT, 6),
        ("[now(] )", NOT_LITERAL, 5),
        ("```tool_code\nprint(print(1))\n```", NOT_LITERAL, 25),
        ("<|python_tag|>[print()]", NOT_LITERAL, 15),
    ],
)
def test_calls_of_python_beside_other_code_are_refused(text: str, problem: Message, offset: int) -> None:
    assert why_and_where(refusal(text)) == (problem.en, offset)


def test_integer_too_long_to_convert_is_refused() -> None:
    assert refusal(f"[f(a={'9' * 5000})]", tools={"f": dict[str, Any]}).details["tool"] == "f"


# --- bounds, and mistakes of the caller -------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", [NOW, '{"name": "now", "arguments": {}};', '{"name": "now", "arguments": {}}</tool_call>']
)
def test_so_many_calls_are_read_and_no_more(form: str) -> None:
    assert len(read(form * MAX_CALLS)) == MAX_CALLS
    assert refusal(form * (MAX_CALLS + 1)).details["json_error"] == "too many tool calls"


def test_list_of_too_many_calls_is_refused() -> None:
    one = '{"name": "now"}'
    assert len(read(f"[TOOL_CALLS][{', '.join([one] * MAX_CALLS)}]")) == MAX_CALLS
    error = refusal(f"[TOOL_CALLS][{', '.join([one] * (MAX_CALLS + 1))}]")
    assert why_and_where(error) == (TOO_MANY.en, len("[TOOL_CALLS]"))


def test_marks_that_fail_again_and_again_are_given_up() -> None:
    assert refusal("<tool_call></think>" * (MAX_CALLS + 1)).details["json_error"] == "too many tool calls"


def test_text_that_is_no_string_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="decode bytes first"):
        read_tool_calls(b"x", TOOLS)  # type: ignore[arg-type]


def test_type_that_is_no_object_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="is no object"):
        read_tool_calls("", {"f": TypeAdapter(list[int])})


def test_call_is_a_value() -> None:
    assert read_tool_calls(NOW, TOOLS) == read_tool_calls(NOW, TOOLS)
    assert isinstance(read_tool_calls(NOW, TOOLS)[0], ToolCall)


def test_more_marks_of_reasoning_than_can_be_looked_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", 20_000)

    with pytest.raises(LLMJsonParseError, match="too much damage"):
        read_tool_calls("<think>a</think>" * 200, {"f": dict[str, Any]})
