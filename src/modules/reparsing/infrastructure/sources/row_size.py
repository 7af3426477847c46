"""How large a row may be."""

from __future__ import annotations

from src.shared.domain.language import Message

ROW_BYTES = 64 * 1024 * 1024
"""Size of the largest row that is read; a larger one is refused."""
UNKEPT = 1
"""What a row that is not kept counts for, in bytes."""


def too_large() -> Message:
    """What to say of a row that is too large."""
    return Message(f"该行超过 {ROW_BYTES} 字节", f"the row has more than {ROW_BYTES} bytes")
