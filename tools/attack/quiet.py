"""No log lines from the parser between the tables."""

from __future__ import annotations

import logging

import structlog


def quiet() -> None:
    """Drop every event of the parser; for the whole process."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
