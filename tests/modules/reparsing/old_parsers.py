"""Old parsers as the tests ask them: most do what the text says."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

import pydantic

from tests.thorough import at_length

NUMBER = 7
_loads = json.loads


class OddError(BaseException):
    """No `Exception`."""


class SpeechlessError(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        """Fail."""
        raise OddError


class Model(pydantic.BaseModel):
    """With another name outside."""

    inside: Decimal = pydantic.Field(serialization_alias="outside")


def decode(text: str) -> object:
    """Strict JSON and nothing else."""
    return _loads(text)


def behave(text: str) -> object:
    """What the text asks for under `do`; without it, the value."""
    value = _loads(text)
    do = value.get("do")
    return HARM[do]() if do in HARM else value


class Parsers:
    """A function in a class."""

    @staticmethod
    def decode(text: str) -> object:
        """Strict JSON."""
        return _loads(text)


def of_agent(text: str, agent: str) -> object:
    """The value, and who wrote it."""
    return {**_loads(text), "agent": agent}


def of_two(text: str, label: str) -> object:
    """Needs more than a text."""
    return text, label


async def later(text: str) -> object:
    """Returns no result but something to wait for."""
    return text


def loud(text: str) -> object:
    """Prints more than a pipe holds, in every way there is."""
    for _ in range(2_000):
        print("out " * 20)  # noqa: T201
        print("err " * 20, file=sys.stderr)  # noqa: T201
    os.write(1, b"out" * 100_000)
    os.write(2, b"err" * 100_000)
    return _loads(text)


def _raise(error: BaseException) -> NoReturn:
    raise error


def _for_ever() -> NoReturn:
    while True:
        pass


def _grow() -> list[bytes]:
    grown = []
    while True:
        grown.append(bytes(100_000_000))


def _holds_itself() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


def _nested(levels: int = 100_000) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def _numbers() -> Iterator[int]:
    yield from (1, 2)


def _pollute() -> dict[str, Any]:
    """Break what the process has for everybody, but not for this parser."""
    broken: Any = None
    sys.setrecursionlimit(200)
    sys.stdout = sys.stderr = broken
    os.environ.clear()
    os.chdir("/")
    json.dumps = json.loads = broken
    return {"do": "pollute"}


HARM: dict[str, Callable[[], Any]] = {
    "loop": _for_ever,
    "exit": partial(os._exit, 3),
    "crash": partial(ctypes.string_at, 0),
    "grow": _grow,
    "leave": partial(sys.exit, "bye"),
    "odd": partial(_raise, OddError("odd")),
    "interrupt": partial(_raise, KeyboardInterrupt()),
    "speechless": partial(_raise, SpeechlessError()),
    "long": partial(_raise, ValueError("long\n" * 100_000)),
    "itself": _holds_itself,
    "nested": _nested,
    "object": object,
    "none": lambda: None,
    "large": lambda: "x" * at_length(20_000_000, 100_000_000),
    "generator": _numbers,
    "pollute": _pollute,
}
