"""The page as it is sent: what it shows of a store, in which language, and that nothing of a model's becomes markup."""

import hashlib
import re
import sqlite3
import threading
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from src.entrypoints.http import service
from src.entrypoints.http.page.overview import Filters, chart_of
from src.entrypoints.http.page.rendering import STATIC, environment, ugly_texts
from src.modules.monitoring.domain.rate import SECOND, Point
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from tests.entrypoints.http.page.served import client_of, hostile, made, store_of, with_alarms

HTMX_2_0_11 = "7f14135fe8ee3ed5f1a85fea21ba4dfba8236d697c4f95ab575d1c9091bb06ca"
"""SHA-256 of `dist/htmx.min.js` in npm's package htmx.org, with a line end behind it."""


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text in cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client_of(with_alarms(store_of(tmp_path_factory.mktemp("full"), made())))


@pytest.fixture(scope="module")
def without_store() -> TestClient:
    return client_of(None)


def text_of(html: str) -> str:
    return " ".join(" ".join(Elements(html).texts).split())


def test_excerpt_is_shown_where_texts_are_stored_with_what_turns_it_made_visible(full: TestClient) -> None:
    html = full.get("/?window=1h").text

    assert "&lt;script&gt;alert(4)&lt;/script&gt;\\u202e" in html
    assert "\u202e" not in html


def test_page_says_how_to_store_texts_where_none_are(tmp_path: Path) -> None:
    client = client_of(store_of(tmp_path, made(40, with_text=False)))

    assert "OUTPUT_STORE_TEXT=1" in text_of(client.get("/?window=1h").text)


def test_chart_has_each_step_in_its_table(full: TestClient) -> None:
    table = full.get("/?window=1h").text.partition('id="chart-table"')[2].partition("</table>")[0]
    rows = re.findall("<tr>(.*?)</tr>", table.partition("<tbody>")[2])
    counts = [[int(count) for count in re.findall(r">(\d+)</td>", row)] for row in rows]

    assert 50 <= len(rows) <= 61
    assert [sum(column) for column in zip(*counts, strict=True)] == [400, 40, 100, 20]


def test_line_of_the_chart_breaks_where_steps_have_no_texts() -> None:
    filters, end = Filters("1h"), 3_600 * SECOND
    points = [
        Point(parses=10, asked=asked, repaired=2, refused=3, at=minute * 60 * SECOND)
        for minute, asked in ((0, 1), (1, 2), (30, 0))
    ]
    shown = {"chart": chart_of(points, filters, end), "found": {"points": points}, "filters": filters}
    html = environment().get_template("chart.html.j2").render(shown)
    columns = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', html)

    assert re.findall('"asked" points="(.*?)"', html) == ["0.83,66.67 2.5,33.33", "50.83,100.0"]
    assert re.findall('"refused" points="(.*?)"', html) == ["0.83,0.0 2.5,0.0", "50.83,0.0"]
    assert re.findall('"dot" d="(.*?)"', html) == ["M50.83 100.0h0"]
    assert columns[6:] == [
        ("clean", "50.0", "50.0", "1.44", "50.0"),
        ("repaired", "50.0", "30.0", "1.44", "20.0"),
        ("refused", "50.0", "0.0", "1.44", "30.0"),
    ]
    ticks = re.findall(r'x="([\d.]+)%" y="103">(\d\d:\d\d)<', html)
    assert (ticks[0], ticks[-1]) == (("0.0", "00:00"), ("100.0", "01:00"))


def test_window_that_is_none_is_the_default(full: TestClient) -> None:
    page = Elements(full.get("/?window=9y").text)

    assert next(one["value"] for one in page.of("option") if "selected" in one) == "24h"


def test_store_that_cannot_be_used_is_a_sentence_without_its_address(tmp_path: Path) -> None:
    (tmp_path / "secret-name.db").write_bytes(b"no database at all" * 100)
    url = store_of(tmp_path, made(1))
    with closing(sqlite3.connect(tmp_path / "outcomes.db")) as connection, connection:
        connection.execute("UPDATE llm_schema SET version_num = '0001'")
    unreadable, old = (client_of(one).get("/").text for one in (f"sqlite:///{tmp_path}/secret-name.db", url))

    assert "存储暂时无法读取" in text_of(unreadable)
    assert "secret-name" not in unreadable
    assert "存储的表与本程序的版本不同" in text_of(old)


def test_store_that_does_not_answer_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(service, "QUESTION_SECONDS", 0.01)
    monkeypatch.setattr(ReadRates, "facts", lambda _: go_on.wait(10))
    shown = text_of(client_of(store_of(tmp_path, made(1))).get("/").text)
    go_on.set()

    assert "存储暂时无法读取" in shown


