"""The targets and the tools: each tells what it does, and what it needs is there."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import check, environment, stranger

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


def test_each_environment_is_a_group_that_the_lock_pins_with_hashes() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    names = {one.group for one in environment.ENVIRONMENTS.values()}
    pinned = environment.requirements_of("core").read_text(encoding="utf-8")

    assert names <= groups.keys()
    assert pinned.count("==") <= pinned.count("--hash=sha256:")
    assert "http" not in pinned


def test_lock_is_that_of_the_requirements() -> None:
    command = [environment.install_command()[0], "lock", "--check", "--offline"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    ended = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)  # noqa: S603 - our own tool

    assert ended.returncode == 0, ended.stderr


def test_packages_of_npm_are_pinned() -> None:
    assert [name for name in environment.NODE.values() if not (ROOT / name / "package-lock.json").is_file()] == []


def test_environment_that_was_made_of_the_same_files_is_not_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[environment.Environment] = []
    lock = tmp_path / "uv.lock"
    lock.write_text("one==1")
    one = environment.Environment(tmp_path, "core")
    monkeypatch.setattr(environment, "LOCK", lock)
    monkeypatch.setattr(environment, "ENVIRONMENTS", {"one": one})
    monkeypatch.setattr(environment, "_install", made.append)

    environment.make("one")
    environment.make("one")
    assert made == [one]
    lock.write_text("one==2")
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
