"""The steps that a reading takes: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError


def steps(read: Callable[[str], object], text: str) -> int:
    """Calls of Python and C functions made while reading."""
    count = 0

    def profile(_frame: Any, event: str, _argument: Any) -> None:  # noqa: ANN401 - the interpreter's hook
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        read(text)
    except LLMJsonParseError:
        pass
    finally:
        sys.setprofile(None)
    return count
