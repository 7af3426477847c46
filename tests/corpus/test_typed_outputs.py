"""Real texts read with a type that has the keys of the expected object: the type may help, and must not harm."""

import pytest

from tests.beside import needs_corpus
from tests.corpus.reading import lines_of, outcome

FEWEST_RIGHT = {False: 86, True: 87}
"""Of the texts of medium confidence, untyped and typed. The numbers may only grow."""


@needs_corpus
@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
def test_texts_whose_expected_value_is_likely_are_read_right_or_refused(
    typed: bool,  # noqa: FBT001 - a parameter of the test
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [row for row in lines_of("real_outputs.jsonl") if row["expected_confidence"] == "medium"]
    texts = [row for row in rows if isinstance(row["expected"], dict)]
    found = [outcome(row["text"], row["expected"], typed=typed) for row in texts]
    with capsys.disabled():
        print(f"\n{'typed' if typed else 'untyped'}: {found.count('right')} of {len(texts)} right")  # noqa: T201 - for the reader
    assert found.count("wrong") == 0
    assert found.count("right") >= FEWEST_RIGHT[typed]
