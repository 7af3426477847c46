"""Objects that were written for HTML, a cell of CSV, a quotation or a list of Markdown, or a diff."""

import html

import pytest

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import texts
from tests.shared.reading import Score, refusal_of


def test_list_that_is_asked_for_is_found_as_well() -> None:
    assert parse_llm_json_output(html.escape('[{"score": 1}]'), list[Score]) == [Score(score=1)]


@pytest.mark.parametrize(("raw", "kind"), [(html.escape('{"a": 1}'), K.ESCAPED_JSON), ('> {\n> "a": 1\n> }', K.MARKUP)])
def test_trace_names_the_format_once_and_each_repair_at_its_place(raw: str, kind: K) -> None:
    assert [repair.kind for repair in decode_llm_json(raw).repairs] == [kind]


def test_repair_inside_is_told_at_its_offset_in_the_raw_text() -> None:
    raw = '> {\n> "a": [1, 2,],\n> "b": 3\n> }'
    comma = decode_llm_json(raw).repairs[1]
    assert (comma.kind, comma.offset) == (K.TRAILING_COMMA, raw.index(",]"))


@texts(
    {
        "in a string": '{<br>"a": "x<br>y"<br>}',
        "in front of some lines": '# {\n# "a": 1,\n"b": 2\n# }',
    }
)
def test_mark_that_may_be_text_or_is_not_everywhere_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["stage"] in {"extract", "repair"}
