"""Objects that were written for HTML, a cell of CSV, a quotation or a list of Markdown, or a diff."""

import html
import json
from typing import Any

import pytest

from src.shared.domain.parse_reasons import NO_OBJECT, NUMBER_OR_TEXT, TWO_READINGS, Reason
from src.shared.domain.reading.reading import ELISION
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import Score, refusal_of, value_of, why_and_where

DATA = {"a": "x", "b": [1, "y"]}
LINES = ["{", '  "a": "x",', '  "b": [', "    1,", '    "y"', "  ]", "}"]


@pytest.mark.parametrize("mark", ["> ", ">", "+ ", "+", "| ", "- ", "# ", "// ", ">>> "])
def test_mark_before_every_line_is_taken_out(mark: str) -> None:
    text = "\n".join(mark + line for line in LINES)
    assert value_of("As it was:\n\n" + text + "\n\nThat is all.") == DATA


@cases(
    {
        "entities": (html.escape(json.dumps(DATA)), DATA),
        "entities by number": (json.dumps(DATA).replace('"', "&#34;"), DATA),
        "entities inside a text": (
            html.escape('{"a": "<b>R&D</b>", "b": "it\'s \\"so\\""}'),
            {"a": "<b>R&D</b>", "b": 'it\'s "so"'},
        ),
        "quotes alone as entities": ("{&quot;a&quot;: &quot;1 < 2&quot;}", {"a": "1 < 2"}),
        "a cell of CSV": ('id,reply\n1,"{""a"": ""x"", ""b"": [1, ""y""]}"\n', DATA),
        "quotes doubled": ('{""a"": """", ""b"": ""y""}', {"a": "", "b": "y"}),
        "bullets": ('{\n- "a": "x",\n- "b": [1, "y"]\n}', DATA),
        "bullets on two levels": ('{\n  * "a": "x",\n  * "b": [\n    * 1,\n    * "y"\n  ]\n}', DATA),
        "round bullets": ('{\n  • "a": "x",\n  • "b": [1, "y"]\n}', DATA),
        "a quotation with a fence": ('> ```json\n> {\n>   "a": "x",\n>   "b": [1, "y"]\n> }\n> ```', DATA),
        "line breaks of HTML": ('{<br>"a": "x",<br/>\n"b": [<br />1, "y"]<br>}', DATA),
        "damage inside": ("> {\n>   'a': 'x',\n>   'b': [1, 'y'],\n> }", DATA),
        "a line end in a text of a quotation": ('> {\n> "a": "x\n>  y"\n> }', {"a": "x\n y"}),
        "repr of a text with quotes": (
            repr('{"a": "x \\"y\\" z", "b": "C:\\\\new"}'),
            {"a": 'x "y" z', "b": "C:\\new"},
        ),
        "a dict of Python's in a string": (json.dumps(str({"a": "x\ny", "你": None})), {"a": "x\ny", "你": None}),
        "a dict of Python's with an apostrophe in a string": (
            json.dumps(str({"it's": "你\\", "b": 'say "x"'})),
            {"it's": "你\\", "b": 'say "x"'},
        ),
        "full-width quotes in a string of ASCII": ('"{＂\\u4ef7＂: ＂a\\\\nb＂}"', {"价": "a\nb"}),
        "entities in a string": ('"{&quot;a&quot;: &quot;\\\\\\\\s&quot;}"', {"a": "\\s"}),
        "quotes doubled in the repr of bytes": (repr(b'{""a"": 1, ""b"": ""\\u4ef7""}'), {"a": 1, "b": "价"}),
        "repr of a text in ASCII": (repr(json.dumps({"a": "你", "b": "x\ny"})), {"a": "你", "b": "x\ny"}),
        "repr of a text with an apostrophe": (repr("""{"it's": "a\\tb", "b": "\\""}"""), {"it's": "a\tb", "b": '"'}),
        "repr of JSON on several lines": (repr('{\n  "a": "x\\ny",\n  "b": []\n}'), {"a": "x\ny", "b": []}),
        "line ends written as escapes": (r'{\n  "a": "x\ty",\n  "b": [\n    1\n  ]\n}', {"a": "x\ty", "b": [1]}),
        "single quotes around JSON": ("""'{"a": "x\\ny \\u4f60"}'""", {"a": "x\ny 你"}),
        "single quotes around JSON with a pattern": ("""'{"a": "\\\\d+"}'""", {"a": "\\d+"}),
        "the same without blanks": ('>{\n>"a": "x\n> y"\n>}', {"a": "x\n y"}),
    }
)
def test_what_another_format_added_is_taken_out(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@refusals(
    {
        "a diff with lines taken out": ('+{\n-  "a": "x",\n+  "a": "y",\n+  "b": 1\n+}', NO_OBJECT, 0),
        "a diff with lines that stayed": ('+{\n+  "a": "x",\n   "b": 1\n+}', NO_OBJECT, 0),
        "JSON in single quotes that may be a repr": ("""'{"a": "one\\\\ntwo"}'""", TWO_READINGS, 18),
        "line ends written as escapes, and more": (r'{\n  "a": "x\\ny"\n}', NO_OBJECT, 0),
        "a bullet before some members": ('{\n- "a": "x",\n  "b": 1\n}', NO_OBJECT, 0),
        "a bullet that may be a sign": ('{"a": [\n- 1,\n- 2\n]}', NUMBER_OR_TEXT, 8),
        "a quotation that is cut off": ('> {\n>   "a": "x",\n>   "b": [1,', NO_OBJECT, 0),
        "entities of the text among those of the quotes": ("{&quot;a&quot;: &quot;<b>R&amp;D</b>&quot;}", NO_OBJECT, 0),
        "entities and plain quotes": ('{&quot;a&quot;: "x", "b": &quot;y&quot;}', NO_OBJECT, 0),
        "quotes doubled in part": ('{""a"": ""x"", "b": ""y""}', TWO_READINGS, 8),
    }
)
def test_object_that_another_format_does_not_explain_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_list_that_is_asked_for_is_found_as_well() -> None:
    assert parse_llm_json_output(html.escape('[{"score": 1}]'), list[Score]) == [Score(score=1)]


def test_object_that_is_written_twice_is_one() -> None:
    assert value_of("{&quot;a&quot;: 1} or {&quot;a&quot;: 1}") == {"a": 1}


def test_marks_inside_a_text_are_text() -> None:
    raw = '{"a": "> x\\n> y", "b": "&quot;z&quot;", "c": "{\\n- \\"d\\": 1\\n}"}'
    assert value_of(raw) == json.loads(raw)


@pytest.mark.parametrize(("raw", "kind"), [(html.escape('{"a": 1}'), K.ESCAPED_JSON), ('> {\n> "a": 1\n> }', K.MARKUP)])
def test_trace_names_the_format_once_and_each_repair_at_its_place(raw: str, kind: K) -> None:
    assert [repair.kind for repair in decode_llm_json(raw).repairs] == [kind]


def test_repair_inside_is_told_at_its_offset_in_the_raw_text() -> None:
    raw = '> {\n> "a": [1, 2,],\n> "b": 3\n> }'
    comma = decode_llm_json(raw).repairs[1]
    assert (comma.kind, comma.offset) == (K.TRAILING_COMMA, raw.index(",]"))


@cases(
    {
        "keys": ('{\n  **"a"**: "x",\n  **"b"**: [1, "y"]\n}', DATA),
        "keys without quotes": ('{\n  **a**: "x",\n  **b**: [1, "y"]\n}', DATA),
        "texts": ('{"a": **"x"**, "b": [1, __"y"__]}', DATA),
    }
)
def test_bold_around_a_key_or_a_text_is_taken_out(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_bold_key_says_that_the_text_before_it_has_ended() -> None:
    assert why_and_where(refusal_of('{"a": "x" and so on\n**b**: "y"}')) == (TWO_READINGS.en, 7)


@cases(
    {
        "between members": ('{"a": "x", <!-- one - two --> "b": [1, "y"]}', DATA),
        "in a list": ('{"a": "x", "b": [1, <!-- {"c": 1} -->\n"y"]}', DATA),
        "before the first key": ('{<!-- made by hand -->"a": "x", "b": [1, "y"]}', DATA),
    }
)
def test_comment_of_html_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_comment_of_html_that_leaves_rows_out_is_a_loss() -> None:
    assert why_and_where(refusal_of('{"a": [1, <!-- 8 more rows --> 10]}')) == (ELISION.en, 10)


def test_first_brace_forgotten_in_a_fence_is_put() -> None:
    assert value_of('```json\n"a": "x", "b": [1, "y"]}\n```') == DATA


def test_both_braces_forgotten_in_a_fence_is_no_object() -> None:
    assert why_and_where(refusal_of('```json\n"a": "x", "b": [1, "y"]\n```')) == (NO_OBJECT.en, 0)


@pytest.mark.parametrize("mark", "-*•·")
def test_bullet_before_a_closing_bracket_is_refused_like_any_other_damage(mark: str) -> None:
    assert why_and_where(refusal_of(f'{{\n{mark} }}a": 1\n}}')) == (NO_OBJECT.en, 0)


@texts(
    {
        "in a string": '{<br>"a": "x<br>y"<br>}',
        "in front of some lines": '# {\n# "a": 1,\n"b": 2\n# }',
    }
)
def test_mark_that_may_be_text_or_is_not_everywhere_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["stage"] in {"extract", "repair"}
