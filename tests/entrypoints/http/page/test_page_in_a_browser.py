"""The page in a real Chromium, under the policy that the service sends: how it looks, what it does, what it never does.

One browser, and one server with a store, one without and one with hostile names, for all of it.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import pytest

from tests.entrypoints.http.page.devtools import Browser, Page, browser
from tests.entrypoints.http.page.served import NAMES, app_of, hostile, made, store_of, with_alarms
from tests.entrypoints.reports.chromium import violations_in
from tests.loopback.asgi_server import AsgiServer
from tests.thorough import at_length

pytestmark = pytest.mark.browser

REPAIRED = '<think>hm</think>Here it is:\n```json\n{\'score\': 7, "why": "so",}\n```'
TEXTS = (
    *NAMES,
    '{"<img src=x onerror=alert(1)>": "</script><script>alert(2)</script>", \'n\': "\u202e\u2066x\u0000"}',
    '{"a": "\\ud800\\u0000\\u202e", "</textarea><svg onload=alert(3)>": {{ 7 * 7 }}}',
    "```json\n{'x': '<a hx-get=/static/x hx-trigger=load data-hx-on:load=alert(4)>'}\n```",
    '{"a": "' + "<b>\u202e" * at_length(50_000, 250_000) + '",}',
)
LOOKS = at_length(
    [(390, True), (820, False), (1600, True)],
    [(width, dark) for width in (390, 820, 1080, 1280, 1600) for dark in (False, True)],
)


class Places(NamedTuple):
    full: str
    none: str
    hostile: str


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    urls = [
        with_alarms(store_of(tmp_path_factory.mktemp("full"), made())),
        None,
        with_alarms(store_of(tmp_path_factory.mktemp("hostile"), hostile())),
    ]
    with ExitStack() as stack:
        roots = [stack.enter_context(AsgiServer(app_of(url))).root for url in urls]
        yield Places(*(f"{root}/?window=1h" for root in roots))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as made_:
        yield made_


def opened(page: Page, url: str) -> None:
    page.open(url)
    page.until("document.documentElement.classList.contains('scripted')")


def explain(page: Page, text: str) -> None:
    page.run(f"document.getElementById('text').value = {json.dumps(text)}")
    page.run(
        "document.getElementById('explained').replaceChildren(); document.querySelector('#explain button').click()"
    )
    page.until("document.querySelector('#explained h3')")


def assert_nothing_happened(page: Page, url: str) -> None:
    """No complaint, no dialog, no request but to the page's own server."""
    root = url.partition("/?")[0]
    assert page.complaints == []
    assert page.dialogs == []
    assert [one for one in page.requests if not one.startswith((f"{root}/", "data:,"))] == []


@pytest.mark.browser("axe")
@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_page_fits_and_can_be_used_by_everybody(chromium: Browser, places: Places, width: int, dark: bool) -> None:  # noqa: FBT001 - a parameter
    page = chromium.open_page("en" if dark else "zh-CN")
    page.look(width, dark=dark)
    opened(page, places.full)
    explain(page, REPAIRED)

    assert violations_in(page) == []
    assert page.run("document.documentElement.scrollWidth") == width
    explain(page, '{"score": 7, "why')
    assert violations_in(page) == []
    assert_nothing_happened(page, places.full)


