"""What looks like data in a stretch of text that no candidate covers, and what is prose."""

import pytest

from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.rivals import BRACE_LIMIT, KEY_LIMIT, first_rival, has_fields, stretches
from src.shared.infrastructure.parsing.state import Span
from tests.shared.reading import Score

DATA = {
    "a quoted key and its value": 'x "a": 1',
    "a key in single quotes": "'a': 'x'",
    "a key in smart quotes": "“a”：“x”",
    "a key in bold": '**"a"**: 5',
    "a key in marks": '"**a**": 5',
    "a key behind a bullet": '"- a": 5',
    "a key with a line end in it": ', "pri\ne": 35',
    "a key in single quotes with a line end in it": "'lim\nt': None",
    "a key in two single quotes": ",\n''score'': true",
    "a key in two double quotes": ',\n""score"": true',
    "an equals sign": '"a" = "x"',
    "an arrow": '"a" => [1]',
    "a key behind a mark of quotation": '> "a": "b"',
    "a key with an escape": '"\\u4e2d": 1',
    "a member left over": ', "b": 2}',
    "bare keys in braces": "{a: 2}",
    "an assignment in braces": "{a = 2}",
    "quotes in braces": "{«a»: 2}",
    "quotes far behind the brace": "{ &nbsp; \n &nbsp; “a",
    "an apostrophe that opens": "{ 'a",
    "a call": 'f({"a": 1',
    "escaped quotes": 'say \\"a',
    "HTML's quotes": "&quot;a&quot;: 1",
    "HTML's quotes as numbers": "&#34;a&#34; : 1",
    "a tag of an answer at the end": "done <answer>\n",
    "a tag of a call at the end": "<tool_call>",
}


@pytest.mark.parametrize("text", DATA.values(), ids=DATA.keys())
def test_shape_of_data_is_seen(text: str) -> None:
    assert first_rival(text, [Span(0, len(text))]) is not None


PROSE = {
    "a sentence": "Here it is, as asked: done.",
    "a set": "{x, y}",
    "set-builder notation": "{x | x > 0}",
    "a template": "Hi {name}",
    "doubled braces": "{{name: x}}",
    "a shell variable": "${var:-x}",
    "LaTeX": "$\\frac{a}{b} = \\text{where: x}$ and z^{13}: 2",
    "LaTeX braces": "\\{x : x > 0\\}",
    "a comparison in code": 'if __name__ == "__main__":\n  main()',
    "a quoted word and an explanation": 'the key "score": it means',
    "a mention of a key": "`title`: the title",
    "a possessive in braces": "{the model's name}",
    "an umlaut in LaTeX": 'G{\\"o}del and \\"{o}',
    "closing brackets": "3]}",
    "a closing tag at the end": "</answer>",
    "another tag at the end": "x <br>",
    "a tag that is not at the end": "<answer> is what I would write",
    "a line with a colon": "score: 5",
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE.keys())
def test_prose_is_no_data(text: str) -> None:
    assert first_rival(text, [Span(0, len(text))]) is None


FIELDS = frozenset({"title", "score"})


@pytest.mark.parametrize(
    "text", ["title: x\nscore: 5", "- **title**: x\n- **score**: 5", "1. `score` = 5\n2. `title` = x"]
)
def test_lines_that_begin_with_fields_of_the_type_are_data(text: str) -> None:
    assert first_rival(text, [Span(0, len(text))], FIELDS) is not None


@pytest.mark.parametrize("text", ["score: 5", "score: 5\nscore: 6", "Title: x\nScore: 5", "the title: x, the score: 5"])
def test_one_field_or_other_letters_are_prose(text: str) -> None:
    assert first_rival(text, [Span(0, len(text))], FIELDS) is None


def test_only_field_of_a_type_is_enough() -> None:
    assert first_rival("score: 5", [Span(0, 8)], frozenset({"score"})) == 0


def test_only_the_stretches_are_looked_at() -> None:
    text = '"a": 1 prose "b": 2'
    assert [first_rival(text, [span]) for span in (Span(6, 13), Span(6, 19))] == [None, 13]


