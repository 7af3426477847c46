"""The page about a batch's summary and report names every field, every section and every bound of the code."""

import importlib
from typing import Any

import pytest

from src.entrypoints.reports.batch.drawing import MOST_COLUMNS
from src.entrypoints.reports.batch.page_view import GROUPS_SHOWN, REASONS_SHOWN, contents
from src.entrypoints.reports.batch.summary import summary_data
from src.entrypoints.reports.batch.words import STAGES
from src.modules.reparsing.domain.tally import Tally
from src.shared.infrastructure.parsing.inspection import STAGES as PIPELINE
from tests.docs.markdown import ROOT, code_in
from tests.docs.pages import PAGES, name_in, rows
from tests.entrypoints.reports.batch_runs import about, comparison, varied

PAGE = PAGES["docs/reference/batch-summary.md"]


def full() -> Tally:
    tally = varied()
    tally.comparison = comparison()
    return tally


def names(first: str) -> list[str]:
    """The code in the first column of the tables with this heading."""
    return [name_in(row[0]) for row in PAGE.table(first) if code_in(row[0])]


def summary() -> dict[str, Any]:
    return summary_data(full(), about())


def test_every_field_is_on_the_page_in_its_order() -> None:
    data = summary()
    assert names("field") == [*data, *data["comparison"], *data["timing"]]


def test_every_count_is_on_the_page() -> None:
    assert names("count") == [*summary()["outcomes"]]


@pytest.mark.parametrize("field", ["stages", "reasons", "largest"])
def test_every_key_of_a_list_is_on_the_page(field: str) -> None:
    (row,) = [row for row in PAGE.table("field") if row[0] == f"`{field}`"]
    assert code_in(row[1]) == [f"{{{', '.join(summary()[field][0])}}}"]


def test_every_key_of_an_example_is_on_the_page() -> None:
    (row,) = [row for row in PAGE.table("field") if row[0] == "`examples`"]
    (listed,) = code_in(row[1])
    assert sorted(listed.strip("{}").split(", ")) == sorted(summary()["comparison"]["examples"][0])


def test_every_stage_that_is_not_the_parsers_is_on_the_page() -> None:
    assert names("stage") == [*STAGES][len(PIPELINE) :]


def test_every_section_of_the_report_is_on_the_page() -> None:
    (told,) = [part for part in "\n".join(PAGE.prose).split("\n\n") if part.startswith("Its sections are")]
    assert code_in(told.replace("\n", " ")) == [*contents(full())]


@pytest.mark.parametrize(
    "told",
    [f"at most {MOST_COLUMNS} columns", f"the {REASONS_SHOWN} most frequent", f"the {GROUPS_SHOWN} with the most"],
)
def test_bound_of_the_report_is_that_of_the_code(told: str) -> None:
    assert told in "\n".join(PAGE.prose)


BOUNDS = (ROOT / "tests/docs/bounds.txt").read_text(encoding="utf-8").split("\n\n")[-1].split()
"""The constants of the rows of the page, in its order."""


@pytest.mark.parametrize(("constant", "row"), [*zip(BOUNDS, rows(PAGE, "bound"), strict=True)], ids=BOUNDS)
def test_bound_is_that_of_the_code(constant: str, row: list[str]) -> None:
    module, _, name = constant.rpartition(".")
    assert row[1] == f"{getattr(importlib.import_module(f'src.{module}'), name):,}"
