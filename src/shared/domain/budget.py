"""How much one typed answer may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from src.shared.domain.token_price import TokenPrice

_BOUNDS = ("max_retries", "max_tokens", "max_seconds", "max_cost")


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on all attempts at one answer together, the repair agent's included; the first that is reached ends them.

    Attributes:
        max_retries: re-asks after the first answer; 0 turns them off. The repair agent's request is none.
        max_tokens: tokens read and written; None: no bound.
        max_seconds: seconds from the first request on; a call that is still running then is given up. None: no bound.
        max_cost: money, in the price's currency; None: no bound.
        price: what tokens cost; needed for `max_cost`.
    """

    max_retries: int = 2
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    price: TokenPrice | None = None

    def bounded(self, *, max_retries: int | None = None, max_seconds: float | None = None) -> Budget:
        """The same budget with other bounds in place of those that are given."""
        return replace(
            self,
            max_retries=self.max_retries if max_retries is None else max_retries,
            max_seconds=self.max_seconds if max_seconds is None else max_seconds,
        )

    def within(self, seconds: float | None) -> Budget:
        """The same budget, but for no longer than `seconds`; None bounds nothing."""
        if seconds is None or (self.max_seconds is not None and self.max_seconds <= seconds):
            return self
        return replace(self, max_seconds=seconds)

    def __post_init__(self) -> None:
        """Refuse bounds that mean nothing."""
        wrong = [name for name in _BOUNDS if (getattr(self, name) or 0) < 0]
        if wrong:
            message = f"{wrong[0]} must not be negative"
            raise ValueError(message)
        if self.max_cost is not None and self.price is None:
            message = "max_cost needs a price"
            raise ValueError(message)
