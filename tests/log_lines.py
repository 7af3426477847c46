"""What the library logs where the application has configured logging and not structlog."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def structlog_unconfigured() -> Iterator[None]:
    """Let structlog be as it is in a program that never configures it; tests before this one may have."""
    before = structlog.get_config() if structlog.is_configured() else None
    structlog.reset_defaults()
    try:
        yield
    finally:
        structlog.reset_defaults()
        if before is not None:
            structlog.configure(**before)


@contextmanager
def restored_loggers() -> Iterator[None]:
    """Let what runs inside configure the standard logger; level and handlers are as before behind it."""
    loggers = [logging.getLogger(), logging.getLogger("llm_output")]
    before = [(logger, logger.level, list(logger.handlers)) for logger in loggers]
    try:
        yield
    finally:
        for logger, level, handlers in before:
            logger.setLevel(level)
            logger.handlers[:] = handlers


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def standard_log(level: int = logging.DEBUG) -> Iterator[list[logging.LogRecord]]:
    """Every record of every logger, from `level` on."""
    handler = _Keeper()
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    try:
        with structlog_unconfigured():
            yield handler.records
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
