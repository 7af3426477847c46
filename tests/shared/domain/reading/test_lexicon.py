"""What the signs of JSON stand for is what expressions take them for."""

import re
import sys

from src.shared.domain.reading.lexicon import BLANKS


def test_blanks_are_what_an_expression_takes_for_white_space() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))

    assert re.findall(r"\s", every) == list(BLANKS)
