"""Fenced blocks: what is in one is the answer, however it is written."""

import pytest

from src.shared.domain.parse_reasons import RIVAL, SEVERAL_OBJECTS, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reading import constructed
from src.shared.domain.repair import RepairKind
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where

FENCED = {
    "tagged json": '```json\n{"a": 1}\n```',
    "without a tag": '```\n{"a": 1}\n```',
    "tagged as another language": '```python\n{"a": 1}\n```',
    "tagged in upper case": '```JSON\n{"a": 1}\n```',
    "tagged with punctuation": '```c++\n{"a": 1}\n```',
    "with an info string": '```json title="x"\n{"a": 1}\n```',
    "on one line": '```json {"a": 1} ```',
    "closed on the last line": '```json\n{"a": 1}```',
    "of tildes": '~~~json\n{"a": 1}\n~~~',
    "of four backticks": '````json\n{"a": 1}\n````',
    "indented": '   ```json\n   {"a": 1}\n   ```',
    "never closed": '```json\n{"a": 1}',
    "never closed, with prose before it": '结果：\n```json\n{"a": 1}\n',
    "never opened": '{"a": 1}\n```',
    "with Windows line ends": '```json\r\n{"a": 1}\r\n```\r\n',
    "with blank lines inside": '```json\n\n\n{"a": 1}\n\n```',
    "inside an outer fence": '```markdown\n```json\n{"a": 1}\n```\n```',
    "closed twice": '```json\n{"a": 1}\n```\n```',
    "opened twice": '```\n```json\n{"a": 1}\n```',
    "after a fenced block of prose": '```text\nx\n```\n```json\n{"a": 1}\n```',
    "after a fenced block of code with braces": '```c\nint f() { return 0; }\n```\n```json\n{"a": 1}\n```',
}


@pytest.mark.parametrize("raw", FENCED.values(), ids=FENCED.keys())
def test_object_in_a_fence_is_read_without_repair(raw: str) -> None:
    assert reading_of(raw) == ({"a": 1}, set())


def test_fenced_object_wins_over_an_example_in_prose() -> None:
    assert value_of('格式：{"a": 0}\n答案：\n```json\n{"a": 1}\n```\n例如 {"a": 2}') == {"a": 1}


def test_fence_inside_a_string_of_the_fenced_object_does_not_end_it() -> None:
    raw = '```json\n{"a": "```python\\nx\\n```", "b": 1}\n```'
    assert reading_of(raw) == ({"a": "```python\nx\n```", "b": 1}, set())


def test_fence_inside_a_string_with_raw_newlines_does_not_end_the_object() -> None:
    raw = '```json\n{"a": "```\nx\n```", "b": 1}\n```'
    assert reading_of(raw) == ({"a": "```\nx\n```", "b": 1}, {RepairKind.CONTROL_CHARACTER})


def test_fence_inside_a_string_of_an_unfenced_damaged_object_is_data() -> None:
    raw = '好 {"a": "```json\\n{}\\n```",}'
    assert reading_of(raw) == ({"a": "```json\n{}\n```"}, {RepairKind.TRAILING_COMMA})


def test_object_in_prose_is_found_beside_a_fence_without_json() -> None:
    assert value_of('```bash\nls\n```\n{"a": 1}') == {"a": 1}


def test_two_fences_with_different_objects_are_refused() -> None:
    error = refusal_of('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```')
    assert [place["line"] for place in error.details["candidates"]] == [2, 5]


def test_two_fences_with_equal_objects_are_one_answer() -> None:
    assert value_of('```json\n{"a": 1}\n```\n```json\n{"a":1}\n```') == {"a": 1}


def test_damaged_braces_in_another_languages_code_are_no_candidate() -> None:
    assert value_of('```js\nlet x = f({a: 0, b})\n```\n{"a": 1}') == {"a": 1}


def test_fence_with_nothing_in_it_holds_no_object() -> None:
    assert refusal_of("```json\n```").details["stage"] == "extract"


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('{"a": "use ```json\n{\\"b\\": 1}\n``` here", "c": "cut', TRUNCATED, 50),
        ('{"a": 1, "b": "see ```json\n{\'c\': 1}\n``` and', TRUNCATED, 43),
        ('{"a": "see ```json\n{\'c\': 1}', TRUNCATED, 27),
        ("{\"```{'a': 1", TRUNCATED, 12),
        ('{"a": "```\n{}\n```", "c": f(x)}', constructed("f"), 25),
        ('{"a": "``` {} ```", "b": {"c": 1}, "d": "cut', TRUNCATED, 44),
        ('{"x": "see ```json\n{\'a\': 1}\n``` and {"b": 2}', TWO_READINGS, 37),
        ('{"x": "see ```json\n{\'a\': 1}\n``` and "b" c', TRUNCATED, 41),
        ('{"x": "see ```json\n{"a": 1}\n``` and {"b": 2}', TWO_READINGS, 20),
        ('{"x": "he said "hi" and ```json\n{\'a\': 1}\n``` "b', TRUNCATED, 47),
        ('{"x": "see\n```json\n{"x": 1}\n``` and so on', TRUNCATED, 41),
    ],
)
def test_fenced_object_in_a_string_of_an_unreadable_object_is_not_the_answer(
    raw: str, reason: Reason, offset: int | None
) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@pytest.mark.parametrize(
    ("before", "reason", "offset"),
    [
        ('{\n  "a": "Let us see.\n\nSo it is 1:\n\n', TWO_READINGS, 45),
        ('{"a": <your "answer">}\n', RIVAL, 0),
        ("{a: 1; b}\n", RIVAL, 0),
    ],
)
def test_fenced_object_beside_one_that_cannot_be_read_is_refused(
    before: str, reason: Reason, offset: int | None
) -> None:
    assert why_and_where(refusal_of(f'{before}```json\n{{"a": 1}}\n```')) == (reason.en, offset)


