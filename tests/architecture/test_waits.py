"""No test waits for a process or a thread without a limit: one that hangs would hold up all the others."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.processes import LIMIT

FOLDERS = ("examples", "tests", "tools")
LIMITED = {"wait": 1, "join": 1, "communicate": 2}
"""Methods that wait, and their arguments where the last one is a limit; `", ".join(words)` has as many."""


def unlimited_waits(text: str) -> list[int]:
    """The lines of a module that wait without a limit.

    What is awaited ends with its loop, and what `subprocess.run` runs ends with the test: a test's own limit ends both.
    """
    nodes = [*ast.walk(ast.parse(text))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    awaited = {inner for node in nodes if isinstance(node, ast.Await) for inner in ast.walk(node)}
    entered = {node.context_expr for node in nodes if isinstance(node, ast.withitem)}
    entered.update(argument for call in calls if _method(call) == "enter_context" for argument in call.args)
    return sorted(
        call.lineno
        for call in calls
        if (_has_no_limit(call) and call not in awaited) or (_method(call) == "Popen" and call in entered)
    )


def _has_no_limit(call: ast.Call) -> bool:
    return len(call.args) < LIMITED.get(_method(call), 0) and all(word.arg != "timeout" for word in call.keywords)


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def test_no_module_beside_the_product_waits_without_a_limit() -> None:
    paths = [ROOT / "conftest.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
    found = {str(path.relative_to(ROOT)): unlimited_waits(path.read_text(encoding="utf-8")) for path in paths}

    assert len(found) > len(FOLDERS)
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        "process.wait()",
        "thread.join()",
        "process.communicate()",
        "process.communicate(b'')",
        "process.communicate(input=b'')",
        "with subprocess.Popen(command) as process: pass",
        "with a, subprocess.Popen(command): pass",
        "stack.enter_context(subprocess.Popen(command))",
    ],
)
def test_the_check_sees_a_wait_without_a_limit(text: str) -> None:
    assert unlimited_waits(text) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "process.wait(5)",
        "process.wait(timeout=5)",
        "process.communicate(b'', 5)",
        "', '.join(words)",
        "async def f(): await event.wait()",
        "async def f(): await asyncio.wait_for(event.wait(), 5)",
        "with ending(subprocess.Popen(command)) as process: pass",
        "process = subprocess.Popen(command)",
    ],
)
def test_the_check_lets_a_limited_wait_be(text: str) -> None:
    assert unlimited_waits(text) == []


HANGS = """
import subprocess, sys
from tests.processes import ending
def test_hangs():
    with ending(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])) as process:
        process.wait(600)
"""


def test_a_test_that_hangs_is_named_and_what_it_started_is_ended(tmp_path: Path) -> None:
    """With the limit of pyproject.toml, only shorter."""
    (tmp_path / "test_it.py").write_text(HANGS, encoding="utf-8")
    options = ("-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "-o", "timeout=1")
    ended = subprocess.run(  # noqa: S603 - our own test
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "300"},  # the reason is in the summary's line
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )

    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"^FAILED \S+::test_hangs - Failed: Timeout", ended.stdout, re.MULTILINE), ended.stdout


def test_what_a_test_waits_for_is_given_up_before_the_test_is(pytestconfig: pytest.Config) -> None:
    assert float(pytestconfig.getini("timeout")) > LIMIT
