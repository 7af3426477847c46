"""The command prints every table from what is there; the page says how to print it."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.thorough import THOROUGH_ONLY
from tools.benchmarks import streaming
from tools.benchmarks.bulk_runs import ROOT
from tools.benchmarks.stream_peers import PEERS, Run, present
from tools.benchmarks.stream_texts import CASES, Back, Case, leaves_of, shown_of, taken_back
from tools.benchmarks.stream_times import best_of, first_shown

pytestmark = THOROUGH_ONLY

PAGE = ROOT / "docs/explanation/streaming.md"
CASE = Case('{"title": "one"}', {"title": "one"})


def shows(*values: object) -> Run:
    """A library that shows these, whatever the text is."""

    def run(chunks: Iterable[str], show: Callable[[Any], None]) -> None:
        for _, value in zip(chunks, values, strict=False):
            show(value)

    return run


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints of a small text, for the libraries that come with the project."""
    monkeypatch.setattr(streaming, "present", lambda: PEERS[:3])
    assert streaming.main(["--sizes", "1", "--bound", "5", "--turns", "1"]) == 0
    return capsys.readouterr().out


def test_command_prints_every_table_and_every_promise(printed: str) -> None:
    assert len(re.findall(r"^\| ours \|", printed, re.MULTILINE)) >= len(("shown", "first", "damage", "times"))
    assert re.search(r"^\| ours(?: \| (?:right|refused)[^|]*){8} \|$", printed, re.MULTILINE)
    assert re.search(r"^\| pydantic-core(?: \| [\d,.]+){3} \|$", printed, re.MULTILINE)
    assert len(re.findall(r"MISSED|as promised", printed)) == len(("growth", "closed", "looked at", "beside others"))
    assert "- absent: parsantic" in printed


def test_page_names_the_command_its_libraries_and_its_texts() -> None:
    page = PAGE.read_text("utf-8")
    assert "python -m tools.benchmarks.streaming" in page
    assert [peer.name for peer in PEERS if f"| {peer.name} |" not in page] == []
    assert [name for name in CASES if name not in page] == []


def test_libraries_of_this_environment_are_those_with_a_version() -> None:
    assert [peer.version() for peer in present()][:2] == ["this source tree"] * 2
    assert all(peer.version() for peer in present())


def test_text_may_grow_and_everything_else_is_taken_back() -> None:
    before = leaves_of({"text": "a", "number": 4, "gone": "b", "same": 1})
    after = leaves_of({"text": "ab", "number": 42, "same": 1, "new": None})
    assert [*taken_back(before, after)] == [Back("$.number", 4, 42), Back("$.gone", "b", None)]


def test_draft_that_was_shown_is_told_beside_the_right_end() -> None:
    shown = shown_of(shows({"title": "Weak"}, {"title": "one"}), CASE)
    assert str(shown) == "right, shows the draft, 1 taken back"


def test_value_of_a_text_that_has_none_is_wrong() -> None:
    assert shown_of(shows({"title": "one"}), Case(CASE.text, "refuse")).end == "wrong"


def test_library_is_stopped_when_its_time_is_over() -> None:
    took = best_of({"slow": shows({})}, "text", 1, -1, 1)["slow"]
    assert str(took).startswith("stopped after 0 s, at 0%")


def test_first_value_is_counted_in_its_own_characters() -> None:
    leaves = leaves_of(CASE.expected)
    run = shows(*[None] * 11, {"title": "on"})
    assert first_shown(run, CASE.text, leaves, bound=5) == "1"
    assert first_shown(shows({"title": "two"}), CASE.text, leaves, bound=5) == "other text"
    assert first_shown(shows(), CASE.text, leaves, bound=5) == "nothing"


def test_promises_are_measured_in_every_condition_that_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert streaming.main(["--sizes", "1", "--promises"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all("of one parse, every snapshot looked at" in line for line in lines)
    assert len([line for line in lines if "full-width" in line]) == 2
    assert not any("truncated" in line for line in lines)
