"""Two ways of writing at once cost the first time they are met, however many rows there are, with or without a slip."""

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.rows_in_styles import AMBIGUOUS, MORE_SLIPS, PAIRS, in_styles
from tests.thorough import at_length

COUNTS = at_length((1, 20), (1, 2, 3, 5, 10, 30, 100))


@pytest.mark.parametrize("slip", MORE_SLIPS)
@pytest.mark.parametrize("styles", PAIRS, ids=" and ".join)
def test_rows_of_any_two_styles_are_read_with_one_slip_however_many_there_are(
    styles: tuple[str, ...], slip: str
) -> None:
    for count in COUNTS:
        text, meant = in_styles(styles, count)
        try:
            data = decode_llm_json(MORE_SLIPS[slip](text)).data
        except LLMJsonParseError:
            assert "keys without quotes" in styles
            assert slip in AMBIGUOUS
        else:
            assert data == meant