@pytest.mark.browser("axe")
def test_violation_would_be_found(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    page.open(places.none)
    page.run("document.querySelector('label[for=text]').remove()")

    assert [one["rule"] for one in violations_in(page)] == ["label"]


def test_chart_is_drawn_with_the_numbers_of_the_table(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    opened(page, places.full)

    rows = page.run("document.querySelectorAll('#chart-table tbody tr').length")
    assert page.run("document.querySelectorAll('#plot-texts rect').length") == 3 * rows
    assert page.run("document.querySelectorAll('#plot-rate > svg[role=img]').length") == 1
    assert_nothing_happened(page, places.full)


@pytest.mark.parametrize("language", ["zh-CN", "en"])
@pytest.mark.parametrize("width", [390, 1600])
def test_no_name_or_number_of_the_chart_is_cut(chromium: Browser, places: Places, width: int, language: str) -> None:
    page = chromium.open_page(language)
    page.look(width)
    opened(page, places.full)

    cut = page.run("""[...document.querySelectorAll('.plot')].flatMap((plot) => {
      const room = plot.getBoundingClientRect();
      return [...plot.querySelectorAll('text')].filter((text) => {
        const it = text.getBoundingClientRect();
        return it.left < room.left || it.right > room.right || it.top < room.top || it.bottom > room.bottom;
      }).map((text) => text.textContent);
    })""")
    assert cut == []


@pytest.mark.parametrize("width", [1440, 1600])
@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_rates_of_agents_and_models_are_seen_without_scrolling_on_a_wide_screen(
    chromium: Browser, places: Places, language: str, width: int
) -> None:
    page = chromium.open_page(language)
    page.look(width)
    opened(page, places.full)

    hidden = page.run(
        "[...document.querySelectorAll('#outcomes .scroll')].map((one) => one.scrollWidth - one.clientWidth)"
    )
    assert max(hidden) == 0


def test_refresh_changes_the_numbers_and_nothing_that_is_unfolded_or_typed(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    opened(page, places.full)
    page.run("document.getElementById('chart-numbers').open = true")
    page.run("document.getElementById('text').value = 'half a te'")
    page.run("document.querySelector('#summary dd').textContent = 'old'")
    page.run("window.heights = [document.body.scrollHeight]; htmx.trigger('#parts', 'refresh')")
    page.until("document.querySelector('#summary dd').textContent === '400'")

    assert page.run("document.getElementById('chart-numbers').open")
    assert page.run("document.getElementById('text').value") == "half a te"
    assert page.run("document.body.scrollHeight === heights[0]")
    assert_nothing_happened(page, places.full)


def test_filter_is_in_the_address_and_its_numbers_in_the_page(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    opened(page, places.full)
    page.run(
        "const select = document.querySelector('[name=agent]'); select.value = '技术分析师'; "
        "select.dispatchEvent(new Event('change', {bubbles: true})); true"
    )
    page.until("document.querySelector('#summary dd').textContent === '200'")

    assert page.run("new URLSearchParams(location.search).get('agent')") == "技术分析师"
    assert page.run("document.querySelector('#by-agent tr.chosen a').getAttribute('aria-current')") == "true"


def test_refresh_that_fails_says_so(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    opened(page, places.full)
    page.run("htmx.ajax('GET', 'static/nothing', {target: '#parts'}); true")
    page.until("document.getElementById('status').textContent !== ''")

    assert page.run("document.getElementById('status').textContent") == "刷新失败，显示的是此前的数据"
    assert page.run("document.querySelector('#summary dd').textContent") == "400"


def test_page_is_read_and_explains_without_scripts(chromium: Browser, places: Places) -> None:
    page = chromium.open_page(scripts=False)
    page.look(820)
    page.open(places.full)
    page.run("document.getElementById('text').value = '{\"a\": 1,}'; true")

    assert page.run("document.querySelectorAll('#plot-rate > svg polyline').length") > 0
    assert page.run("getComputedStyle(document.querySelector('#filters button')).display") != "none"
    page.run("document.querySelector('#explain form').submit()")
    page.until("document.querySelector('#explained h3')")
    assert page.run("location.pathname + location.hash") == "/explain#explained"
    assert "trailing_comma" in page.run("document.getElementById('explained').textContent")


def test_pasted_text_is_shown_and_never_run(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    page.open(places.none)
    kinds = "[...new Set([...document.querySelectorAll('#explained *')].map((one) => one.localName))]"
    for text in TEXTS:
        explain(page, text)
        assert not set(page.run(kinds)) & {"script", "img", "svg", "a", "iframe", "textarea", "title", "h1"}
        shown = page.run("document.getElementById('explained').textContent")
        assert not set("\u202e\u2066\x00\x1b") & set(shown)
        assert page.run("document.querySelectorAll('#explained [hx-get], #explained [onerror]').length") == 0
    assert page.run("document.documentElement.scrollWidth === innerWidth")
    assert_nothing_happened(page, places.none)


def test_names_in_the_store_are_shown_and_never_run(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    page.look(820)
    opened(page, places.hostile)

    shown = page.run("document.getElementById('parts').textContent")
    assert "<script>alert(1)</script>" in shown
    assert not set("\u202e\u2066\x00\x1b") & set(shown)
    assert page.run("document.querySelectorAll('#parts script, #parts img, h1 ~ h1, [onerror]').length") == 0
    assert page.run("document.documentElement.scrollWidth") == 820
    assert_nothing_happened(page, places.hostile)


def test_text_that_is_too_large_says_so(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    page.open(places.none)
    page.run("document.getElementById('text').value = ('x'.repeat(999) + '\\n').repeat(1_100)")
    page.run("document.querySelector('#explain button').click()")
    page.until("document.querySelector('#explained .heed')")

    assert "文本过大，服务不接受。" in page.run("document.getElementById('explained').textContent")


def test_keyboard_reaches_everything_in_order(chromium: Browser, places: Places) -> None:
    page = chromium.open_page()
    opened(page, places.full)
    reached = []
    for _ in range(40):
        page.press_tab()
        reached.append(
            page.run(
                "document.activeElement.id || document.activeElement.name || "
                "document.activeElement.className || document.activeElement.localName"
            )
        )
    order = ["skip", "window", "agent", "model", "follow", "language", "scroll", "text"]
    places_ = [reached.index(name) for name in order]

    assert places_ == sorted(places_)
