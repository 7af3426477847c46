"""The attack with cuts through tool calls finds a reader that closes what was cut, and one that loses calls."""

from typing import Any

import pytest

from tests.thorough import at_length
from tools.attack import calls, tool_call_cuts
from tools.attack.budget import Budget
from tools.attack.tool_call_cuts import FINISHED, Cut, attack, cuts, judged, read
from tools.benchmarks.tool_call_texts import DIALECTS, NOW, TOOLS

STEP = at_length(127, 1)
"""Of so many offsets one is cut; prime, so that every text has its own."""
ONE = {"Llama, pythonic": DIALECTS["Llama, pythonic"]}
CALL = (NOW.name, TOOLS[NOW.name]())


@pytest.mark.parametrize(
    ("got", "has_begun", "column"),
    [
        (None, True, "refused"),
        ([], True, "silent"),
        ([], False, "no call begun"),
        ([CALL], True, "whole calls"),
        ([CALL, CALL], True, "whole calls"),
        ([("now", 5)], True, "cut accepted"),
    ],
)
def test_cut_is_judged_by_the_calls_of_the_whole_text(
    got: list[tuple[str, Any]] | None,
    has_begun: bool,  # noqa: FBT001 - a parameter
    column: str,
) -> None:
    assert judged(Cut("", has_begun, [CALL, CALL]), got) == column


def test_no_cut_of_a_tool_call_is_accepted_and_none_is_lost() -> None:
    report = attack(step=STEP)

    assert report.shortest == {}
    assert report.broken is False


def test_reader_that_closes_what_was_cut_is_found() -> None:
    report = attack(ONE, lambda text, finished: [("now", {"a": text})] if finished else None)

    assert {column for _, column in report.shortest} == {"cut accepted"}


def test_reader_that_loses_calls_is_found() -> None:
    assert {column for _, column in attack(ONE, lambda text, finished: []).shortest} == {"silent"}  # noqa: ARG005


def test_crash_is_found_and_told_with_the_shortest_text() -> None:
    def crashing(text: str, finished: bool | None) -> None:  # noqa: FBT001 - as read by the attack
        raise KeyError(text, finished)

    report = attack(ONE, crashing)

    assert report.shortest["Llama, pythonic", "crashed"][0] == "["
    assert "Llama, pythonic, crashed" in report.text()


def test_every_offset_is_cut_and_read_with_all_that_may_be_known() -> None:
    report = attack(ONE, lambda text, finished: None)  # noqa: ARG005

    assert report.counts["Llama, pythonic", "cuts"] == 3 * sum(1 for _ in cuts(DIALECTS["Llama, pythonic"]))
    assert set(FINISHED) == {None, True, False}


def test_command_tells_of_calls_of_a_model_and_of_tool_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_call_cuts, "attack", lambda: attack(ONE, step=5))

    report = calls.attack_both(Budget(count=3), 1)

    assert report.broken is False
    heads = [part.split("  ")[0].strip() for part in report.text().split("\n\n")[::2]]
    assert heads == ["finish reason", "notation"]


def test_reading_gives_calls_and_none_for_a_text_that_is_refused() -> None:
    text = DIALECTS["Hermes, Qwen"].write([NOW])

    assert [read(text, finished) for finished in FINISHED] == [[CALL], [CALL], None]
