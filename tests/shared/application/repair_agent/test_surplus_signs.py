"""Punctuation that may go: how it looks, and where it is surplus."""

import pytest

from src.shared.application.repair_agent.surplus import Where, bare_at, colon_at, is_plain, surplus_at, wrapped_at
from src.shared.domain.edits import Edit
from src.shared.domain.reading.escapes import end_of_content

ITEM = Where.BETWEEN_ITEMS | Where.BEHIND_NO_COMMA
LATER_KEY = ITEM | Where.BEFORE_STRING | Where.BEFORE_LATER_KEY
CLOSER = ITEM | Where.BEFORE_CLOSER

GOES = {
    "a break of HTML": ("<br />1", Where.ANYWHERE, "      "),
    "a space of HTML": ("&nbsp;1", Where.ANYWHERE, "      "),
    "the sign of a colour": ("\x1b1", Where.ANYWHERE, " "),
    "a line end that was escaped": (r"\n 1", Where.ANYWHERE, "  "),
    "the backslash of a bracket": (r"\[1", Where.ANYWHERE, " "),
    "the end of bold": ("** :", Where.BEHIND_STRING, "  "),
    "the beginning of bold": ('**"a"', Where.BEFORE_STRING, "  "),
    "a bullet": ('- "a"', Where.BEFORE_STRING | Where.AT_BEGINNING, " "),
    "a rule": ("---\n1", Where.AT_BEGINNING | Where.ON_NEW_LINE, "    "),
    "a colon without a key": (": 1", ITEM | Where.BEHIND_OPENER, " "),
    "a bar at the end": ("|}", CLOSER, " "),
    "a bar between members": ('| "a"', LATER_KEY, ","),
    "a full stop between members": ('。 "a"', LATER_KEY | Where.BEHIND_END, ","),
    "a semicolon": ("; 1", ITEM, ","),
    "a second semicolon": ("; 1", Where.BETWEEN_ITEMS, " "),
    "a semicolon at the end": (";}", CLOSER, " "),
    "a comma": (", 1", ITEM, ","),
    "a second comma": ("，1", Where.BETWEEN_ITEMS, "，"),
}


@pytest.mark.parametrize(("text", "where", "put"), GOES.values(), ids=GOES.keys())
def test_surplus_punctuation_is_replaced_by_as_many_characters(text: str, where: Where, put: str) -> None:
    assert surplus_at(text, 0, where) == Edit(0, len(put), put)


STAYS = {
    "a break that is none": ("<brief>", Where.ANYWHERE),
    "the beginning of a path": (r"\next", Where.ANYWHERE),
    "a star behind a number": ("*}", CLOSER),
    "a star before a number": ("*5", Where.BEFORE_STRING),
    "a bullet in the middle of a line": ('- "a"', Where.BEFORE_STRING),
    "a sign before a number": ("- 5", ITEM | Where.AT_BEGINNING),
    "a rule in the middle of a line": ("---\n1", Where.AT_BEGINNING),
    "two hyphens": ("--\n1", Where.AT_BEGINNING | Where.ON_NEW_LINE),
    "a colon behind an element": (": 1", ITEM),
    "a bar between items": ('| "a"', ITEM | Where.BEFORE_STRING),
    "a bar behind a comma": ('| "a"', LATER_KEY & ~Where.BEHIND_NO_COMMA),
    "a full stop behind a number": ('. "a"', LATER_KEY),
    "a semicolon before a value": ("; 1", Where.ANYWHERE),
    "a letter": ("x", LATER_KEY),
}


@pytest.mark.parametrize(("text", "where"), STAYS.values(), ids=STAYS.keys())
def test_punctuation_that_may_say_something_stays(text: str, where: Where) -> None:
    assert surplus_at(text, 0, where) is None


@pytest.mark.parametrize("colon", [":", "：", "::", ": :", ":=", "=", "=>", "->", "|", ": ->"])
def test_sign_for_a_colon_is_one(colon: str) -> None:
    assert colon_at(f"x{colon}1", 1) == Edit(1, len(colon), ":".ljust(len(colon)))


@pytest.mark.parametrize("sign", [",", ">", "-", "1"])
def test_other_sign_is_no_colon(sign: str) -> None:
    assert colon_at(sign, 0) is None


@pytest.mark.parametrize(
    ("text", "is_key", "edits"),
    [
        ("&quot;a&quot;", False, [Edit(0, 6, '     "'), Edit(7, 6, '"     ')]),
        ("«a»", False, [Edit(0, 1, '"'), Edit(2, 1, '"')]),
        ("**a**", True, [Edit(0, 2, ' "'), Edit(3, 2, '" ')]),
        ("**a**", False, []),
        ("«b»", False, []),
        ("«a", False, []),
    ],
)
def test_signs_around_a_string_stand_for_its_quotes(text: str, is_key: bool, edits: list[Edit]) -> None:  # noqa: FBT001
    assert wrapped_at(text, 0, "a", is_key=is_key) == edits


@pytest.mark.parametrize("content", ['a"', "a\\", "a\nb", "a&amp;b", "a<br>b", "a»", "a*"])
def test_string_that_would_have_to_be_escaped_is_not_unwrapped(content: str) -> None:
    assert wrapped_at(f"«{content}»", 0, content, is_key=False) == []


@pytest.mark.parametrize(
    ("text", "is_key", "bare"),
    [
        ("some text, x", False, "some text"),
        ("https://x.y/?a=b # note", False, "https://x.y/?a=b"),
        ("a note // of mine", False, "a note"),
        ("it's fine}", False, "it's fine"),
        ("a: b", False, "a"),
        ("a name : 1", True, "a name"),
        ("a = 1", True, "a"),
        ("约 100 (元); x", False, "约 100 (元)"),
        ('"x"', False, ""),
        (", x", False, ""),
    ],
)
def test_text_without_quotes_goes_to_a_sign_or_a_comment(text: str, is_key: bool, bare: str) -> None:  # noqa: FBT001
    assert bare_at(text, 0, is_key=is_key) == bare


@pytest.mark.parametrize("bare", ["12", "true", "None of it", "1 2", "- x", "*x", "x*", "•x", "&quot;x"])
def test_text_that_may_be_something_else_is_no_string(bare: str) -> None:
    assert not is_plain(bare, is_key=False)


@pytest.mark.parametrize("bare", ["x", "12 kg", "5 %", "-x", "truth"])
def test_text_that_can_only_be_one_is_a_string(bare: str) -> None:
    assert is_plain(bare, is_key=False)


@pytest.mark.parametrize(("key", "is_key"), [("12", True), ("true", True), ("**a**", False)])
def test_key_may_be_a_number_and_has_no_marks(key: str, is_key: bool) -> None:  # noqa: FBT001
    assert is_plain(key, is_key=True) is is_key


@pytest.mark.parametrize(
    ("text", "content", "end"),
    [
        ('xy"', "xy", 2),
        (r"\u4e2d\/\'\t\"x", "中/'\t\"x", 15),
        (r"\ud83d\ude00", "😀", 12),
        (r"\ud83dx", "\ud83dx", 7),
        (r"\times", r"\times", 6),
        (r"\times", "\times", 6),
        (r"a\d", r"a\d", 3),
        ("x y", "x  y", -1),
        (r"x\ny", r"x\\ny", -1),
        ("half", "half of it", 4),
    ],
)
def test_known_content_is_found_with_and_without_escapes(text: str, content: str, end: int) -> None:
    assert end_of_content(text, 0, content) == end
