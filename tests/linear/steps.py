"""The steps that a reading takes: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError


def steps(read: Callable[[str], object], text: str) -> int:
    """Calls of Python and C functions made while reading a text, which may be refused."""

    def reading() -> None:
        with suppress(LLMJsonParseError):
            read(text)

    return calls(reading)


def calls(run: Callable[..., object], *arguments: object) -> int:
    """Calls of Python and C functions made by a function that must not fail."""
    count = 0

    def profile(_frame: Any, event: str, _argument: Any) -> None:  # noqa: ANN401 - the interpreter's hook
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        run(*arguments)
    finally:
        sys.setprofile(None)
    return count
