"""The service's log: one line of JSON an event, on stderr."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from src.entrypoints.agents import agent_word
from src.shared.domain.language import Language, Message
from src.shared.infrastructure.events.library_log import write

_OF_AN_AGENT = ("name", "context_label")
_OF_A_TEXT = "llm_json_"


def configure_service_log() -> None:
    """Write what happens to stderr. What the parser says of each text is in the metrics and the store instead."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    structlog.configure(
        processors=[
            _drop_texts,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _gloss,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    server = logging.getLogger("uvicorn.error")
    server.handlers[:] = [_ServerLines()]
    server.propagate = False


def log_nothing() -> None:
    """Write nothing at all: the processes that read texts have no log of their own."""
    logging.disable()
    structlog.configure(processors=[_drop])


def _drop(_: object, __: str, ___: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    raise structlog.DropEvent


def _drop_texts(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The lines of the parser hold a piece of each text."""
    if event["event"].startswith(_OF_A_TEXT):
        raise structlog.DropEvent
    return event


def _gloss(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """An agent's title goes with its name, as its messages go with their English."""
    for field in _OF_AN_AGENT:
        if field in event:
            title, name = event[field], agent_word(event[field], Language.EN)
            event[field] = title if name == title else Message(title, name).text()
    return event


class _ServerLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write a line of the server below us, without a traceback."""
        write("warning", "llm_http_server", lambda: {"message": record.getMessage()})
