"""The catalyst detective's rule of its own: an event need not say what it is expected to do."""

from src.shared.domain.normalizer import Normalizer
from src.shared.infrastructure.agents.normalizers import each_object, fill_missing_text

FILL_EXPECTED_IMPACT: tuple[Normalizer, ...] = tuple(
    each_object(field, fill_missing_text("expected_impact")) for field in ("positive_catalysts", "negative_catalysts")
)
"""An event without `expected_impact` gets the empty text; no event is dropped."""
