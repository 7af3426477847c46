"""The page of a batch: the numbers of its summary, only what is there, and nothing of an input takes effect."""

import json
import re
from collections import Counter
from html import unescape
from typing import Any

import pytest

from src.entrypoints.reports.batch.page_view import GROUPS_SHOWN, REASONS_SHOWN, batch_page
from src.entrypoints.reports.batch.summary import summary_data
from src.entrypoints.reports.batch.words import cause_word
from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.one_line import well_formed
from tests.entrypoints.reports.batch_runs import HOSTILE, about, comparison, example, parsed, refused, tallied, varied

SECTION = re.compile(r'<section[^>]*? id="(\w+)">(.*?)</section>', re.DOTALL)


def sections(document: str) -> dict[str, str]:
    return dict(SECTION.findall(document))


def text_of(part: str) -> str:
    """What a reader sees of a part of the page, its elements apart."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", part)).split())


def numbers(part: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"(?<![\w.:-])\d[\d,]*(?![\w.%:-])", text_of(part))]


def full() -> Tally:
    tally = varied()
    tally.comparison = comparison()
    return tally


def table(part: str) -> dict[str, list[int]]:
    """The counts of each row of a table, by the row's name."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', part, re.DOTALL)
    return {text_of(name): numbers(cells) for name, cells in rows}


@pytest.fixture(scope="module")
def page() -> str:
    return batch_page(full(), about())


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    return json.loads(json.dumps(summary_data(full(), about())))  # type: ignore[no-any-return]


def test_refusals_are_the_first_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    cards = re.findall(r'<li class="card">(.*?)</li>', sections(page)["refusals"], re.DOTALL)
    assert len(cards) == REASONS_SHOWN < len(summary["reasons"])
    for card, row in zip(cards, summary["reasons"], strict=False):
        assert numbers(card)[0] == row["texts"]
        assert {row["stage"], cause_word(row["reason"]), row["example"]["place"]} <= set(
            map(unescape, re.findall(r"<code>(.*?)</code>", card))
        )


def test_differing_values_are_marked_on_both_sides(page: str) -> None:
    marked = re.findall(r"<mark>(.*?)</mark>", page)
    assert marked[:-1] == ["1", "&#34;b &#34;", "1000", "&#34;b&#34;"]
    assert marked[-1].startswith(", &#34;note&#34;: true")


def test_why_a_parser_gave_up_is_told_where_its_reading_would_stand(page: str) -> None:
    part = text_of(sections(page)["comparison"])
    assert "旧的解析器 TimeoutError 新的解析器 不是合法 JSON：未找到 JSON 对象 文本" in part


def test_contents_name_the_sections_in_their_order(page: str) -> None:
    contents = re.findall(r'<li><a href="#(\w+)">(.+?)</a></li>', page.split("</nav>", maxsplit=1)[0])
    assert contents == re.findall(r'<section[^>]* id="(\w+)">\s*<h2>(.+?)</h2>', page)
    assert len(contents) == 9


def test_run_without_rows_shows_only_what_was_run() -> None:
    document = batch_page(Tally(), about(start=None))
    assert list(sections(document)) == ["run"]
    assert "输入中没有一行" in document
    assert "–" in document
    assert "%" not in text_of(document.split("</style>")[1])


def test_agents_beyond_the_first_unfold() -> None:
    agents = tallied(*(parsed(number, agent=f"agent {number:03} {'name ' * 60}") for number in range(250)))
    part = sections(batch_page(agents, about()))["agents"]
    shown, unfolded = part.split("<details>")
    assert len(table(shown)) == GROUPS_SHOWN
    assert "其余名称合计" in text_of(unfolded)
    assert max(len(name) for name in table(part)) <= 120


def hostile() -> Tally:
    where: dict[str, Any] = dict.fromkeys(("id", "place", "agent", "model"), HOSTILE) | {"hour": "2026-11-23T09"}
    tally = tallied(
        parsed(1, "comment", seconds=3.0, **where),
        refused(2, HOSTILE, HOSTILE, message=HOSTILE * 200, **where),
        refused(3, "validate", f"$[{HOSTILE!r}]: missing", message=HOSTILE, **where),
    )
    value = {"path": HOSTILE, "old": HOSTILE, "new": HOSTILE}
    where |= dict.fromkeys(("old_error", "new_error", "old", "new"), HOSTILE)
    compared = example("different", 1, HOSTILE, paths=[HOSTILE], values=[value], **where)
    tally.comparison = Comparison(
        Counter(different=2), {HOSTILE: Counter(different=2)}, Counter({HOSTILE: 1}), {"different": [compared]}
    )
    return tally


@pytest.mark.parametrize("spoken", ["zh", "en", "both"])
def test_nothing_of_an_input_takes_effect(spoken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OUTPUT_LANG", spoken)
    run = about(
        inputs=[{"name": HOSTILE, "size": HOSTILE}], options={"dto": HOSTILE, HOSTILE: HOSTILE}, version=HOSTILE
    )
    document = batch_page(hostile(), run)
    document.encode()
    body = document.split("</style>", 1)[1]
    assert not re.search(r"<(script|img|/?style)\b", body)
    assert not re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ufeff]", body)
    assert set(re.findall(r"<(/?[a-zA-Z][\w]*)", body)) <= set(
        re.findall(r"<(/?[a-zA-Z][\w]*)", batch_page(full(), about()))
    )
    assert "{{7*7}}" in unescape(body)
    assert len(document) < 100_000


def test_summary_holds_what_an_input_holds_as_json() -> None:
    data = summary_data(hostile(), about())
    assert json.loads(json.dumps(data)) == data
    assert data["by_agent"][0]["name"] == well_formed(HOSTILE)
