"""Types of a user's; on one of them texts can do harm."""

from __future__ import annotations

import ctypes
import os
import time

from pydantic import BaseModel, field_validator


class Touchy(BaseModel):
    """What `do` says is done while it is validated."""

    do: str = ""

    @field_validator("do")
    @classmethod
    def _obey(cls, do: str) -> str:
        print("printed by a validator")  # noqa: T201 - it must go nowhere
        if do == "exit":
            os._exit(3)
        if do == "crash":
            ctypes.string_at(0)
        if do == "sleep":
            time.sleep(60)
        if do == "grow":
            bytearray(64_000_000_000)
        return do


class Ordered(BaseModel):
    """One whole number."""

    order: int


Numbers = list[dict[str, int]]


class Rows(BaseModel):
    """A list of numbers."""

    rows: list[int]


Number = int | None
"""One value."""
