"""The port to the parser of a model's turn."""

from __future__ import annotations

from typing import Protocol

from src.modules.visual_rag.domain.parsed_action import ParsedAction


class ActionParserPort(Protocol):
    """Reads one turn of a model's, and nothing else: never a page's text, never a message to the model.

    A turn ends at its first action: what a model writes behind it rests on a result that it has not seen.
    """

    @property
    def label(self) -> str:
        """The agent's title; goes to logs and events as `context_label`."""
        ...

    @property
    def stop(self) -> tuple[str, ...]:
        """Texts at which a model may stop writing, since its turn is over; they are not part of the turn."""
        ...

    def parse(self, text: str, *, finished: bool | None, last_image: str | None) -> ParsedAction:
        """The first action in a text, or why there is none.

        Args:
            text: the model's turn.
            finished: whether the model ended on its own; None where nobody knows.
            last_image: the id of the image it was shown last; None where it was shown none.
        """
        ...

    def kept(self, text: str, eos_token: str, *, finished: bool | None) -> str:
        """What of a text stays in the conversation, with the EOS token appended; `finished` as for `parse`."""
        ...
