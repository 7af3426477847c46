"""What runs by itself, on a hosted CI and before a commit, here and in other repositories, names only what there is."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"
OFFERED_HOOKS = ROOT / ".pre-commit-hooks.yaml"
ACTION = ROOT / "action.yml"
PINNED = r"[\w-]+/[\w-]+@(v\d+|[0-9a-f]{40})"
SYSTEMS = {"linux": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}

each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def read(path: Path) -> Any:  # noqa: ANN401 - YAML
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def strings(value: object) -> Iterator[str]:
    """Every text of a document, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def make_targets() -> set[str]:
    (targets,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return set(targets.split())


def classified(first: str) -> set[str]:
    """The classifiers of the project that begin so, without that beginning."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {name.removeprefix(first) for name in project["classifiers"] if name.startswith(first)}


# --- the hosted CI ------------------------------------------------------------------------------------------


@each_workflow
def test_workflow_may_only_read_and_ends_by_itself(path: Path) -> None:
    workflow = read(path)

    assert workflow["permissions"] == {"contents": "read"}
    assert [name for name, job in workflow["jobs"].items() if not job.get("timeout-minutes")] == []


@each_workflow
def test_each_action_of_a_workflow_is_pinned(path: Path) -> None:
    actions = [step["uses"] for step in steps(read(path)) if "uses" in step]

    assert actions
    assert [action for action in actions if not re.fullmatch(PINNED, action) and action != "./"] == []


@each_workflow
def test_workflow_makes_only_what_the_makefile_makes(path: Path) -> None:
    made = {target for text in strings(read(path)) for target in re.findall(r"\bmake ([a-z]+)", text)}

    assert made
    assert made <= make_targets()


def test_each_path_that_a_workflow_names_exists() -> None:
    each_step = [step for path in WORKFLOWS for step in steps(read(path))]
    commands = [step.get("run", "") for step in each_step] + [" ".join(strings(step.get("with"))) for step in each_step]
    words = [word.rpartition("=")[2] for command in commands for word in shlex.split(command)]
    paths = [word for word in words if re.match(r"\w+/", word)]

    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_hosted_ci_runs_every_python_and_system_that_the_metadata_names() -> None:
    jobs = read(ROOT / ".github/workflows/ci.yml")["jobs"]
    pythons = classified("Programming Language :: Python :: ") - {"3 :: Only"}

    assert {SYSTEMS[name] for name in SYSTEMS if name in jobs} == classified("Operating System :: ")
    assert [set(jobs[name]["strategy"]["matrix"]["python"]) for name in SYSTEMS] == [pythons] * len(SYSTEMS)


def test_nights_run_what_takes_too_long_for_every_push() -> None:
    (commands,) = [job["strategy"]["matrix"]["command"] for job in read(WORKFLOWS[-1])["jobs"].values()]

    assert [" ".join(re.findall(r"make \w+|-m (\S+)", command)) or command for command in commands] == [
        *("tools.attack", "tools.attack", "tools.fuzz", "tools.mutation", "tests.reference_reader"),
        *("make thorough WORKERS=4", "tools.dist"),
    ]


# --- before a commit ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "is_refused"),
    [("x" * 72 + "\n\n" + "y" * 100, False), ("x" * 73, True), ("x" * 73 + "\n\nbody", True), ("x", False)],
)
def test_hook_refuses_a_commit_whose_subject_has_more_than_72_characters(message: str, *, is_refused: bool) -> None:
    """As pre-commit does it: one search in the whole message, which `--multiline` asks for."""
    config = read(HOOKS)
    (hook,) = [hook for repository in config["repos"] for hook in repository["hooks"] if hook["id"] == "commit-subject"]

    assert ("commit-msg" in config["default_install_hook_types"], hook["stages"]) == (True, ["commit-msg"])
    assert hook["args"] == ["--multiline"]
    assert bool(re.search(hook["entry"], message, re.MULTILINE | re.DOTALL)) is is_refused


def test_hooks_download_nothing_and_run_the_tools_of_the_checks() -> None:
    repositories = read(HOOKS)["repos"]
    hooks = [hook for repository in repositories for hook in repository["hooks"]]

    assert [repository["repo"] for repository in repositories] == ["local"]
    assert {hook["language"] for hook in hooks} == {"system", "pygrep"}  # the second is a part of pre-commit
    assert {hook["entry"].split()[0] for hook in hooks if hook["language"] == "system"} == {
        ".venv/bin/ruff",
        ".venv/bin/mypy",
        ".venv/bin/lint-imports",
        ".venv/bin/llm-output",
    }


# --- in other repositories --------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with recorded outputs in a folder whose name has a blank, and our command on the path."""
    shutil.copytree(ROOT / "examples/recorded", tmp_path / "model answers")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)  # noqa: S607 - the one on the path
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path


def run_in(repository: Path, *command: str, **environment: str) -> tuple[int, str]:
    """Run a command there; its exit code and the last line that it prints."""
    ended = subprocess.run(  # noqa: S603 - what our own files say
        command, cwd=repository, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
    )
    return ended.returncode, ended.stdout.splitlines()[-1] if ended.stdout else ended.stderr


def extras_in(text: str) -> set[str]:
    """The extras of a requirement such as `.[cli,json-schema]`."""
    (names,) = re.findall(r"\[([a-z,-]+)\]", text)
    return set(names.split(","))


def test_offered_hook_runs_as_written_where_its_folder_is_named(repository: Path) -> None:
    (hook,) = read(OFFERED_HOOKS)
    entry = shlex.split(hook["entry"])

    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("llm-output-check", "python", False)
    assert run_in(repository, *entry, "model answers") == (0, "3 recordings: all as recorded.")
    (repository / "model answers/new.txt").write_text("{}", encoding="utf-8")
    assert run_in(repository, *entry, "model answers")[0] == 4


def test_what_other_repositories_install_has_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (hook,), action = read(OFFERED_HOOKS), read(ACTION)
    (requirement,) = hook["additional_dependencies"]

    assert extras_in(requirement) == extras_in(action["runs"]["steps"][1]["run"]) == {"cli", "json-schema"}
    assert extras_in(requirement) <= project["optional-dependencies"].keys()


def test_action_checks_each_folder_of_its_input(repository: Path) -> None:
    (step,) = [step for step in read(ACTION)["runs"]["steps"] if step.get("name") == "Check"]
    folders = "model answers\n\nmore\n"
    shutil.copytree(ROOT / "examples/recorded", repository / "more")

    assert step["env"] == {"FOLDERS": "${{ inputs.folders }}"}
    bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])  # as the host runs it
    assert run_in(repository, *bash, FOLDERS=folders) == (0, "6 recordings: all as recorded.")
    (repository / "more/clean.txt").unlink()
    assert run_in(repository, *bash, FOLDERS=folders)[0] == 4
    assert run_in(repository, *bash, FOLDERS="$(touch owned)")[0] == 2
    assert not (repository / "owned").exists()


def test_action_pins_what_it_uses_and_puts_no_input_into_a_command() -> None:
    action = read(ACTION)
    each_step = action["runs"]["steps"]

    assert [step["uses"] for step in each_step if not re.fullmatch(PINNED, step.get("uses", "a/b@v1"))] == []
    assert [step["run"] for step in each_step if "${{" in step.get("run", "")] == []
    assert {step["shell"] for step in each_step if "run" in step} == {"bash"}
    used = {name for text in strings(each_step) for name in re.findall(r"inputs\.([\w-]+)", text)}
    assert used == action["inputs"].keys()
