"""Punctuation that may go: how it looks, and where it is surplus."""

import pytest

from src.shared.application.repair_agent.answer import StepKind
from src.shared.application.repair_agent.surplus import Around, bare_at, colon_at, is_plain, surplus_at, wrapped_at
from src.shared.domain.edits import Edit
from src.shared.domain.reading.escapes import end_of_content

VALUE = Around(StepKind.NAME, StepKind.NUMBER)
FIRST = Around(StepKind.OPEN, StepKind.STRING)
ITEM = Around(StepKind.STRING, StepKind.STRING)
APART = Around(StepKind.STRING, StepKind.STRING, is_apart=True)
ON_LINE = Around(StepKind.STRING, StepKind.STRING, is_on_new_line=True)
LATER_KEY = Around(StepKind.NUMBER, StepKind.NAME)
KEY_BEHIND_STRING = Around(StepKind.STRING, StepKind.NAME)
CLOSER = Around(StepKind.STRING, StepKind.CLOSE)

GOES = {
    "a break of HTML": ("<br />1", 0, VALUE, "      "),
    "a space of HTML": ("&nbsp;1", 0, VALUE, "      "),
    "the sign of a colour": ("\x1b1", 0, VALUE, " "),
    "a line end that was escaped": (r"\n 1", 0, VALUE, "  "),
    "the backslash of a bracket": (r"\[1", 0, VALUE, " "),
    "the end of bold": ('"a"** :', 3, VALUE, "  "),
    "the end of bold behind an entity": ("&#34;a&#34;_ :", 11, VALUE, " "),
    "the beginning of bold": ('**"a"', 0, VALUE, "  "),
    "a bullet": ('- "a"', 0, FIRST, " "),
    "a later bullet": ('- "a"', 0, APART, " "),
    "a bullet on a line": ('- "a"', 0, ON_LINE, " "),
    "a rule": ("---\n1", 0, ON_LINE, "    "),
    "a colon without a key": (": 1", 0, FIRST, " "),
    "a bar at the end": ("|}", 0, CLOSER, " "),
    "a bar between members": ('| "a"', 0, LATER_KEY, ","),
    "a full stop between members": ('。 "a"', 0, KEY_BEHIND_STRING, ","),
    "a semicolon": ("; 1", 0, ITEM, ","),
    "a semicolon at the end": (";}", 0, CLOSER, " "),
    "a comma": (", 1", 0, ITEM, ","),
    "a comma at the end": ("，}", 0, CLOSER, "，"),
}


@pytest.mark.parametrize(("text", "at", "around", "put"), GOES.values(), ids=GOES.keys())
def test_surplus_punctuation_is_replaced_by_as_many_characters(text: str, at: int, around: Around, put: str) -> None:
    assert surplus_at(text, at, around) == Edit(at, len(put), put)


STAYS = {
    "a break that is none": ("<brief>", VALUE),
    "the beginning of a path": (r"\next", VALUE),
    "a star behind a number": ("*}", CLOSER),
    "a star before a number": ("*5", FIRST),
    "a bullet in the middle of a line": ('- "a"', ITEM),
    "a bullet before a value": ('- "a"', VALUE),
    "a sign before a number": ("- 5", FIRST),
    "a rule in the middle of a line": ("---\n1", APART),
    "two hyphens": ("--\n1", ON_LINE),
    "a colon behind an element": (": 1", ITEM),
    "a bar between items": ('| "a"', ITEM),
    "a bar before the first member": ("| 1", FIRST),
    "a comma before the first item": (", 1", FIRST),
    "a full stop behind a number": ('. "a"', LATER_KEY),
    "a semicolon before a value": ("; 1", VALUE),
    "a letter": ("x", LATER_KEY),
}


@pytest.mark.parametrize(("text", "around"), STAYS.values(), ids=STAYS.keys())
def test_punctuation_that_may_say_something_stays(text: str, around: Around) -> None:
    assert surplus_at(text, 0, around) is None


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


NEITHER = ["12", "true", "None of it", "1 2", "- x", "*x", "x*", "•x", "&quot;x", "x &quot", "x<br>y", "</b>1", "<b>x"]
SIGNS_OR_A_LITERAL = ["-", "…", "...", "1 null", "-true", "。 null", "->true"]
NUMBER_BESIDE_SIGNS = ["5。", "5)", ")5.5", "0.1...", "8_", "->5", "(2026)"]


@pytest.mark.parametrize("bare", [*NEITHER, *SIGNS_OR_A_LITERAL, *NUMBER_BESIDE_SIGNS])
def test_text_that_may_be_something_else_is_no_string(bare: str) -> None:
    assert not is_plain(bare, is_key=False)


TEXT = ["x", "12 kg", "5 %", "-x", "truth", "50%", ">5", "1.2.3", "2026-01-02", "(5) x"]
TEXT_WITH_SIGNS = ["R&D", "a < b > c", "C++", "✅"]


@pytest.mark.parametrize("bare", [*TEXT, *TEXT_WITH_SIGNS])
def test_text_that_can_only_be_one_is_a_string(bare: str) -> None:
    assert is_plain(bare, is_key=False)


@pytest.mark.parametrize(("key", "is_key"), [("12", True), ("true", True), ("**a**", False), ("</b>", False)])
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
