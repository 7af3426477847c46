"""The command prints its seed and its tables, and its exit code says whether a promise was broken."""

from types import ModuleType

import pytest

from tools.attack import __main__ as command
from tools.attack import calls, cuts, damage, duels, parts, streams
from tools.attack.budget import Budget
from tools.attack.hostile import any_reading


class Report:
    def __init__(self, *, broken: bool) -> None:
        self.broken = broken

    def text(self) -> str:
        return "a table"


def attacks(given: list[tuple[Budget, int]], **broken: bool) -> dict[str, command.Attack]:
    def runner(broken: bool) -> command.Attack:  # noqa: FBT001 - of a test
        def run(budget: Budget, seed: int) -> Report:
            given.append((budget, seed))
            return Report(broken=broken)

        return command.Attack(run, Budget(count=5), 0.5)

    return {name: runner(each) for name, each in broken.items()}


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Budget, int]]:
    """What the two attacks of these tests were run with: `damage` finds nothing, `cuts` a broken promise."""
    runs: list[tuple[Budget, int]] = []
    monkeypatch.setattr(command, "ATTACKS", attacks(runs, damage=False, cuts=True))
    return runs


def test_there_is_an_attack_of_each_sort_and_their_shares_of_the_time_add_up() -> None:
    assert list(command.ATTACKS) == ["damage", "cuts", "calls", "duels", "parts", "repairs", "streams", "hostile"]
    assert sum(attack.share for attack in command.ATTACKS.values()) == pytest.approx(1)


def test_the_exit_code_says_whether_a_promise_was_broken(given: list[tuple[Budget, int]]) -> None:
    assert command.main(["damage"]) == 0
    assert command.main(["cuts"]) == 1
    assert command.main(["all"]) == 1
    assert len(given) == 4


def test_the_seed_and_the_tables_are_printed(
    given: list[tuple[Budget, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(["damage", "--seed", "7"])
    assert capsys.readouterr().out == "damage, seed 7\n\na table\n\n"
    assert given == [(Budget(count=5), 7)]


def test_a_budget_replaces_the_attacks_own(given: list[tuple[Budget, int]]) -> None:
    command.main(["damage", "--count", "3"])
    command.main(["damage", "--minutes", "2"])
    assert given == [(Budget(count=3), 1), (Budget(seconds=120), 1)]


def test_the_time_for_all_is_shared(given: list[tuple[Budget, int]]) -> None:
    command.main(["all", "--minutes", "2"])
    assert given == [(Budget(seconds=60), 1), (Budget(seconds=60), 1)]


def test_a_budget_of_time_ends() -> None:
    assert list(Budget(seconds=0).turns(1)) == []


def test_a_text_of_a_seed_does_not_depend_on_the_budget() -> None:
    few = [rng.random() for _, rng in Budget(count=3).turns(1)]
    many = [rng.random() for _, rng in Budget(count=5).turns(1)]
    assert many[:3] == few
    assert len(set(many)) == 5


@pytest.mark.parametrize("attack", [calls, cuts, damage, duels, parts, streams], ids=lambda attack: attack.__name__)
def test_a_seed_always_gives_the_same_report(attack: ModuleType) -> None:
    run = attack.attack
    assert run(Budget(count=8), 7).text() == run(Budget(count=8), 7).text()


def test_the_same_seed_composes_the_same_hostile_families() -> None:
    first, second = ([any_reading(rng) for _, rng in Budget(count=50).turns(1)] for _ in range(2))
    assert first == second
