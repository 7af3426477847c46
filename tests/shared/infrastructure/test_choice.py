"""Telling the candidates of one text apart."""

from src.shared.infrastructure.parsing import answer


def test_values_nested_too_deeply_to_be_compared_count_as_different() -> None:
    one: list[object] = []
    for _ in range(100_000):
        one = [one]

    assert answer._fingerprint(one) != answer._fingerprint([one])  # noqa: SLF001 - the decoder goes less deep


def test_values_that_python_calls_equal_are_told_apart() -> None:
    prints = {answer._fingerprint(value) for value in (1, 1.0, True, "1")}  # noqa: SLF001 - as above

    assert len(prints) == 4
