"""Where a string ends: quotes that are text, quotes that are missing, quotes that delimit nothing."""

from typing import Any

from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import reading_of, refusal_of


def test_string_that_was_not_closed_is_traced_as_a_missing_quote() -> None:
    assert reading_of('{"a": "x,\n  "b": 1}')[1] == {K.MISSING_QUOTE}


_LAST: dict[str, tuple[str, dict[str, Any]]] = {
    "a word": ('{"topic": "AI”}', {"topic": "AI"}),
    "Chinese words": ('{"主题": "三季度”}', {"主题": "三季度"}),
    "digits": ('{"year": "2024”}', {"year": "2024"}),
    "nothing": ('{"topic": "”}', {"topic": ""}),
    "an apostrophe": ('{"topic": "it\'s”}', {"topic": "it's"}),
    "brackets in the text": ('{"topic": "f(x) = {y: [1]}”}', {"topic": "f(x) = {y: [1]}"}),
    "escapes": (r'{"topic": "a\n\"b\"”}', {"topic": 'a\n"b"'}),
    "another member before": ('{"n": 1, "topic": "AI”}', {"n": 1, "topic": "AI"}),
    "the bracket on the next line": ('{\n  "topic": "AI”\n}\n', {"topic": "AI"}),
    "blanks before the bracket": ('{"topic": "AI” }', {"topic": "AI"}),
    "an object around": ('{"a": {"topic": "AI”}}', {"a": {"topic": "AI"}}),
    "a list": ('{"topics": ["ML", "AI”]}', {"topics": ["ML", "AI"]}),
    "the sign that opens": ('{"topic": "AI“}', {"topic": "AI"}),
    "the full-width sign": ('{"topic": "AI＂}', {"topic": "AI"}),
    "a fence": ('```json\n{"topic": "AI”}\n```', {"topic": "AI"}),
    "reasoning": ('<think>t</think>{"topic": "AI”}', {"topic": "AI"}),
}


@cases(_LAST)
def test_last_string_may_end_with_a_typographic_quote(raw: str, data: dict[str, Any]) -> None:
    for finished in (None, True):
        assert reading_of(raw, finished=finished) == (data, {K.SMART_QUOTE})


@texts({name: raw for name, (raw, _) in _LAST.items()})
def test_text_that_was_cut_is_refused_whatever_quote_ends_it(raw: str) -> None:
    assert refusal_of(raw, finished=False).details["truncated"]


@texts(
    {
        "no bracket": '{"topic": "AI”',
        "a quotation": '{"topic": "he said “AI”}',
        "nothing but a quotation": '{"topic": "“AI”}',
        "a Chinese quotation": '{"topic": "他说“好”}',
        "a sign before it": '{"topic": "a” b”}',
        "the sign around a word": '{"topic": "”AI”}',
        "an apostrophe": '{"topic": "the users’}',
        "a sign of feet": '{"topic": "5’}',
        "a backtick": '{"topic": "AI`}',
        "text after the bracket": '{"topic": "AI} and so on',
        "a semicolon": '{"topic": "AI”; }',
        "a sign of another quotation": '{"topic": "AI»}',
    }
)
def test_quotation_at_the_end_that_may_be_text_leaves_the_string_cut(raw: str) -> None:
    for finished in (None, True):
        assert refusal_of(raw, finished=finished).details["truncated"]
