"""The page on the attack names the families, outcomes, styles and layouts there are."""

import importlib
import pkgutil

import pytest

from tests.docs.pages import PAGES, name_in, rows
from tools.attack import calls, cuts, damages, hostile, streams
from tools.attack.damages import KINDS
from tools.attack.layouts import LAYOUTS
from tools.attack.outcome import Outcome
from tools.attack.styles import STYLES

PAGE = PAGES["docs/explanation/attack.md"]


@pytest.mark.parametrize(
    ("first", "names"),
    [
        ("outcome", [outcome.value for outcome in Outcome]),
        ("style", [style.name for style in STYLES]),
        ("layout", [layout.name for layout in LAYOUTS]),
    ],
)
def test_a_table_has_every_name_in_its_order(first: str, names: list[str]) -> None:
    assert [name_in(row[0]) for row in rows(PAGE, first)] == names


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


def test_every_family_of_damages_is_described_as_its_file_does() -> None:
    names = [module.name for module in pkgutil.iter_modules(damages.__path__) if module.name != "places"]
    families = {name: importlib.import_module(f"tools.attack.damages.{name}") for name in names}
    described = {name_in(row[0]): row[1] for row in rows(PAGE, "family")}
    assert described == {name: module.__doc__ for name, module in families.items()}
    assert sum(len(module.DAMAGES) for module in families.values()) == len(KINDS)
