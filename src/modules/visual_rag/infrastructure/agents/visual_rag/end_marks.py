"""The marks by which models end a text. Where a server leaves one in, it is no part of what was said."""

from __future__ import annotations

import re

from src.shared.domain.possessive import match_end, repeated

END_MARKS = (
    "<|im_end|>",
    "<|im_start|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eos|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|end_of_turn|>",
    "<|endofturn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|user|>",
    "<|observation|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<eos>",
    "</s>",
    "[EOS]",
)
"""End-of-sequence and end-of-turn tokens of the model families in use, and those that open somebody else's turn.

They are listed: a mark that ends a block of reasoning looks the same, and dropping it would make a draft the answer.
"""

_BACKWARDS = re.compile(repeated("|".join([r"\s++", *(re.escape(mark[::-1]) for mark in END_MARKS)])))


def without_end_marks(text: str) -> str:
    """The text without the marks at its end, and without the white space around them."""
    return text[: len(text) - match_end(_BACKWARDS, text[::-1], 0)]
