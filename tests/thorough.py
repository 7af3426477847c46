"""How much of a long test runs: a sample in `make test`, the whole of it in `make thorough` and every night."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

T = TypeVar("T")

THOROUGH = os.environ.get("THOROUGH") == "1"
THOROUGH_ONLY = pytest.mark.skipif(not THOROUGH, reason="takes seconds of a tool's: make thorough runs it")


def at_length(sample: T, whole: T) -> T:
    """The size or count of a long test: `whole` where everything is to run, else `sample`."""
    return whole if THOROUGH else sample
