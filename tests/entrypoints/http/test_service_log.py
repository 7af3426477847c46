"""The service's log: lines of JSON in UTF-8, with each agent's title and its name."""

import os
import subprocess
import sys

import pytest

LINES = """
from src.entrypoints.http.log import configure_service_log
from src.shared.infrastructure.events.library_log import write
configure_service_log()
for name in ("裁决", "评审 x"):
    write("warning", "llm_alarm", lambda: {"kind": "alarm", "name": name})
write("warning", "llm_http_failed", lambda: {"error": "\\ud800"})
"""


@pytest.mark.parametrize(
    ("spoken", "names"),
    [("both", ["裁决 (verdict)", "评审 x"]), ("en", ["verdict", "评审 x"]), ("zh", ["裁决", "评审 x"])],
)
def test_line_of_the_service_is_utf_8_and_glossed(spoken: str, names: list[str]) -> None:
    """Whatever encoding the terminal has; a stray surrogate does not lose the line."""
    environment = {**os.environ, "LLM_OUTPUT_LANG": spoken, "PYTHONIOENCODING": "ascii"}
    code = LINES.strip()
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, timeout=60)  # noqa: S603 - our own code
    lines = run.stderr.decode("utf-8").splitlines()
    stamped = [line.partition(', "timestamp"')[0] for line in lines]
    assert stamped == [
        *(f'{{"kind": "alarm", "name": "{name}", "event": "llm_alarm", "level": "warning"' for name in names),
        '{"error": "\\ud800", "event": "llm_http_failed", "level": "warning"',
    ]