def test_window_without_texts_says_so(tmp_path: Path) -> None:
    url = store_of(tmp_path, made(10))
    client = client_of(url)

    assert "这段时间内没有文本" in text_of(client.get("/", params={"agent": "nobody"}).text)


@pytest.mark.parametrize(
    ("query", "cookie", "accepted", "tag"),
    [
        ("", "", "", "zh-CN"),
        ("", "", "en-US,en;q=0.9,zh;q=0.8", "en"),
        ("", "", "fr, zh-TW;q=0.5, en;q=0.4", "zh-CN"),
        ("", "", "fr", "en"),
        ("", "", "en;q=x, zh;q=0.1", "zh-CN"),
        ("", "en", "zh", "en"),
        ("?lang=zh", "en", "en", "zh-CN"),
        ("?lang=xx", "", "en", "en"),
    ],
)
def test_language_is_what_was_chosen_else_what_the_browser_asks_for(
    query: str, cookie: str, accepted: str, tag: str
) -> None:
    client = client_of(None, **({"llm_output_lang": cookie} if cookie else {}))
    page = Elements(client.get(f"/{query}", headers={"accept-language": accepted}).text)

    assert page.of("html") == [{"lang": tag}]


def test_chosen_language_is_remembered_for_this_site_alone(without_store: TestClient) -> None:
    cookie = without_store.get("/?lang=en").headers["set-cookie"]

    assert cookie.startswith("llm_output_lang=en; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax")


def test_english_page_has_no_chinese_word_of_its_own(full: TestClient) -> None:
    html = full.get("/?window=1h&lang=en").text
    own = html.replace("裁决", "").replace("技术分析师", "").replace("中文", "")
    own = re.sub("<option value=.*?</option>", "", own)

    assert re.findall("[\u4e00-\u9fff]+", own) == []


def test_names_of_models_and_agents_become_no_markup(tmp_path: Path) -> None:
    client = client_of(with_alarms(store_of(tmp_path, hostile())))
    html = client.get("/?window=1h").text
    page = Elements(html)

    assert [one for one in page.of("script") if "src" not in one] == []
    assert page.of("img") == []
    assert len(page.of("h1")) == 1
    assert [one.get("hx-get") for _, one in page.found if one.get("hx-get")] == ["parts", "parts"]
    assert [name for _, attributes in page.found for name in attributes if name.startswith("on")] == []
    assert "{{ 7 * 7 }}" in html
    assert re.findall("[\u202a-\u202e\u2066-\u2069\x00\x1b]", html) == []


def test_name_with_hidden_characters_can_be_filtered_by(tmp_path: Path) -> None:
    client = client_of(store_of(tmp_path, hostile()))

    shown = text_of(client.get("/parts", params={"window": "1h", "agent": "裁决\\u202egnisrever\\u2066"}).text)

    assert "文本 60 " in shown


def test_htmx_is_as_its_package_has_it_and_has_its_licence() -> None:
    file = STATIC / "vendor/htmx.min.js"

    assert hashlib.sha256(file.read_bytes()).hexdigest() == HTMX_2_0_11
    assert "htmx.org 2.0.11 (0BSD)" in file.with_name("LICENSES.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ugly_texts())
def test_example_stands_in_the_box_with_its_type(name: str) -> None:
    page = client_of(None).get(f"/?example={name}").text

    box = re.search(r'<textarea id="text"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    schema = re.search(r'<textarea id="schema"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    assert box
    assert unescape(box[1]) == ugly_texts()[name]["text"]
    assert schema
    assert unescape(schema[1]) == ugly_texts()[name]["schema"]


def test_each_example_is_offered_and_another_name_leaves_the_box_empty() -> None:
    page = client_of(None).get("/?example=other").text

    assert re.findall(r"example=(\w+)#explain", page) == [*ugly_texts()]
    assert re.search(r'<textarea id="text"[^>]*>\n?</textarea>', page)


def test_page_is_not_kept_and_every_file_that_it_names_is(full: TestClient) -> None:
    page = full.get("/")
    elements = Elements(page.text)
    sheets = [one["href"] for one in elements.of("link") if one["rel"] == "stylesheet"]
    files = [full.get(f"/{name}") for name in (*sheets, *(one["src"] for one in elements.of("script")))]

    assert page.headers["cache-control"] == "no-store"
    assert len(files) == 4
    assert {file.headers["cache-control"] for file in files} == {"public, max-age=31536000, immutable"}
    assert {file.headers["content-encoding"] for file in files} == {"gzip"}
    plain = full.get(f"/{sheets[0]}", headers={"accept-encoding": "identity"})
    assert (plain.content, "content-encoding" in plain.headers) == (files[0].content, False)
    assert full.get("/static/../routes.py").status_code == 404