# --- a fence that holds no object ----------------------------------------------------------------------------

OTHER_ROOTS = [
    ('["a", "b"]', "array"),
    ("[1, 2]", "array"),
    ("[]", "array"),
    ("[[1], [2]]", "array"),
    ("[null, true]", "array"),
    ('["甲", "乙"]', "array"),
    ('["a", "b",]', "array"),
    ("['a', 'b']", "array"),
    ('"I cannot do that."', "string"),
    ("42", "number"),
    ("-1.5e3", "number"),
    ("true", "boolean"),
    ("null", "null"),
]


@pytest.mark.parametrize(("inside", "kind"), OTHER_ROOTS)
@pytest.mark.parametrize(
    "around",
    [
        "```json\n{}\n```",
        "```\n{}\n```",
        "~~~JSON\n{}\n~~~",
        "Here it is:\n```json\n{}\n```\nI hope it helps.",
        "<think>t</think>\n```json\n{}\n```",
        "{}",
    ],
)
@pytest.mark.parametrize("finished", [None, True])
def test_other_root_is_told_where_it_is_all_that_a_fence_holds(
    inside: str,
    kind: str,
    around: str,
    finished: bool | None,  # noqa: FBT001 - a parameter
) -> None:
    error = refusal_of(around.replace("{}", inside), root="object", finished=finished)
    assert (error.details["stage"], error.details["json_error"]) == ("root", f"the root is {kind}")
    assert "根节点须为对象" in error.message


@pytest.mark.parametrize(
    "raw",
    [
        '```json\n["a"]\n```\n```json\n["b"]\n```',
        '```json\n"a"\n```\n```json\n"b"\n```',
        '```\n42\n``` as "x": 2',
        "```json\n12 apples\n```",
        '```json\n"cut\n```',
        '```json\n"score": 1\n```',
        "```\nhello\n```",
        'The list ["a", "b"]',
        "Say 42.",
        'Example:\n```json\n"a"\n```',
    ],
)
def test_no_root_is_told_where_something_else_stands_there(raw: str) -> None:
    error = refusal_of(raw)
    assert (error.details["stage"], error.details["json_error"]) == ("extract", "no JSON object in the text")


@pytest.mark.parametrize("inside", ["42", "null", '"x"', "12 apples"])
def test_fence_without_an_object_does_not_hide_the_one_beside_it(inside: str) -> None:
    assert value_of(f'Of\n```\n{inside}\n```\nfollows:\n{{"a": 1}}') == {"a": 1}


@pytest.mark.parametrize("inside", ['["a": 1, "b": [2]}', '["a": 1, "b": [2]}\n', '[\n  "a": 1,\n  "b": [2],\n}'])
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>t</think>{}"])
def test_object_whose_brace_became_a_bracket_is_read_where_it_is_all_there_is(inside: str, around: str) -> None:
    assert value_of(around.replace("{}", inside)) == {"a": 1, "b": [2]}


@pytest.mark.parametrize("raw", ['["a": 1]', '["a": 1, "b"}', '["x": "y", "z"]', 'Here: ["a": 1}'])
def test_object_in_brackets_that_may_be_something_else_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["stage"] == "extract"


@pytest.mark.parametrize("note", ["[note]\n", "{note}\n", "[1] "])
def test_fence_in_a_string_behind_brackets_that_are_no_value_does_not_end_the_block(note: str) -> None:
    assert value_of(f'```json\n{note}{{"a": "x\n```\ny"}}\n```') == {"a": "x\n```\ny"}


# --- CDATA ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        '<![CDATA[{"a": 1}]]>',
        '<r><![CDATA[{"a": 1}]]></r>',
        '<?xml version="1.0"?>\n<response>\n  <![CDATA[\n  {"a": 1,}\n  ]]>\n</response>',
    ],
)
def test_content_of_a_cdata_section_is_looked_into(raw: str) -> None:
    assert value_of(raw) == {"a": 1}


def test_cdata_section_in_a_string_is_text() -> None:
    assert value_of('{"a": "<![CDATA[{}]]>"}') == {"a": "<![CDATA[{}]]>"}
    assert value_of('{"a": "<![CDATA[x]]>",}') == {"a": "<![CDATA[x]]>"}


def test_object_beside_a_cdata_section_is_a_rival() -> None:
    assert refusal_of('<r><![CDATA[{"a": 1}]]></r> {"b": 1}').details["json_error"] == SEVERAL_OBJECTS.en
