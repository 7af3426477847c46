"""The valuation modeler: a verdict with its Chinese gloss is the English verdict."""

import pytest

from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import normalize_verdict


@pytest.mark.parametrize("data", [{}, {"valuation_verdict": None}, {"valuation_verdict": ["Fair (合理)"]}])
def test_what_is_no_text_is_left_for_validation(data: dict[str, object]) -> None:
    assert normalize_verdict(data) == data


def test_normalizing_leaves_the_object_it_was_given_alone() -> None:
    data = {"valuation_verdict": "Fair (合理)", "other": 1}
    assert normalize_verdict(data) == {"valuation_verdict": "Fair", "other": 1}
    assert data == {"valuation_verdict": "Fair (合理)", "other": 1}
