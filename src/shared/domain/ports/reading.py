"""The port to the deterministic reader, for whoever has to know what a text says without a type."""

from __future__ import annotations

from typing import Any, Protocol


class ReadObject(Protocol):
    """Reads the object of a text by the parser's own rules, and tells nobody of it."""

    def __call__(self, text: str, *, finished: bool | None = None) -> dict[str, Any]:
        """Read a text, damaged or not.

        Args:
            text: the text.
            finished: as for `OutputPort.read`.

        Raises:
            LLMJsonParseError: the text is refused; `details["json_error"]` says why.
        """
        ...
