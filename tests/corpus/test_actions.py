"""Texts of other agents that models wrote with tags: which action is read, and that none is taken out of reasoning."""

from collections import Counter
from typing import Any, NamedTuple

import pytest

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action, postprocess_responses
from tests.beside import needs_corpus
from tests.corpus.reading import lines_of

MARKS = ("<search", "</search", "<answer", "</answer", "<tools_call")
READ_OF_THE_POOL = {("answer", 0): 222, ("answer", 1): 27, ("answer", 2): 10, ("answer", 3): 1}
"""How many texts of the pool give which action after how many earlier ones. The numbers may only grow."""
READ_OF_THE_LABELLED = 21
"""How many of the labelled trajectories are whole; each of them is read right."""


class Case(NamedTuple):
    """A record of the corpus and what is read."""

    row: dict[str, Any]
    parsed: ParsedAction


@pytest.fixture(scope="module")
def labelled() -> list[Case]:
    rows = [row for row in lines_of("real_outputs.jsonl") if row["kind"] == "xml-tags"]
    return [Case(row, parse_action(row["text"])) for row in rows]


@pytest.fixture(scope="module")
def pool() -> list[Case]:
    rows = [row for row in lines_of("pool_30k.jsonl.gz") if any(mark in row["text"].lower() for mark in MARKS)]
    return [Case(row, parse_action(row["text"])) for row in rows]


@needs_corpus
def test_action_of_a_trajectory_that_is_whole_is_its_last_tag(labelled: list[Case]) -> None:
    whole = [case for case in labelled if case.row["expected"] and case.row.get("expected_tags")]
    right = [case for case in whole if [case.parsed.action_type, case.parsed.content] == case.row["expected_tags"][-1]]
    assert READ_OF_THE_LABELLED <= len(whole) == len(right)


@needs_corpus
def test_trajectory_that_is_cut_off_gives_no_action(labelled: list[Case]) -> None:
    cut = [case.parsed for case in labelled if not case.row["expected"]]
    assert (len(cut), [parsed for parsed in cut if parsed.action_type]) == (6, [])


@needs_corpus
def test_tag_of_another_protocol_is_no_action(labelled: list[Case]) -> None:
    others = [case.parsed for case in labelled if case.row["id"].startswith("bfcl")]
    assert (len(others), {parsed.action_type for parsed in others}) == (9, {None})


@needs_corpus
def test_pool_gives_no_fewer_actions_than_it_did(pool: list[Case], capsys: pytest.CaptureFixture[str]) -> None:
    found = Counter((str(one.parsed.action_type), one.parsed.superseded) for one in pool if one.parsed.action_type)
    refused = Counter(str(one.parsed.problem.kind) for one in pool if one.parsed.problem)
    with capsys.disabled():
        print("", f"{len(pool)} texts with a tag", *found.items(), *refused.items(), sep="\n")  # noqa: T201 - for the reader of the run
    assert {group: found[group] for group, count in READ_OF_THE_POOL.items() if found[group] < count} == {}


@needs_corpus
def test_no_action_of_the_pool_is_taken_out_of_reasoning(pool: list[Case]) -> None:
    for row, parsed in pool:
        before = row["text"].rpartition("<answer>")[0]
        assert parsed.action_type is None or before.rfind("<think>") <= before.rfind("</think>"), row["id"]


@needs_corpus
def test_whatever_is_kept_of_a_text_of_the_pool_gives_the_same_action(pool: list[Case]) -> None:
    kept = postprocess_responses([case.row["text"] for case in pool], "")
    again = [parse_action(text) for text in kept]
    assert [one.content for one in again] == [case.parsed.content for case in pool]
