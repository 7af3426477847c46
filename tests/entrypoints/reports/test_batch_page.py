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
from src.modules.reparsing.domain.comparison import Comparison, well_formed
from src.modules.reparsing.domain.tally import Tally
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


def bars(part: str) -> dict[str, int]:
    rows = re.findall(r"<li>\s*<p>.*?<code>(.*?)</code></span><span>([\d,]+)<", part, re.DOTALL)
    return {unescape(name): int(count.replace(",", "")) for name, count in rows}


@pytest.fixture(scope="module")
def page() -> str:
    return batch_page(full(), about())


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    return json.loads(json.dumps(summary_data(full(), about())))  # type: ignore[no-any-return]


def test_first_numbers_are_those_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    head = re.findall(r'<dl class="numbers">(.*?)</dl>', page, re.DOTALL)[0]
    assert numbers(head) == [
        summary["outcomes"][name] for name in ("texts", "clean", "repaired", "refused", "truncated")
    ]


@pytest.mark.parametrize("name", ["stages", "kinds"])
def test_bars_are_those_of_the_summary(page: str, summary: dict[str, Any], name: str) -> None:
    shown = bars(sections(page)["stages"])
    assert {row["name"]: shown[row["name"]] for row in summary[name]} == {
        row["name"]: row["texts"] for row in summary[name]
    }
    assert len(shown) == len(summary["stages"]) + len(summary["kinds"])


@pytest.mark.parametrize(("section", "name"), [("agents", "by_agent"), ("models", "by_model")])
def test_groups_are_those_of_the_summary(page: str, summary: dict[str, Any], section: str, name: str) -> None:
    counts = ("texts", "clean", "repaired", "refused", "truncated")
    assert table(sections(page)[section]) == {row["name"]: [row[key] for key in counts] for row in summary[name]}


def test_columns_add_up_to_the_times_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    columns = table(sections(page)["time"])
    for place, key in enumerate(("texts", "clean", "repaired", "refused")):
        assert sum(row[place] for row in columns.values()) == sum(row[key] for row in summary["by_time"])


def test_refusals_are_the_first_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    cards = re.findall(r'<li class="card">(.*?)</li>', sections(page)["refusals"], re.DOTALL)
    assert len(cards) == REASONS_SHOWN < len(summary["reasons"])
    for card, row in zip(cards, summary["reasons"], strict=False):
        assert numbers(card)[0] == row["texts"]
        assert {row["stage"], cause_word(row["reason"]), row["example"]["place"]} <= set(
            map(unescape, re.findall(r"<code>(.*?)</code>", card))
        )


def test_largest_and_slowest_are_those_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    shown = re.findall(r"<code>([^<]*:\d+)</code>", sections(page)["extremes"])
    assert shown == [row["place"] for row in [*summary["timing"]["slowest"], *summary["largest"]]]


def test_comparison_is_that_of_the_summary(page: str, summary: dict[str, Any]) -> None:
    part = sections(page)["comparison"]
    classes = dict(re.findall(r"<code>(\w+)</code></dt><dd>([\d,]+)", part))
    assert {name: int(count) for name, count in classes.items()} == summary["comparison"]["classes"]
    assert bars(part) == {row["name"]: row["texts"] for row in summary["comparison"]["paths"]}
    groups = table(part)
    for row in summary["comparison"]["by_agent"]:
        counts = [row[name] for name in classes]
        assert groups[row["name"]] == [sum(counts), *counts]


def test_differing_values_are_marked_on_both_sides(page: str) -> None:
    assert re.findall(r"<mark>(.*?)</mark>", page) == ["1", "&#34;b &#34;", "1000", "&#34;b&#34;", "true"]


def test_differing_values_are_told_side_by_side(page: str) -> None:
    rows = re.findall(r'<tr><th scope="row"><code>(.*?)</code></th><td [^>]+>(.*?)</td><td [^>]+>(.*?)</td></tr>', page)
    assert rows == [("$.price", "1", "1000"), ("$.note: only new", "（没有）", "true")]


def test_why_a_parser_gave_up_is_told_where_its_reading_would_stand(page: str) -> None:
    part = text_of(sections(page)["comparison"])
    assert "旧的解析器 TimeoutError 新的解析器 不是合法 JSON：未找到 JSON 对象 文本" in part


def test_two_runs_differ_in_timing_alone() -> None:
    first = summary_data(varied(), about())
    second = summary_data(varied(), about(workers=7, start=None, made=about().made.replace(year=2027)))
    assert first["timing"] != second["timing"]
    assert first | {"timing": None} == second | {"timing": None}


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


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        (parsed(1), "原样读出 1 100%"),
        (parsed(1, "comment"), "修复后读出 1 100%"),
        (refused(1, "root", "x"), "拒绝 1 100%"),
    ],
)
def test_run_with_one_outcome_says_so(answer: Any, share: str) -> None:  # noqa: ANN401 - an answer
    document = batch_page(tallied(answer), about())
    assert share in text_of(re.findall(r'<dl class="numbers">(.*?)</dl>', document, re.DOTALL)[0])


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
