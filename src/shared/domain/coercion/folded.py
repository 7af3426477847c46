"""A text in the letters that readers of values compare: half-width, one blank between words, none around them."""

from __future__ import annotations

TEXT_LIMIT = 64
"""Most characters of a text that may be coerced, without the blanks around it; a longer one is prose."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ALIKE = {0x2212: "-", 0xFFE5: "¥"}
_TABLE = _HALF_WIDTH | _ALIKE
_UNSEEN = "\ufeff\u200b"


def folded(text: str) -> str:
    """The text with full-width ASCII as ASCII; not NFKC, which makes `5²` a `52`."""
    return " ".join(text.strip(_UNSEEN).translate(_TABLE).split())


def is_short(text: str) -> bool:
    """Whether a text is no longer than one that may be coerced."""
    return len(text) <= TEXT_LIMIT or len(text.strip()) <= TEXT_LIMIT
