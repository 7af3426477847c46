"""The targets and the tools: each tells what it does, and what it needs is there."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import check, environment, lock, stranger

COMMANDS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for path in [*ROOT.glob("tools/*.py"), *ROOT.glob("tools/*/__main__.py")]
    if "argparse" in path.read_text(encoding="utf-8")
)


def test_makefile_has_six_targets_in_sixty_lines() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 60
    assert [line.partition(":")[0] for line in lines if ":  ##" in line] == [
        *("demo", "test", "quick", "thorough", "bench", "clean"),
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_tool_says_with_help_what_it_does(name: str) -> None:
    ended = subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"usage: python{'3' if name.endswith('environment') else ''} -m {name}")


@pytest.mark.parametrize("question", stranger.QUESTIONS, ids=[question.text for question in stranger.QUESTIONS])
def test_each_question_of_a_stranger_is_answered_by_one_file(question: stranger.Question) -> None:
    assert len(stranger.answers(question)) == 1


def test_benchmarks_are_listed_with_what_they_measure() -> None:
    printed = subprocess.check_output([sys.executable, "-m", "tools.benchmarks"], cwd=ROOT, text=True)

    assert "\nstart                How much processor time a command takes" in printed


def test_each_environment_has_its_pinned_requirements_which_the_lock_writes() -> None:
    files = {path.stem for path in environment.REQUIREMENTS.glob("*.txt")}

    assert {one.requirements for one in environment.ENVIRONMENTS.values()} <= {f"{name}.txt" for name in files}
    assert files == lock.LOCKS.keys()
    assert [name for name in environment.NODE.values() if not (ROOT / name / "package-lock.json").is_file()] == []


def test_environment_that_was_made_of_the_same_files_is_not_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[environment.Environment] = []
    requirements = tmp_path / "core.txt"
    requirements.write_text("one==1")
    one = environment.Environment(tmp_path, "core.txt")
    monkeypatch.setattr(environment, "REQUIREMENTS", tmp_path)
    monkeypatch.setattr(environment, "ENVIRONMENTS", {"one": one})
    monkeypatch.setattr(environment, "_install", made.append)

    environment.make("one")
    environment.make("one")
    assert made == [one]
    requirements.write_text("one==2")
    environment.make("one")
    assert made == [one, one]


def test_what_cannot_be_made_is_said_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(name: str) -> None:
        raise subprocess.CalledProcessError(1, [name])

    monkeypatch.setattr(environment, "make", fail)

    assert environment.main(["bench"]) == 1
    assert capsys.readouterr().err == "bench cannot be made: Command '['bench']' returned non-zero exit status 1.\n"


def test_checks_that_run_side_by_side_fail_where_one_does(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYSTEM_PYTHON", "/nowhere/python3")

    assert check.run_together("system", "system") == 0
    assert capfd.readouterr().out.count("there is no /nowhere/python3") == 2
    assert check.run_together("system", "nothing") == 2
