"""Whether a damaged text proves an answer: the reader has to read exactly the answer in it.

What the reader cannot read is read again without the punctuation that is surplus if the answer is right, and where it
does not understand that either, with the quotes that bare texts lack. If it sees two readings, no answer is believed.
"""

from __future__ import annotations

import json
from typing import Any

from src.shared.application.repair_agent.answer import strict_object
from src.shared.application.repair_agent.mending import Mending
from src.shared.application.repair_agent.steps import first_difference
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TWO_READ
from src.shared.domain.ports.repair import ReadObject
from src.shared.domain.repair_errors import Difference, DifferenceKind

TWO_READ_GLOSSES = frozenset(reason.en for reason in TWO_READ)
"""What the reader says of a text that has two readings: whoever mends it guesses."""


class UnprovenError(Exception):
    """The reader reads something else in the damaged text, or nothing without a guess.

    Attributes:
        difference: the first place where it reads something else; None if it refuses the text.
        refusal: its reason then.
    """

    def __init__(self, difference: Difference | None, refusal: str = "") -> None:
        super().__init__(refusal)
        self.difference = difference
        self.refusal = refusal


def prove(damaged: str, answer: str, reader: ReadObject, *, finished: bool | None = None) -> None:
    """Have the reader read the damaged text, or else the first of the mended ones that it understands.

    Args:
        damaged: the text; time and memory are linear in its length and in the answer's.
        answer: one strict JSON object.
        reader: the parser's own reader.
        finished: as for `OutputPort.read`.

    Raises:
        NotStrictJsonError: the answer is not one strict JSON object.
        DifferentError: it departs from the text in more than syntax.
        UnprovenError: the reader reads something else, or cannot read the text without a guess.
    """
    mending = Mending(damaged)
    mending.follow(strict_object(answer))
    refused: dict[str, Any] = {}
    for text in (damaged, *mending.texts()):
        try:
            read = reader(text, finished=finished)
        except LLMJsonParseError as error:
            refused = refused if refused.get("json_error") in TWO_READ_GLOSSES else error.details
            continue
        found = first_difference(read, json.loads(answer))
        if found:
            raise UnprovenError(mending.difference(*found))
        if refused.get("json_error") not in TWO_READ_GLOSSES:
            return
        break
    if refused.get("truncated"):
        raise mending.error(DifferenceKind.CUT_OFF)
    raise UnprovenError(None, str(refused.get("json_error")))
