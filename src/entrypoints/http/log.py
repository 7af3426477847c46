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
"""How the lines of the parser begin, which hold a piece of each text; they are in the metrics and the store instead."""


def configure_service_log() -> None:
    """Write what happens to stderr, but what the parser says of each text."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    structlog.configure(
        processors=[
            _select,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
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
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _select(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Drop the lines of texts; an agent's title goes with its name, as its messages go with their English."""
    if event["event"].startswith(_OF_A_TEXT):
        raise structlog.DropEvent
    for field in _OF_AN_AGENT:
        title: str = event.get(field, "")
        name = agent_word(title, Language.EN)
        if name != title:
            event[field] = Message(title, name).text()
    return event


class _ServerLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Write a line of the server below us, without a traceback."""
        write("warning", "llm_http_server", lambda: {"message": record.getMessage()})
