"""The parser as the attack calls it: any text gives a reading, whatever the parser does with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output

FINISHED_IS_KNOWN = "finished" in inspect.signature(decode_llm_json).parameters
"""Whether the parser can be told how the text ended; where it cannot, nothing is said."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A value came back; `truncated` as the parser says it of salvaged data."""

    data: Any
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The parser's own error; `truncated` as its details say it."""

    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Crashed:
    """Any other exception, which no text may cause."""

    error: str


Reading = Accepted | Refused | Crashed


class Read(Protocol):
    """Something that reads texts without a type."""

    def __call__(self, text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
        """Read a text."""


class ReadAs(Protocol):
    """Something that reads texts into a type; the data of its reading is an instance."""

    def __call__(self, text: str, dto_type: type[BaseModel], *, finished: bool | None = None) -> Reading:
        """Read a text."""


def read(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """Read a text with `decode_llm_json`."""

    def accepted() -> Accepted:
        decoded = decode_llm_json(text, salvage=salvage, **_end(finished))
        return Accepted(decoded.data, decoded.truncated)

    return _reading(accepted)


def read_as(text: str, dto_type: type[BaseModel], *, finished: bool | None = None) -> Reading:
    """Read a text with `parse_llm_json_output`."""
    return _reading(lambda: Accepted(parse_llm_json_output(text, dto_type, **_end(finished))))


def _end(finished: bool | None) -> dict[str, Any]:  # noqa: FBT001 - the parser's own argument
    return {"finished": finished} if FINISHED_IS_KNOWN else {}


def _reading(accepted: Callable[[], Accepted]) -> Reading:
    try:
        return accepted()
    except LLMJsonParseError as error:
        return Refused(error.details.get("truncated") is True)
    except Exception as error:  # noqa: BLE001 - that this never happens is one of the promises
        return Crashed(f"{type(error).__name__}: {error}")
