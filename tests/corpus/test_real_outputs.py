"""Texts that models really wrote: what is read right stays right, and nothing is read wrong."""

import re
from collections import Counter, defaultdict
from typing import Any, TypeAlias

import pytest

from src.shared.infrastructure.tool_call_forms.call_objects import names_of_calls
from src.shared.infrastructure.tool_calls import contains_tool_call
from tests.beside import needs_corpus
from tests.corpus.reading import decoded, is_same, lines_of
from tests.thorough import at_length

Group: TypeAlias = tuple[str, str]
"""A kind of text and how sure its expected value is."""

RIGHT: dict[Group, int] = {
    ("array-root", "high"): 14,
    ("array-root", "medium"): 5,
    ("broken-backtick", "medium"): 10,
    ("broken-escaped-delimiters", "medium"): 7,
    ("broken-extra-closer", "high"): 1,
    ("broken-invalid-escape", "high"): 1,
    ("broken-invalid-escape", "medium"): 34,
    ("broken-literal-newline", "high"): 12,
    ("broken-literal-newline", "medium"): 4,
    ("broken-literal-tab", "high"): 1,
    ("broken-missing-closer", "medium"): 1,
    ("broken-missing-closing-quote", "medium"): 8,
    ("broken-missing-comma", "high"): 7,
    ("broken-missing-comma", "medium"): 2,
    ("broken-other", "medium"): 2,
    ("broken-python-literal", "high"): 5,
    ("broken-python-literal", "medium"): 1,
    ("broken-repeated-key", "medium"): 2,
    ("broken-single-quotes", "high"): 21,
    ("broken-single-quotes", "medium"): 12,
    ("broken-stray-quote", "medium"): 1,
    ("broken-trailing-comma", "high"): 3,
    ("broken-unescaped-quote", "high"): 3,
    ("broken-unescaped-quote", "medium"): 12,
    ("clean", "high"): 73,
    ("fenced", "high"): 61,
    ("fenced", "medium"): 4,
    ("prose", "high"): 61,
    ("prose", "medium"): 2,
    ("xml-tags", "high"): 9,
}
"""How many of each group are read right. The numbers may only grow; a text read wrong is never made up for."""
TOOL_CALLS = 28
"""Texts that hold the call of a tool: 27 in its marks and one as Python writes it."""

ACCEPTED_WITHOUT_AN_OBJECT = {
    "bfcl-99b2db4b34": "a function call whose quotes are escaped: an object written as the inside of a string",
}
"""Texts said to hold no object in which one is found all the same, and why that is right."""

ACCEPTED_CUT = {
    "bfcl-2e721751c7": "prose in whose last code block an object stands whole; nothing of it is cut",
    "zero-08bc6120c9": "a closing quote and bracket are missing, but both members are there whole",
    "zero-1b40530163": "prose that ends with a whole object; nothing of it is cut",
}
"""Texts said to be cut off in which an object is read all the same, and why that is right."""

END_BARE = {"kgab-bfc2615b16": "truncated", "srag-1a4ce84fe1": "truncated"}
"""Texts that end bare and lack only brackets, and their kind: refused unless their end is known. These were cut."""
POOL = "pool_30k.jsonl.gz"
PARTS_OF_THE_POOL = ((15_000, 15_600, 0), (0, 15_000, 1), (15_000, None, 3))
"""A sample and the halves of the pool, and how many of each do so."""

WRONG_BY_MEDIUM: dict[str, str] = {}
"""Texts whose expected value, found by one library only, is not the one read here, and why ours is right."""


