"""The log on the command line: silent, or on stderr. stdout is reserved for the result."""

from __future__ import annotations

import logging
import sys


def configure_log(*, verbose: bool) -> None:
    """Show the parser's log events on stderr, or none at all."""
    if not verbose and "structlog" not in sys.modules:
        return  # nobody listens: the library's lines go nowhere, and structlog takes a while to import
    import structlog  # noqa: PLC0415 - see above

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),  # repr: a value cannot break the line
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.CRITICAL),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
