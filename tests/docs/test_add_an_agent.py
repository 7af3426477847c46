"""The page on adding an agent, followed to the letter in a copy of the checkout: every test of agents passes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from tests.checkout import check_in, copy_checkout, run_in
from tests.docs.pages import PAGES
from tests.entrypoints.cli.harness import environment

NAME = "docs/how-to/add-an-agent.md"
PAGE = PAGES[NAME]
AGENT = "sentiment_analyst"
COMMANDS = {".venv/bin/llm-output": ("-m", "src.entrypoints.cli.main"), ".venv/bin/python": ()}
AFFECTED = (
    *(f"tests/modules/test_{every}.py" for every in ("every_agent", "every_field", "agents_ask")),
    "tests/entrypoints/cli/test_demo.py",
    "examples/committee/tests/test_recording.py",
    "examples/committee/tests/test_committee.py",
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, without the agent of the page."""
    if AGENT in AGENTS:
        pytest.skip("somebody has followed the page: its agent is in the checkout")
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    for command, started in COMMANDS.items():
        (folder / command).parent.mkdir(parents=True, exist_ok=True)
        (folder / command).write_text(f'#!/bin/sh\nexec {shlex.join((sys.executable, *started))} "$@"\n')
        (folder / command).chmod(0o755)
    return folder


def follow(checkout: Path, block: str) -> str:
    """Run a block in a shell, which must end well; what it prints."""
    ended = subprocess.run(  # noqa: S603 - our own page
        ["sh", "-ec", block],  # noqa: S607 - the system's own
        cwd=checkout,
        env=environment(PYTHONPATH=str(checkout), PYTHONUTF8="1", PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def apply(checkout: Path, diff: str) -> None:
    """Change a file as a diff says, wherever in the file the lines of a hunk stand."""
    header, *hunks = re.split(r"^@@ .* @@\n", diff, flags=re.MULTILINE)
    file = checkout / header.splitlines()[-1].removeprefix("+++ b/")
    text = file.read_text(encoding="utf-8")
    for hunk in hunks:
        lines = hunk.splitlines(keepends=True)
        before, after = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
        assert text.count(before) == 1, hunk
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")


def test_page_followed_to_the_letter_leaves_the_tests_green(checkout: Path) -> None:
    (copy, try_out, record, join) = [block.code for block in PAGE.blocks if block.info.startswith("sh ")]
    (*changes, line) = [block.code for block in PAGE.blocks if block.info == "diff"]

    assert follow(checkout, copy) == ""
    assert (checkout / f"src/modules/research/infrastructure/agents/{AGENT}/adapter.py").is_file()
    assert '"catalyst_assessment": "Negative (负面催化)"' in follow(checkout, try_out)
    for change in changes:
        apply(checkout, change)
    filled_in = run_in(checkout, "-m", "tests.docs.run_page", NAME)
    assert filled_in.returncode == 0, filled_in.stderr
    assert "$.quotes is not recorded, now []" in follow(checkout, record)
    apply(checkout, line)
    assert follow(checkout, join) == ""
    assert AGENT in (checkout / "examples/committee/recording.jsonl").read_text(encoding="utf-8")
    check_in(checkout, *AFFECTED, "-k", f"{AGENT} or come_to or recorded or recording")
