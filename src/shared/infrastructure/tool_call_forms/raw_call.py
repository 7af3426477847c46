"""A call as it stands in a text: its name, and its arguments before they are made an object of the tool's type."""

from __future__ import annotations

from typing import Any, NamedTuple

from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms.notations import Notation


class Parameter(NamedTuple):
    """A parameter that stands between tags.

    Attributes:
        key: its name.
        text: what stands between the tags.
        is_padded: whether the template puts a line break after the one and before the other.
        is_text: whether the tag says that it is a text (True) or JSON (False); None if it does not say so.
        is_json_first: whether it is JSON wherever it can be read as such.
    """

    key: str
    text: str
    is_padded: bool = False
    is_text: bool | None = None
    is_json_first: bool = False


class RawCall(NamedTuple):
    """A call.

    Attributes:
        name: the tool, as it stands in the text.
        span: from its first mark to its last.
        text: the arguments as JSON that is not read yet.
        offset: where that stands in the whole text; None if it was inside a string.
        finished: whether something shows that it is at its end; None if nothing does.
        data: the arguments, decoded.
        parameters: the arguments, if each stands between tags.
        id: what the model calls the call.
        row: the notation, if its marks tell.
    """

    name: str
    span: Span
    text: str = ""
    offset: int | None = None
    finished: bool | None = None
    data: dict[str, Any] | None = None
    parameters: tuple[Parameter, ...] | None = None
    id: str | None = None
    row: Notation | None = None
