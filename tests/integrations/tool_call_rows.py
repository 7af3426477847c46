"""Arguments of tool calls as models write them: what the tool is to be called with, or that the call is refused."""

from typing import Any

REFUSED = None
"""The tool is not called, and the model is told."""

WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 1},
        "limits": {"anyOf": [{"$ref": "#/$defs/Limits"}, {"type": "null"}], "default": None},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"Limits": {"type": "object", "properties": {"low": {"type": "integer"}}, "required": ["low"]}},
}

PARIS = {"city": "Paris"}
LIMITED = {"city": "Paris", "limits": {"low": 1}}
ROWS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "single quotes, a trailing comma": ("{'city': 'Paris', 'days': 3,}", {"city": "Paris", "days": 3}),
    "a fence": ('```json\n{"city": "Paris"}\n```', PARIS),
    "a leaked token behind it": ('{"city": "Paris"}<|call|>', PARIS),
    "reasoning before it": ('<think>{"city": "Rome"}</think>{"city": "Paris"}', PARIS),
    "JSON in a string": ('"{\\"city\\": \\"Paris\\"}"', PARIS),
    "damaged JSON in a string": ('"{\\"city\\": \\"Paris\\",}"', PARIS),
    "an empty object first": ('{}{"city": "Paris"}', PARIS),
    "the same object twice": ('{"city": "Paris"}{"city": "Paris"}', PARIS),
    "a call as Python writes it": ('get_weather(city="Paris", days=3)', {"city": "Paris", "days": 3}),
    "keywords alone": ('city="Paris", days=3', {"city": "Paris", "days": 3}),
    "keywords in brackets": ('(city="Paris")', PARIS),
    "the whole call as arguments": ('{"name": "get_weather", "arguments": {"city": "Paris"}}', PARIS),
    "a call with marks": ('<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>', PARIS),
    "a leaked token behind a key": ('{"city<|end|>": "Paris"}', PARIS),
    "leaked tokens around a key": ('{"<|\\"|>city<|\\"|>": "Paris"}', PARIS),
    "a tag behind a key": ('{"city</arg_key>": "Paris"}', PARIS),
    "an object in a string": ('{"city": "Paris", "limits": "{\\"low\\": 1}"}', LIMITED),
    "a list in a string": ('{"city": "Paris", "tags": "[\\"a\\"]"}', {"city": "Paris", "tags": ["a"]}),
    "a number in a string": ("{'city': 'Paris', 'days': '3',}", {"city": "Paris", "days": 3}),
    "text that looks like JSON stays text": ('{"city": "[1]",}', {"city": "[1]"}),
    "a token in a value stays": ('{"city": "a <|end|> b",}', {"city": "a <|end|> b"}),
    "cut in a string": ('{"city": "Par', REFUSED),
    "cut behind a value": ('{"city": "Paris"', REFUSED),
    "a cut call of Python": ('get_weather(city="Par', REFUSED),
    "cut JSON in a string": ('"{\\"city\\": \\"Par', REFUSED),
    "two objects that differ": ('{"city": "Paris"}{"city": "Rome"}', REFUSED),
    "two calls": ('get_weather(city="Paris") get_weather(city="Rome")', REFUSED),
    "a call of another tool": ('{"name": "other", "arguments": {"city": "Paris"}}', REFUSED),
    "keywords that close their bracket": ('city="Paris") or f(x=1', REFUSED),
    "a name that is no literal": ("city=Paris", REFUSED),
    "the value alone": ("Paris", REFUSED),
    "a key that the tool does not know": ('{"town": "Paris",}', REFUSED),
    "an array": ("[1]", REFUSED),
}
