"""Run a page's shell blocks as somebody would who types them line by line.

A line is one command. `llm-output …` and `python -m …` run in this process, but pytest, which must be the first to
import what it looks after, in one of its own. A comment `exit code N` behind it says with what it ends, else with 0.
`export NAME=VALUE …` sets the environment. `make TARGET` and `pip install …` change a checkout or an environment and
are left out here: `test_setup.py` checks what they name.
"""

import contextlib
import importlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.docs.markdown import Block

SHELL = "sh"
SETUP = ("make", "pip")
_EXIT_CODE = re.compile(r"# .*(?:exit code|退出码) (?P<code>\d+)")


def run_shell(block: Block, path: Path) -> str:
    """Run the lines of a block; what a terminal shows of them."""
    shown = io.StringIO()
    for number, line in enumerate(block.code.splitlines(), block.line):
        words = shlex.split(line, comments=True)
        if not words or words[0] in SETUP:
            continue
        if words[0] == "export":
            os.environ.update(dict(word.split("=", 1) for word in words[1:]))
            continue
        is_ours = words[0] == "llm-output" or words[:2] == ["python", "-m"]
        assert is_ours, f'{path}:{number} cannot be run here; call the block `{SHELL} no-run "reason"`'
        code = _exit_code(words, shown)
        said = _EXIT_CODE.search(line)
        assert code == int(said["code"] if said else 0), f"{path}:{number} ends with {code}\n{shown.getvalue()}"
    return shown.getvalue()


def commands(block: Block) -> Iterator[list[str]]:
    """The words of each line that holds a command."""
    return filter(None, (shlex.split(line, comments=True) for line in block.code.splitlines()))


def _exit_code(words: list[str], shown: io.StringIO) -> int:
    if words[2:3] == ["pytest"]:
        alone = ("-c", os.devnull, "--rootdir=.", "--confcutdir=.")  # the folder may lie in a checkout
        command = [sys.executable, *words[1:], *alone]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - a page's
        shown.write(ended.stdout + ended.stderr)
        return ended.returncode
    with (
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(shown),
        mock.patch.object(sys, "argv", words),
    ):
        try:
            if words[0] == "python":
                sys.argv = words[2:]
                runpy.run_module(words[2], run_name="__main__", alter_sys=True)
            else:
                importlib.import_module("llm_output.__main__").run()
        except SystemExit as end:
            return int(end.code or 0)
    return 0
