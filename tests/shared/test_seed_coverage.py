"""Every scenario of the specification has exactly one test, found by the title in the test's docstring."""

import inspect
import re
from collections import Counter
from types import ModuleType

import tests.modules.test_seed_scenarios as agents
import tests.shared.test_seed_scenarios as parser
from tests.beside import SHARED, needs_seeds

SEED = SHARED / "seeds/002_9592db0859f859e8.txt"


def titles_in(module: ModuleType) -> list[str]:
    """List the scenario titles in the docstrings of a module's tests."""
    tests = [test for name, test in inspect.getmembers(module, inspect.isfunction) if name.startswith("test_")]
    return [title for test in tests for title in re.findall(r"^Scenario: (.+)\.$", inspect.getdoc(test) or "")]


def test_no_scenario_has_two_tests() -> None:
    counts = Counter(titles_in(parser) + titles_in(agents))
    assert [title for title, count in counts.items() if count > 1] == []


@needs_seeds
def test_every_scenario_of_the_specification_has_its_test() -> None:
    scenarios = re.findall(r"^#### Scenario: (.+)$", SEED.read_text(encoding="utf-8"), re.MULTILINE)
    assert (len(scenarios), sorted(scenarios)) == (22, sorted(titles_in(parser) + titles_in(agents)))
