"""The box that explains a text: by a plain form, without a script."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from fastapi.testclient import TestClient

from src.entrypoints.http.page.explaining import MOST_DATA, pieces
from tests.entrypoints.http.page.served import client_of
from tests.entrypoints.http.page.test_page import Elements, text_of

SCHEMA = '{"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"], "title": "Score"}'


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of(None) as client:  # one loop for all requests, to which the pool's threads belong
        yield client


def explained(client: TestClient, text: str, **fields: str) -> str:
    """The answer to a form as a browser sends it, without a script."""
    parts = {"text": text, "agent": "", "schema": "", "finished": "unknown"} | fields
    answer = client.post("/explain", files={name: (None, value) for name, value in parts.items()})
    assert answer.status_code == 200
    return answer.text


def test_finished_text_is_read_to_its_end(client: TestClient) -> None:
    assert "已读出" in text_of(explained(client, '{"a": [1, 2', finished="yes"))
    assert "已拒绝" in text_of(explained(client, '{"a": [1, 2', finished="unknown"))


def test_text_is_read_into_a_schema_and_wrong_fields_are_named(client: TestClient) -> None:
    assert "符合 Score" in text_of(explained(client, '{"score": 7}', schema=SCHEMA))

    refused = text_of(explained(client, '{"score": "many"}', schema=SCHEMA))
    assert "$.score" in refused
    assert "在第 10 个阶段 validate 被拒绝" in refused


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schema": "{oops"}, "JSON Schema 不是合法 JSON (1:2)"),
        ({"schema": '{"type": "object", "type": "array"}'}, "JSON Schema 中 type 出现了两次"),
        ({"schema": "[1]"}, "JSON Schema 须为 JSON 对象"),
        ({"schema": "[" * 100_000}, "JSON Schema 不是合法 JSON"),
        ({"schema": '{"type": "nothing"}'}, "schema 不能作为类型"),
        ({"agent": "nobody"}, "没有这个智能体"),
        ({"agent": "n" * 65}, "$.agent"),
    ],
)
def test_type_that_cannot_be_used_is_a_sentence(client: TestClient, fields: dict[str, str], said: str) -> None:
    assert said in text_of(explained(client, "{}", **fields))


def test_parser_speaks_the_readers_language(client: TestClient) -> None:
    answer = client.post("/explain", data={"text": "no json"}, headers={"accept-language": "en", "hx-request": "true"})

    assert re.findall("[\u4e00-\u9fff]+", answer.text) == []
    assert "<html" not in answer.text


def test_text_is_in_the_box_again_as_it_was_pasted(client: TestClient) -> None:
    text = "\n\n {'a': '\u202e</textarea><b>&amp;'}\n"
    html = explained(client, text.replace("\n", "\r\n"))

    box = re.search('<textarea id="text"[^>]*>\n(.*?)</textarea>', html, re.DOTALL)
    assert box
    assert unescape(box[1]) == text
    assert Elements(html).of("b") == [{}] * html.count("<b>")


def test_nothing_pasted_is_refused_as_blank(client: TestClient) -> None:
    assert "在第 1 个阶段 empty 被拒绝" in text_of(explained(client, " "))


def test_large_text_is_shown_in_part_and_says_so(client: TestClient) -> None:
    html = explained(client, '{"a": "' + "x" * 900_000 + '"}')

    assert len(html) < 950_000 + 2 * MOST_DATA + 40_000  # the box holds all of it
    assert "其后还有" in text_of(html)


def test_value_that_json_has_no_word_for_is_a_problem_with_its_stages(client: TestClient) -> None:
    shown = text_of(explained(client, '{"score": NaN,}'))

    assert "已读出，但其中有 JSON 无法表示的数（NaN 或无穷大）" in shown
    assert "结尾多余的逗号 trailing_comma 1:14" in shown
    assert "validate 未指定类型" in shown


def test_half_a_surrogate_pair_is_shown_as_its_escape(client: TestClient) -> None:
    assert '"\\ud800"' in text_of(explained(client, '{"a": "\\ud800"}'))


def test_values_are_marked_with_their_paths(client: TestClient) -> None:
    shown = explained(client, """{"tea": {"price\\"": 'x<y'}, "sizes": [], "on": null}""")

    assert unescape("".join(re.findall(r'<mark class="value" title=".*?</mark>', shown))) == (
        """<mark class="value" title="$.sizes">[]</mark><mark class="value" title="$.on">null</mark>"""
    )
    assert """<mark class="repaired">&#39;x&lt;y&#39;<sup>1</sup></mark>""" in shown


@pytest.mark.parametrize("content", [b"", b"--x\r\nnonsense", b"text=%ff%fe"])
def test_broken_form_is_never_an_error_of_the_server(client: TestClient, content: bytes) -> None:
    for kind in ("multipart/form-data; boundary=x", "multipart/form-data", "application/x-www-form-urlencoded", "x"):
        assert client.post("/explain", content=content, headers={"content-type": kind}).status_code == 200


def test_pieces_are_the_text_with_its_repairs_and_its_refusal_at_their_places() -> None:
    assert [*pieces("[12, 3]", [], [{"offset": 3, "found": ","}], [], [(1, 3), (5, 6)])] == [
        ("[", "plain", 0),
        ("12", "value", 1),
        (",", "repaired", 1),
        (" ", "plain", 0),
        ("3", "value", 2),
        ("]", "plain", 0),
    ]
    repairs = [{"offset": 2, "found": ","}, {"offset": 4, "found": ""}, {"offset": 9, "found": ""}]

    assert [*pieces("ab,c}", [(0, 1)], repairs, [4, 9])] == [
        ("a", "dropped", 0),
        ("b", "plain", 0),
        (",", "repaired", 1),
        ("c", "plain", 0),
        ("", "repaired", 2),
        ("}", "refused", 0),
        ("", "repaired", 3),
    ]
