"""A text in the letters that readers of values compare: half-width, no blanks around it."""

from __future__ import annotations

TEXT_LIMIT = 64
"""Most characters of a text that may be coerced; a longer one is prose."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ALIKE = {0x3000: " ", 0xA0: " ", 0x2212: "-", 0xFFE5: "¥"}
_TABLE = _HALF_WIDTH | _ALIKE


def folded(text: str) -> str:
    """The text with full-width ASCII as ASCII; not NFKC, which makes `5²` a `52`."""
    return text.translate(_TABLE).strip()