@pytest.fixture(scope="module")
def outcomes() -> dict[Group, dict[str, list[str]]]:
    """Decode every text once; by group and outcome, the texts' ids."""
    groups: dict[Group, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in lines_of("real_outputs.jsonl"):
        groups[row["kind"], row["expected_confidence"]][_outcome(row)].append(row["id"])
    return groups


def _outcome(row: dict[str, Any]) -> str:
    data = decoded(row["text"])
    if data is None:
        return "refused"
    if row["expected"] is None:
        return "accepted"
    return "right" if is_same(data, row["expected"]) else "wrong"


@needs_corpus
def test_table_of_outcomes_covers_every_text(
    outcomes: dict[Group, dict[str, list[str]]], capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ("right", "refused", "wrong", "accepted")
    lines = [f"{'kind':30} {'confidence':10} " + " ".join(f"{name:>8}" for name in columns)]
    for (kind, confidence), ids in sorted(outcomes.items()):
        lines.append(f"{kind:30} {confidence:10} " + " ".join(f"{len(ids[name]) or '·':>8}" for name in columns))
    with capsys.disabled():
        print("", *lines, sep="\n")  # noqa: T201 - the table is for the reader of the run
    assert sum(len(ids) for group in outcomes.values() for ids in group.values()) == 522


@needs_corpus
@pytest.mark.parametrize("kind", ["clean", "fenced", "prose"])
def test_object_that_is_whole_is_read_right(outcomes: dict[Group, dict[str, list[str]]], kind: str) -> None:
    ids = outcomes[kind, "high"]
    assert len(ids["right"]) >= 0.99 * (len(ids["right"]) + len(ids["refused"]) + len(ids["wrong"]))


@needs_corpus
def test_no_value_is_wrong(outcomes: dict[Group, dict[str, list[str]]]) -> None:
    wrong = {name for group in outcomes.values() for name in group["wrong"]}
    assert wrong == set(WRONG_BY_MEDIUM)


@needs_corpus
def test_text_without_an_object_is_refused(outcomes: dict[Group, dict[str, list[str]]]) -> None:
    accepted = {name for group, ids in outcomes.items() if group[0] == "no-json" for name in ids["accepted"]}
    assert accepted <= set(ACCEPTED_WITHOUT_AN_OBJECT)


@needs_corpus
def test_call_of_a_tool_is_refused_or_read_with_its_name() -> None:
    called = [row for row in lines_of("real_outputs.jsonl") if contains_tool_call(row["text"])]
    read = [data for row in called if (data := decoded(row["text"])) is not None]
    assert len(called) == TOOL_CALLS
    assert all(map(names_of_calls, read))
    assert all(
        re.search(r"<(?:tool|function)_call>|^[ \t]*\[[ \t]?[\w.]+\(\w*[ ]?[=)]", row["text"], re.MULTILINE)
        for row in called
    )


@needs_corpus
def test_text_that_was_cut_is_refused(outcomes: dict[Group, dict[str, list[str]]]) -> None:
    cut = [ids for group, ids in outcomes.items() if group[0] == "truncated"]
    assert {name for ids in cut for found in ("accepted", "right", "wrong") for name in ids[found]} <= set(ACCEPTED_CUT)


@needs_corpus
@pytest.mark.parametrize(
    ("name", "start", "end", "found"),
    [
        ("real_outputs.jsonl", 0, None, 2),
        *((POOL, *part) for part in at_length(PARTS_OF_THE_POOL[:1], PARTS_OF_THE_POOL[1:])),
    ],
)
def test_texts_that_end_bare_are_read_only_where_their_end_is_known(
    name: str, start: int, end: int | None, found: int
) -> None:
    rows = lines_of(name, end, start=start)
    bare = [row for row in rows if decoded(row["text"]) is None and decoded(row["text"], finished=True)]
    assert len(bare) == found
    assert all(row["text"].rstrip()[-1] not in "}]`>" for row in bare)
    assert {row["id"]: row["kind"] for row in bare if "kind" in row} in ({}, END_BARE)


@needs_corpus
def test_no_group_is_read_worse_than_it_was(outcomes: dict[Group, dict[str, list[str]]]) -> None:
    now = Counter({group: len(ids["right"]) for group, ids in outcomes.items()})
    assert {group: now[group] for group in RIGHT if now[group] < RIGHT[group]} == {}