def test_key_has_a_bound() -> None:
    key, longer = "k" * KEY_LIMIT, "k" * (KEY_LIMIT + 1)
    found = [first_rival(text, [Span(0, len(text))]) for text in (f'"{key}": 1', f'"{longer}": 1')]
    assert found == [0, None]


def test_distance_of_a_quote_from_its_brace_has_a_bound() -> None:
    near, far = "{" + "." * BRACE_LIMIT + "«a", "{" + "." * (BRACE_LIMIT + 1) + "«a"
    assert [first_rival(text, [Span(0, len(text))]) for text in (near, far)] == [0, None]


@pytest.mark.parametrize(
    ("explained", "left"),
    [
        ([], [(0, 9)]),
        ([(0, 9)], []),
        ([(2, 4)], [(0, 2), (4, 9)]),
        ([(4, 6), (1, 2)], [(0, 1), (2, 4), (6, 9)]),
        ([(1, 6), (2, 3)], [(0, 1), (6, 9)]),
        ([(7, 20)], [(0, 7)]),
    ],
)
def test_stretches_are_what_is_not_explained(explained: list[tuple[int, int]], left: list[tuple[int, int]]) -> None:
    assert list(stretches(0, 9, explained)) == left


@pytest.mark.parametrize(
    ("text", "fields", "found"),
    [
        ("{'title': 1, score: 2", FIELDS, True),
        ("title: 1, title: 2", FIELDS, False),
        ("no key", FIELDS, False),
        ("score: 1", frozenset({"score"}), True),
        ("score: 1", frozenset(), False),
    ],
)
def test_code_has_fields_of_the_type_where_two_of_them_are_keys(
    text: str, fields: frozenset[str], *, found: bool
) -> None:
    assert has_fields(text, 0, len(text), fields) is found


@pytest.mark.parametrize(
    "tag", ["answer", "output", "result", "response", "json", "tool_call", "function_call", "report", "final_answer"]
)
def test_opening_tag_of_an_answer_at_the_end_is_where_it_should_have_come(tag: str) -> None:
    text = f"that is all <{tag}>"

    assert first_rival(text, [Span(0, len(text))], frozenset()) == text.index("<")


TOLD = 'The field "a": 1 is there, and "b": "x" too.'


def test_member_that_the_answer_has_too_is_no_rival() -> None:
    assert first_rival(TOLD, [Span(0, len(TOLD))], answer={"a": 1, "b": "x"}) is None
    assert parse_llm_json_output('The "score": 1.\n```json\n{"score": 1}\n```', Score).score == 1


@pytest.mark.parametrize("answer", [{"a": 1}, {"a": 1, "b": "y"}, {"a": True, "b": "x"}, [1], None])
def test_member_that_the_answer_has_not_is_a_rival(answer: object) -> None:
    assert first_rival(TOLD, [Span(0, len(TOLD))], answer=answer) is not None


@pytest.mark.parametrize("told", ['"a": 1x', '"a": 1', '"a": [1', '"a": ' + "[" * 100_000])
def test_member_that_is_cut_off_or_goes_on_is_a_rival(told: str) -> None:
    assert first_rival(told, [Span(0, len(told))], answer={"a": [1]}) == 0


LINES = '- `score`: 7 because of the margin.\n- `note`: "fine", as seen.\n- rating: buy now\n'
TOLD_FIELDS = frozenset({"score", "note", "rating"})


def test_lines_that_tell_the_members_of_the_answer_are_no_rival() -> None:
    answer = {"score": 7, "note": "fine", "rating": "buy"}
    assert first_rival(LINES, [Span(0, len(LINES))], TOLD_FIELDS, answer) is None


@pytest.mark.parametrize(
    "answer", [{"score": 8, "note": "good", "rating": "buy"}, {"score": None, "note": "", "rating": "buy"}, {}, None]
)
def test_lines_that_tell_other_members_are_a_rival(answer: object) -> None:
    assert first_rival(LINES, [Span(0, len(LINES))], TOLD_FIELDS, answer) is not None
