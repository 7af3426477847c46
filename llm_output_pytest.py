"""The plugin of pytest: the fixture `recorded_output`, and the option that records.

pytest loads this file in every run. So it stands beside the package, whose import brings Pydantic, and what reads texts
is imported with the first use of the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

__all__ = ["pytest_addoption", "recorded_output"]

RECORD = "--llm-output-record"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records."""
    words = "Record what new texts say, and how all texts read now, for the fixture recorded_output."
    parser.getgroup("llm-output").addoption(RECORD, action="store_true", help=words)


@pytest.fixture
def recorded_output(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`read_recorded` beside the test: reads a model's text, and compares it with what is recorded."""
    try:
        from src.entrypoints.cli.recorded_output import read_recorded  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        pytest.fail(f'the package {error.name} is missing: install llm-output with its extra "cli"', pytrace=False)
    records = bool(request.config.getoption(RECORD))
    if records and hasattr(request.config, "workerinput"):
        pytest.fail(f"run {RECORD} without -n: all tests of a folder write one file", pytrace=False)
    return partial(read_recorded, request.path.parent, records)
