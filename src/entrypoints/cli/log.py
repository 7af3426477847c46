"""The log on the command line: silent, or on stderr; stdout is the result's."""

from __future__ import annotations

import logging
import sys

import structlog


def configure_log(*, verbose: bool) -> None:
    """Show the parser's log events on stderr, or none at all."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),  # repr: a value cannot break the line
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.CRITICAL),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
