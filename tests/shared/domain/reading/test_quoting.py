"""Words in quotes inside the strings of many members: passed over in one go, and read as each of them alone."""

import pytest

from src.shared.domain.edits import Edit
from src.shared.domain.reading.reader import read
from src.shared.domain.repair import RepairKind

MANY = '{"rows": {' + "".join(f'"k{number}": "a "word" in it, and "more", too",\n' for number in range(6))
"""So many of them that they are a habit."""
STRINGS = (
    '"the "big" one"',
    '"he calls it "big""',
    '""big" it is"',
    '"the "big", they say: it is "good"."',
    '"the\n"big" one; don\'t"',
    '"它是"护城河"，好"',
    '"it\\nis "big" or "good""',
    '"all "of it""',
    '""all of it""',
    '"see "a", "b": no"',
    '"see "a". "b""',
    '"is "key": it"',
    '"is "a","b" it"',
    '"x: "a" {"',
    '"6" or "big""',
    '"“a "b" c"',
    '"the "big" one\n  「of" many"',
    '"the "big" one\n\n  of many"',
    '"a "b\'s" c"',
    '"a " b " c"',
    '"a "true", b: c"',
    '"a "b", c" and: "d"',
)


@pytest.mark.parametrize("behind", [",\n", ', "z": 1', "", ",", "\n}, 2"])
@pytest.mark.parametrize("string", STRINGS)
def test_habit_changes_no_reading(string: str, behind: str) -> None:
    member = f'"s": {string}{behind}}}}}'
    alone, among = read('{"rows": {' + member, 0, finished=True), read(MANY + member, 0, finished=True)

    assert (alone.problem is None) == (among.problem is None)
    if alone.problem is None:
        assert among.data["rows"].items() >= alone.data["rows"].items()
        shift = len(MANY) - len('{"rows": {')
        moved = [edit._replace(offset=edit.offset + shift) for edit in alone.edits]
        assert [edit for edit in among.edits if edit.offset >= len(MANY)] == moved


def test_each_quote_of_a_habit_is_an_edit() -> None:
    text = MANY + '"z": 1}}'

    value = read(text, 0)

    inner = [at for at, char in enumerate(text) if char == '"' and (text[at + 1].isalpha() and text[at - 1] == " ")]
    assert value.data["rows"]["k5"] == 'a "word" in it, and "more", too'
    assert {Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE) for at in inner if text[at + 1] in "wm"} <= set(value.edits)
    assert len(value.edits) == 6 * 4
