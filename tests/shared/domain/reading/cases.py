"""How the reader's tests are written down: a table of what a case shows, the raw text, and what is read."""

from collections.abc import Mapping
from typing import Any

import pytest

from src.shared.domain.parse_reasons import Reason

DAMAGE = ",}"
"""An end that makes the tolerant reader read the whole object."""


def cases(table: Mapping[str, tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """Run a test, of `raw` and `data`, once for each case; its name says what it shows."""
    return pytest.mark.parametrize(("raw", "data"), table.values(), ids=table.keys())


def texts(table: Mapping[str, str]) -> pytest.MarkDecorator:
    """Run a test of `raw` once for each case; its name says what it shows."""
    return pytest.mark.parametrize("raw", table.values(), ids=table.keys())


def refusals(table: Mapping[str, tuple[str, Reason, int | None]]) -> pytest.MarkDecorator:
    """Run a test, of `raw`, `reason` and `offset`, once for each case; its name says what it shows."""
    return pytest.mark.parametrize(("raw", "reason", "offset"), table.values(), ids=table.keys())
