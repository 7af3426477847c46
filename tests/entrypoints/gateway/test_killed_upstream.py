"""An upstream whose process is killed in the middle of an answer: an error, whatever has come of it."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.entrypoints.gateway.gateways import CLEAN, FORMAT, TOOLS, Seen, ask, client, gateway, stream
from tests.paths import ROOT
from tests.processes import LIMIT

COMMAND = (sys.executable, "-m", "tests.entrypoints.gateway.dying_upstream")


def seen_of_killed(kind: str, text: str, asked: dict[str, Any]) -> Seen:
    """What a client sees of an upstream that is killed when it has sent its part."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    upstream = subprocess.Popen((*COMMAND, kind, text), cwd=ROOT, text=True, **pipes)  # noqa: S603 - ours
    assert upstream.stdin
    assert upstream.stdout
    try:
        url = f"http://127.0.0.1:{int(upstream.stdout.readline())}/v1"
        with gateway(url, tries=1) as base, client(base) as asking, ThreadPoolExecutor(1) as threads:
            answered = threads.submit(stream if kind == "stream" else ask, asking, **asked)
            assert upstream.stdout.readline() == "sent\n"
            upstream.kill()
            return answered.result(LIMIT)
    finally:
        upstream.kill()
        upstream.wait(LIMIT)
        upstream.stdin.close()
        upstream.stdout.close()


@pytest.mark.parametrize("kind", ["half", "whole", "stream"])
def test_a_killed_upstream_is_an_error_and_not_an_end(kind: str) -> None:
    """Not even a value that is whole is one: nobody said that it was all."""
    seen = seen_of_killed(kind, CLEAN, {"response_format": FORMAT})
    assert seen.error == (0 if kind == "stream" else 502, "upstream_broken")
    assert seen.finish is None


def test_of_prose_that_was_killed_a_beginning_may_be_seen_and_an_error() -> None:
    text = "Good morning! " * 40
    seen = seen_of_killed("stream", text, {"tools": TOOLS})
    assert seen.error is not None
    assert seen.error[1] == "upstream_broken"
    assert text.startswith(seen.content or "")
    assert seen.finish is None
