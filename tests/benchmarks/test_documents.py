"""The documents the benchmarks read are what the tables say they are."""

import json

import pytest

from tools.benchmarks.documents import KB, SIZES, Report, build, clean_text, label


@pytest.mark.parametrize("size", SIZES, ids=label)
def test_a_document_has_the_size_it_is_named_by(size: int) -> None:
    """Bytes of UTF-8, to within five percent."""
    assert len(clean_text(build(size)).encode()) == pytest.approx(size, rel=0.05)


@pytest.mark.parametrize("size", SIZES, ids=label)
def test_a_document_satisfies_the_type(size: int) -> None:
    """Its clean text is valid, and says what the document says."""
    document = build(size)
    assert Report.model_validate_json(clean_text(document)).model_dump() == document


def test_a_document_is_chinese_and_english_prose_in_nested_objects() -> None:
    """As models write them here: neither ASCII only, nor flat."""
    text = clean_text(build(20 * KB))
    assert 0.15 < len("".join(character for character in text if character > "⺀").encode()) / len(text.encode()) < 0.6
    assert json.loads(text)["sections"][0]["findings"][0]["claim"]
