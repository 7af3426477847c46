"""The page on the attack names the families and outcomes there are, and what must be 0."""

import importlib
import pkgutil

import pytest

from tests.docs.pages import PAGES, name_in, rows
from tools.attack import calls, cuts, damages, hostile, streams
from tools.attack.damages import KINDS
from tools.attack.outcome import Outcome

PAGE = PAGES["docs/explanation/attack.md"]


def test_the_table_of_outcomes_has_every_one_in_its_order() -> None:
    assert [name_in(row[0]) for row in rows(PAGE, "outcome")] == [outcome.value for outcome in Outcome]


@pytest.mark.parametrize(
    ("first", "broken"),
    [
        ("column", cuts.BROKEN),
        ("count of calls", calls.BROKEN),
        ("count of streams", streams.BROKEN),
        ("count of families", hostile.BROKEN),
    ],
)
def test_every_count_that_must_be_0_is_described_as_the_command_does(first: str, broken: dict[str, str]) -> None:
    assert {name_in(row[0]): row[1] for row in rows(PAGE, first)} == broken


def test_every_family_of_damages_is_named_and_has_its_kinds() -> None:
    names = [module.name for module in pkgutil.iter_modules(damages.__path__) if module.name != "places"]
    families = [importlib.import_module(f"tools.attack.damages.{name}") for name in names]
    assert ", ".join(f"`{name}`" for name in names) in "\n".join(PAGE.prose)
    assert sum(len(module.DAMAGES) for module in families) == len(KINDS)
