"""What the four layers made of one text: read, repaired by a model, or refused, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from src.modules.cowriting.domain.envelope import Part
from src.modules.cowriting.domain.exceptions import EnvelopeParseError
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.ports.repair import RepairedText

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T_co]):
    """One text on its way through the layers.

    Attributes:
        part: which text it is.
        text: the text; of a payload that is no text its JSON; empty where the payload is empty.
        finished: what was known of its end.
        parsed: the value and how it was read; None where it was not.
        unread: why layers 1 to 3 did not read the text; None where they did.
        repaired: the repair that layer 4 accepted; None where it was not asked, or gave none.
        error: what `result` raises: `unread`, the refused repair, the repaired text's own error, or the provider's.
    """

    part: Part
    text: str
    finished: bool | None
    parsed: ParsedText[T_co] | None = None
    unread: EnvelopeParseError | None = None
    repaired: RepairedText | None = None
    error: AppException | None = None

    def result(self) -> T_co:
        """The value.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        if self.parsed is not None:
            return self.parsed.value
        raise error_of(self.error)
