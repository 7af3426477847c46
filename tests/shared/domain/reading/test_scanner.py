"""Whether a place in a text stands in a value is never answered by a search without an end."""

from src.shared.domain.reading.scanner import Unreadable, ValueScanner
from src.shared.domain.work import Work

TEXT = "the set {x: x > 3} and ```json"
FENCE = TEXT.index("```")


def test_what_ends_before_a_fence_does_not_cover_it() -> None:
    assert ValueScanner(TEXT).covering(0, FENCE) is None


def test_everything_is_covered_once_no_work_is_left() -> None:
    work = Work(len(TEXT))
    work.spend(work.left + 1)
    assert ValueScanner(TEXT, work=work).covering(0, FENCE) == len(TEXT)


def test_brackets_that_are_nested_too_deeply_cover_the_rest() -> None:
    text = '{"a":' * 5_000 + TEXT
    assert ValueScanner(text).covering(0, text.index("```")) == len(text)


def test_value_that_cannot_be_read_reaches_to_the_end_once_no_work_is_left() -> None:
    text, work = '{"a": [1] x} and more', Work(1)
    before = Unreadable(text, Work(len(text))).end_of_brackets(0)
    work.spend(work.left + 1)

    assert (before, Unreadable(text, work).end_of_brackets(0)) == (text.index("}") + 1, len(text))
