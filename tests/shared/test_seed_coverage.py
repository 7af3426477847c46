"""Every scenario of the specification has exactly one test, found by the title in the test's docstring."""

import inspect
import re
from collections import Counter

import tests.modules.test_every_agent
import tests.modules.test_spellings
import tests.shared.test_seed_scenarios
from tests.beside import SHARED, needs_seeds

MODULES = (tests.shared.test_seed_scenarios, tests.modules.test_every_agent, tests.modules.test_spellings)
SEED = SHARED / "seeds/002_9592db0859f859e8.txt"


def titles() -> list[str]:
    """List the scenario titles in the docstrings of the tests."""
    tests = [test for module in MODULES for name, test in vars(module).items() if name.startswith("test_")]
    return [title for test in tests for title in re.findall(r"^Scenario: (.+)\.$", inspect.getdoc(test) or "")]


def test_no_scenario_has_two_tests() -> None:
    counts = Counter(titles())
    assert [title for title, count in counts.items() if count > 1] == []


@needs_seeds
def test_every_scenario_of_the_specification_has_its_test() -> None:
    scenarios = re.findall(r"^#### Scenario: (.+)$", SEED.read_text(encoding="utf-8"), re.MULTILINE)
    assert (len(scenarios), sorted(scenarios)) == (22, sorted(titles()))
