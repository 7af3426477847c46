"""The attack with cuts finds a reader that takes a part for the whole, and one that salvages too much."""

import tomllib
from pathlib import Path
from random import Random

import pytest

from tests.attack.readers import crashing, inventing, salvaging, strict
from tools.attack.budget import Budget
from tools.attack.cuts import attack
from tools.attack.reader import Accepted, Read, Reading, Refused
from tools.attack.styles import STYLES, Style, in_style, styled_document

SAMPLE = Budget(count=25 * len(STYLES))

DOCUMENT = {"a": ["x", None], "b c": 'say "hi"', "d": "1\n2"}
WRITTEN = tomllib.loads(Path(__file__).with_name("written.toml").read_text(encoding="utf-8"))["styles"]


def broken(reader: Read) -> set[str]:
    report = attack(SAMPLE, 1, reader, finished_too=True)
    assert report.broken == bool({column for _, column in report.shortest} - {"texts refused", "texts misread"})
    return {column for _, column in report.shortest} - {"texts refused", "texts misread"}


def test_there_are_fourteen_styles() -> None:
    assert len(STYLES) == 14
    assert [style.name for style in STYLES] == list(WRITTEN)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_a_style_writes_a_document_in_its_way(style: Style) -> None:
    assert in_style(Random(1), style, DOCUMENT) == WRITTEN[style.name]


@pytest.mark.parametrize("style", [style for style in STYLES if style.required], ids=lambda style: style.name)
def test_a_document_of_a_style_has_what_the_style_is_about(style: Style) -> None:
    assert all(styled_document(Random(seed), style)["remark"] in style.required for seed in range(20))


def deaf(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """Does not hear that a text was cut."""
    del finished
    return strict(text, salvage=salvage)


@pytest.mark.parametrize(
    ("reader", "found"),
    [
        (strict, set()),
        (inventing, {"missing", "not refused", "unmarked"}),
        (salvaging({}, truncated=False), {"unmarked"}),
        (salvaging({"no such key": 1}, truncated=True), {"half"}),
        (salvaging({}, truncated=True), set()),
        (deaf, {"not refused"}),
        (crashing, {"crashed", "not refused"}),
    ],
    ids=["refuses", "invents", "marks nothing", "salvages what is not there", "salvages", "deaf", "crashes"],
)
def test_each_promise_that_a_reader_breaks_is_found(reader: Read, found: set[str]) -> None:
    assert broken(reader) == found


def test_a_text_that_is_refused_or_misread_uncut_is_shown_and_breaks_no_promise() -> None:
    def lazy(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
        del text, salvage
        return Refused(truncated=finished is False)

    def never_right(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
        reading = strict(text, finished=finished)
        return Accepted({}) if isinstance(reading, Accepted) and not salvage else reading

    assert "texts refused" in {column for _, column in attack(SAMPLE, 1, lazy).shortest}
    assert "texts misread" in {column for _, column in attack(SAMPLE, 1, never_right).shortest}


def test_as_many_cuts_are_made_as_were_asked_for() -> None:
    report = attack(Budget(count=60), 1, strict)
    assert sum(report.counts[style, "cuts"] for style in WRITTEN) == 60


def test_a_parser_that_cannot_be_told_the_end_is_not_asked_with_it() -> None:
    report = attack(SAMPLE, 1, strict, finished_too=False)
    assert not any(column.startswith("finished") for _, column in report.counts)
