"""The library's log lines: nowhere, to the standard logger, or to structlog, as the application has configured it."""

import logging
import subprocess
import sys
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture, capture_logs

from src.shared.infrastructure.events.library_log import NAME, structlog_is_configured, write
from tests.log_lines import standard_log, structlog_unconfigured


def facts() -> dict[str, Any]:
    return {"context_label": "裁决", "raw_length": 16, "excerpt": "not\nJSON \ud800"}


def never() -> dict[str, Any]:
    pytest.fail("the fields were built for a line that nobody reads")


def test_nothing_is_printed_where_nothing_is_configured(capfd: pytest.CaptureFixture[str]) -> None:
    with structlog_unconfigured():
        write("warning", "llm_event", facts)
    assert capfd.readouterr() == ("", "")


def test_standard_line_is_the_event_and_its_fields() -> None:
    with standard_log() as records:
        write("warning", "llm_event", facts)
    assert [(record.name, record.levelname, record.getMessage()) for record in records] == [
        (NAME, "WARNING", r"llm_event context_label='裁决' raw_length=16 excerpt='not\nJSON \ud800'")
    ]


def test_standard_record_has_the_event_and_its_fields_as_attributes() -> None:
    with standard_log() as records:
        write("info", "llm_event", facts)
    attributes = vars(records[0])
    assert {"event": "llm_event", **facts()}.items() <= attributes.items()


@pytest.mark.parametrize(("level", "written"), [(logging.INFO, 2), (logging.WARNING, 1), (logging.ERROR, 0)])
def test_standard_level_decides_what_is_written(level: int, written: int) -> None:
    with standard_log(level) as records:
        write("info", "llm_event", facts)
        write("warning", "llm_event", facts)
    assert len(records) == written


def test_level_of_the_librarys_logger_silences_it_before_a_field_is_built() -> None:
    logger = logging.getLogger("llm_output")
    logger.setLevel(logging.CRITICAL)
    try:
        with standard_log():
            write("warning", "llm_event", never)
    finally:
        logger.setLevel(logging.NOTSET)


def test_structlog_gets_the_event_and_the_standard_logger_does_not() -> None:
    with standard_log() as records, capture_logs() as logs:
        write("warning", "llm_event", facts)
    assert logs == [{"event": "llm_event", "log_level": "warning", **facts()}]
    assert records == []


def test_structlog_that_caches_loggers_and_is_configured_again_gets_the_event_as_configured_last() -> None:
    logs = [LogCapture(), LogCapture()]
    with structlog_unconfigured():
        for log in logs:
            structlog.configure(processors=[log], cache_logger_on_first_use=True)
            write("info", "llm_event", facts)
        with capture_logs() as captured:
            write("info", "llm_event", facts)
    assert [len(lines) for lines in (logs[0].entries, logs[1].entries, captured)] == [1, 1, 1]


def test_structlog_that_is_imported_and_not_configured_gets_nothing() -> None:
    with structlog_unconfigured():
        assert not structlog_is_configured()


def test_structlog_that_is_not_imported_is_not_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "structlog")
    assert not structlog_is_configured()
    assert "structlog" not in sys.modules


def test_writing_a_line_imports_neither_structlog_nor_rich() -> None:
    code = """
import sys
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
decode_llm_json("{'a': 1}")
try:
    decode_llm_json("no object")
except LLMJsonParseError:
    print(sorted({"structlog", "rich"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    assert done.stdout == "[]\n"


def test_no_field_is_built_where_nobody_listens_to_the_standard_logger(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger(NAME)
    monkeypatch.setattr(logger, "propagate", False)
    monkeypatch.setattr(logger, "handlers", [logging.NullHandler()])
    with structlog_unconfigured():
        write("warning", "llm_event", never)
