"""A command starts with what it needs: each is imported when it is called."""

import subprocess
import sys
from functools import cache

import pytest

from src.entrypoints.cli.app import COMMANDS, GROUPS
from tests.entrypoints.cli.harness import CLEAN_VERDICT, ROOT, environment, invoke
from tests.thorough import at_length
from tools.benchmarks.start import seconds_of

HEAVY = ("openai", "dependency_injector", "httpx2", "jinja2", "structlog")
PYDANTIC = (sys.executable, "-c", "from pydantic import BaseModel")
PARSE = (sys.executable, "-m", "src.entrypoints.cli.main", "parse", CLEAN_VERDICT)
DAMAGED_ENVELOPE = str(ROOT / "examples/cowriting/damaged.txt")
MOST = 4.5
"""Times as much processor time as importing Pydantic; measured are about 2, on a busy machine as well."""
NAMES = (*(name for name in COMMANDS if " " not in name), *GROUPS)


@cache
def loaded_by(*arguments: str) -> frozenset[str]:
    code = (
        "import sys\nfrom src.entrypoints.cli import main\nsys.argv = ['llm-output', *sys.argv[1:]]\n"
        "try:\n    main.run()\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment(), check=True)  # noqa: S603 - our own code
    return frozenset(ended.stderr.split())


@pytest.mark.parametrize("arguments", [("--version",), ("parse", CLEAN_VERDICT, "--agent", "verdict")])
def test_what_a_command_does_not_use_is_not_imported(arguments: tuple[str, ...]) -> None:
    assert loaded_by(*arguments).isdisjoint(HEAVY)


@pytest.mark.parametrize("options", at_length([("--repair",)], [(), ("--repair",)]))
def test_envelope_that_needs_no_model_does_not_import_the_providers_client(options: tuple[str, ...]) -> None:
    modules = loaded_by("envelope", DAMAGED_ENVELOPE, *options)

    assert modules.isdisjoint({"openai", "httpx2", "jinja2"})
    assert "src.modules.cowriting.application" in modules


def test_only_the_agent_that_is_asked_for_is_imported() -> None:
    modules = loaded_by("parse", CLEAN_VERDICT, "--agent", "verdict")

    assert "src.modules.judge.infrastructure.agents.verdict.output_parser" in modules
    assert not any(name.startswith("src.modules.research") for name in modules)


def test_parsing_starts_within_a_few_times_the_import_of_pydantic() -> None:
    assert seconds_of(*PARSE) < MOST * seconds_of(*PYDANTIC)


def test_short_help_is_the_help() -> None:
    assert [name for name in NAMES if invoke(name, "-h").stdout != invoke(name, "--help").stdout] == []


def test_completion_is_offered() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "src.entrypoints.cli.main"],
        env=environment(_LLM_OUTPUT_COMPLETE="complete_bash", COMP_WORDS="llm-output par", COMP_CWORD="1"),
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert shown.stdout.split() == ["parse"]
