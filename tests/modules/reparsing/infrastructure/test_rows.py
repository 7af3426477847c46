"""From a row as its input has it to a record."""

import pytest

from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.record import FieldNames, RawRow
from src.modules.reparsing.infrastructure.rows import read_row
from src.shared.domain.language import Message

NAMES = FieldNames()


def test_line_of_json_is_a_record() -> None:
    assert read_row(RawRow("f:1", b'{"text": "{}"}\r\n'), NAMES).text == "{}"


def test_fields_are_a_record() -> None:
    assert read_row(RawRow("f:1", {"text": "{}"}), NAMES).text == "{}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{text}", "not a line of JSON: column 2"),
        (b'{"text": "\xff"}', "not UTF-8: byte 0xff at offset 10"),
        (b'{"text": "a", "text": "b"}', "two fields of one name: 'text'"),
        (b'{"text": "a", "meta": {"x": 1, "x": 1}}', "two fields of one name: 'x'"),
        (b'{"text": ' + b"[" * 100_000, "a line of JSON that cannot be read"),
        (b'{"text": ' + b"1" * 10_000 + b"}", "a line of JSON that cannot be read"),
    ],
)
def test_line_that_cannot_be_read_is_unusable(line: bytes, why: str) -> None:
    with pytest.raises(UnusableRowError) as caught:
        read_row(RawRow("f:1", line), NAMES)
    assert why in caught.value.why.en


def test_row_that_its_input_could_not_read_is_unusable() -> None:
    with pytest.raises(UnusableRowError, match="too large"):
        read_row(RawRow("f:1", Message("过大", "too large")), NAMES)
