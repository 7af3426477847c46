"""A program that reads a model's text and prints JSON can stand in a pipe: standard output is its own.

Each test starts real processes: `echo TEXT | python prog.py | python -m json.tool`.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.thorough import at_length

PROGRAM = """
import json
import sys

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json

{configure}

try:
    print(json.dumps(decode_llm_json(sys.stdin.read()).data))
except LLMJsonParseError as error:
    print(json.dumps({{"code": error.code}}))
"""

NOTHING = ""
IMPORTED = "import logging, structlog"
LOGGING = "import logging; logging.basicConfig(level=logging.INFO)"
LOGGING_OF_WARNINGS = "import logging; logging.basicConfig(level=logging.WARNING)"
LOGGING_SILENCED = f"{LOGGING}; logging.getLogger('llm_output').setLevel(logging.CRITICAL)"
LOGGING_AS_JSON = """
import logging

class Fields(logging.Formatter):
    def format(self, record):
        names = ("levelname", "name", "event", "stage", "raw_length", "repairs")
        return json.dumps({name: getattr(record, name) for name in names if hasattr(record, name)})

handler = logging.StreamHandler()
handler.setFormatter(Fields())
logging.basicConfig(level=logging.INFO, handlers=[handler])
"""
STRUCTLOG = """
import structlog
structlog.configure(
    processors=[structlog.processors.add_log_level, structlog.processors.KeyValueRenderer(sort_keys=True)],
    logger_factory=structlog.PrintLoggerFactory(sys.stderr),
)
"""

DAMAGED, REFUSED = "{'a': 1}\n", "the name is Jane Doe\n"
REPAIRED_LINE = "llm_json_repaired context_label='' raw_length=9 repairs=['single_quote'] repair_count=1"


@dataclass(frozen=True)
class Piped:
    """What came out: of the last process on standard output, of the program on standard error."""

    out: str
    log: str


def pipe(tmp_path: Path, text: str, configure: str, **variables: str) -> Piped:
    program = tmp_path / "prog.py"
    program.write_text(PROGRAM.format(configure=configure), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LLM_JSON_")}
    environment = {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **variables}
    python = shlex.quote(sys.executable)
    command = f"{python} prog.py 2> log | {python} -m json.tool --compact"
    done = subprocess.run(  # noqa: S602 - our own command; a shell makes the pipe, as at a user's
        command,
        shell=True,
        check=True,
        cwd=tmp_path,
        env=environment,
        input=text,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    return Piped(done.stdout, (tmp_path / "log").read_text(encoding="utf-8"))


VALUE, ERROR = '{"a":1}\n', '{"code":"LLM_JSON_PARSE_ERROR"}\n'


@pytest.mark.parametrize(
    ("text", "out", "configure"),
    [
        (DAMAGED, VALUE, NOTHING),
        (REFUSED, ERROR, IMPORTED),
        *at_length([], [(DAMAGED, VALUE, IMPORTED), (REFUSED, ERROR, NOTHING)]),
    ],
)
def test_nothing_but_the_result_is_written_where_nothing_is_configured(
    tmp_path: Path, text: str, out: str, configure: str
) -> None:
    assert pipe(tmp_path, text, configure) == Piped(out, "")


def test_logging_shows_a_repair_as_a_line_on_standard_error(tmp_path: Path) -> None:
    assert pipe(tmp_path, DAMAGED, LOGGING) == Piped('{"a":1}\n', f"INFO:llm_output:{REPAIRED_LINE} grade='lossless'\n")


def test_logging_shows_a_failure_with_its_excerpt(tmp_path: Path) -> None:
    log = pipe(tmp_path, REFUSED, LOGGING).log
    assert log.startswith("WARNING:llm_output:llm_json_parse_failed context_label='' stage='extract' raw_length=21 ")
    assert r"excerpt='the name is Jane Doe\n'" in log


@pytest.mark.parametrize(
    ("configure", "text"),
    [(LOGGING_OF_WARNINGS, DAMAGED), *at_length([], [(LOGGING_SILENCED, DAMAGED)]), (LOGGING_SILENCED, REFUSED)],
)
def test_level_of_logging_silences_the_lines_below_it(tmp_path: Path, configure: str, text: str) -> None:
    assert pipe(tmp_path, text, configure).log == ""


def test_formatter_of_json_finds_the_fields_as_attributes(tmp_path: Path) -> None:
    assert pipe(tmp_path, DAMAGED, LOGGING_AS_JSON).log == (
        '{"levelname": "INFO", "name": "llm_output", "event": "llm_json_repaired", '
        '"raw_length": 9, "repairs": ["single_quote"]}\n'
    )


def test_structlog_shows_the_events_where_it_sends_them(tmp_path: Path) -> None:
    piped = pipe(tmp_path, REFUSED, STRUCTLOG)
    assert piped.out == '{"code":"LLM_JSON_PARSE_ERROR"}\n'
    assert re.match(r"context_label='' error='.+' event='llm_json_parse_failed' excerpt='the name ", piped.log)


@pytest.mark.parametrize("configure", [LOGGING, STRUCTLOG], ids=["logging", "structlog"])
def test_excerpt_of_zero_keeps_the_text_out_of_the_line(tmp_path: Path, configure: str) -> None:
    log = pipe(tmp_path, REFUSED, configure, LLM_JSON_LOG_EXCERPT_CHARS="0").log
    assert "llm_json_parse_failed" in log
    assert [word for word in ("Jane", "Doe") if word in log] == []
