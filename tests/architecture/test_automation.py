"""What runs by itself, on a hosted CI and before a commit, names only what there is."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"
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
    assert [action for action in actions if not re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|[0-9a-f]{40})", action)] == []


@each_workflow
def test_workflow_makes_only_what_the_makefile_makes(path: Path) -> None:
    made = {target for text in strings(read(path)) for target in re.findall(r"\bmake ([a-z]+)", text)}

    assert made
    assert made <= make_targets()


def test_each_path_that_a_workflow_names_exists() -> None:
    commands = [step.get("run", "") for path in WORKFLOWS for step in steps(read(path))]
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

    assert {command.split()[1] for command in commands} == {"attack", "fuzz", "mutate", "reference", "thorough"}


# --- before a commit ------------------------------------------------------------------------------------------


def test_hooks_download_nothing_and_run_the_tools_of_the_checks() -> None:
    repositories = read(HOOKS)["repos"]
    hooks = [hook for repository in repositories for hook in repository["hooks"]]

    assert [repository["repo"] for repository in repositories] == ["local"]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert {hook["entry"].split()[0] for hook in hooks} == {
        ".venv/bin/ruff",
        ".venv/bin/mypy",
        ".venv/bin/lint-imports",
    }
