"""Calls as models write them, dialect by dialect: whole, damaged and cut at every offset, none is read wrong."""

import re
from collections.abc import Iterator

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_calls import read_tool_calls
from tests.log_lines import structlog_unconfigured
from tests.thorough import at_length
from tools.benchmarks import tool_calls
from tools.benchmarks.tool_call_texts import DIALECTS, NOW, PARIS, TOOLS
from tools.benchmarks.tool_calls import Text, outcome, texts

STEP = at_length(19, 1)
"""Every how manieth of the cuts is looked at."""

dialects = pytest.mark.parametrize("name", DIALECTS)


@pytest.fixture(autouse=True)
def _logs_as_in_a_program_without_structlog() -> Iterator[None]:
    with structlog_unconfigured():
        yield


def of_kind(name: str, kind: str) -> list[Text]:
    found = [text for text in texts(DIALECTS[name]) if text.kind == kind]
    assert found
    return found


@dialects
def test_calls_are_read_as_they_were_written(name: str) -> None:
    assert {text.text: outcome(text) for text in of_kind(name, "whole") if outcome(text) != "right"} == {}


@dialects
def test_damaged_calls_are_read_right_or_refused_and_most_are_read(name: str) -> None:
    outcomes = [outcome(text) for text in of_kind(name, "damaged")]

    assert "wrong" not in outcomes
    assert outcomes.count("right") > len(outcomes) / 2


@dialects
def test_cut_text_gives_the_calls_that_are_whole_in_it_or_is_refused(name: str) -> None:
    assert [text.text for text in of_kind(name, "cut")[::STEP] if outcome(text) == "wrong"] == []


@dialects
def test_cut_call_alone_is_refused_or_lacks_only_what_ends_it(name: str) -> None:
    """A single call whose arguments are cut is never read: neither with a shorter value nor with fewer of them."""
    written = DIALECTS[name].write([PARIS])
    whole = read_tool_calls(written, TOOLS)
    end_of_arguments = max(place.end() for place in re.finditer(r"days|3", written))

    for size in range(written.index(DIALECTS[name].mark) + len(DIALECTS[name].mark), len(written), at_length(5, 1)):
        try:
            found = read_tool_calls(written[:size], TOOLS)
        except LLMJsonParseError:
            continue
        assert size >= end_of_arguments
        assert [call.arguments for call in found] == [call.arguments for call in whole]


@dialects
def test_text_that_is_known_to_be_cut_is_refused_whatever_it_looks_like(name: str) -> None:
    for calls in ([PARIS], [NOW, PARIS]):
        with pytest.raises(LLMJsonParseError) as caught:
            read_tool_calls(DIALECTS[name].write(calls), TOOLS, finished=False)

        assert caught.value.details["truncated"] is True


@dialects
def test_calls_stand_where_their_span_says(name: str) -> None:
    text = f"Let me see.\n{DIALECTS[name].write([PARIS, NOW])}"
    calls = read_tool_calls(text, TOOLS)

    assert [call.name in text[slice(*call.span)] for call in calls] == [True, True]
    assert all(call.span.start >= text.index("\n") for call in calls) or name.startswith("no mark")


def test_command_prints_a_row_for_each_dialect_and_finds_nothing_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: DIALECTS[name] for name in ("LFM2", "Granite")}
    monkeypatch.setattr(tool_calls, "DIALECTS", few)
    monkeypatch.setattr(tool_calls, "ONE_CALL", (PARIS,))
    monkeypatch.setattr(tool_calls, "SEVERAL", ())

    assert tool_calls.main() == 0
    assert [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()[2:]] == [
        "| LFM2",
        "| Granite",
        "| all",
    ]


def test_command_fails_where_a_call_is_read_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_calls, "DIALECTS", {"LFM2": DIALECTS["LFM2"]})
    monkeypatch.setattr(tool_calls, "ONE_CALL", (PARIS,))
    monkeypatch.setattr(tool_calls, "SEVERAL", ())
    monkeypatch.setattr(tool_calls, "read_tool_calls", lambda *_: ())

    assert tool_calls.main() == 1
