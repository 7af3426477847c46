"""How much one typed answer may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on all attempts at one answer together; the first that is reached ends them.

    Attributes:
        max_retries: re-asks after the first answer; 0 turns them off.
        max_tokens: tokens read and written; no attempt starts once they are spent. None: no bound.
        max_seconds: seconds from the first request on; a call that is still running then is given up. None: no bound.
    """

    max_retries: int = 2
    max_tokens: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that mean nothing."""
        wrong = [name for name in ("max_retries", "max_tokens", "max_seconds") if (getattr(self, name) or 0) < 0]
        if wrong:
            message = f"{wrong[0]} must not be negative"
            raise ValueError(message)
