"""The backslashes of one string in a damaged text: read in one way, or refused (ADR 0013)."""

from typing import Any

from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import reading_of, refusal_of, trace_of, value_of


def assert_refused_for_its_backslashes(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == TWO_ESCAPE_READINGS.en


# --- a pattern or a path: every backslash is one -----------------------------------------------------------------


@cases(
    {
        "a word boundary at the start": (r'{"a": "\bfoo\b\d"}', {"a": r"\bfoo\b\d"}),
        "a word boundary at the end": (r'{"a": "\d+\b"}', {"a": r"\d+\b"}),
        "a word boundary alone, before letters": (r'{"a": "\bfoo\b",}', {"a": r"\bfoo\b"}),
        "a word boundary beside LaTeX": (r'{"a": "$\neq$ \bfoo\b\d+"}', {"a": r"$\neq$ \bfoo\b\d+"}),
        "a line end": (r'{"a": "^\d+\r\n$"}', {"a": r"^\d+\r\n$"}),
        "a tab": (r'{"a": "\w\t\w"}', {"a": r"\w\t\w"}),
        "a slash": (r'{"a": "^\d+\/\d+$"}', {"a": r"^\d+\/\d+$"}),
        "a slash beside an escaped point": (r'{"a": "https?:\/\/a\.com"}', {"a": r"https?:\/\/a\.com"}),
        "a character by its number": (r'{"a": "[\x00-\x1f]\s"}', {"a": r"[\x00-\x1f]\s"}),
        "quotes": (r'{"a": "[\"\']\w"}', {"a": r"""["\']\w"""}),
        "the number of a group": (r'{"a": "(\w)\1\n"}', {"a": r"(\w)\1\n"}),
        "in single quotes": (r"{'a': '\d\n\x41'}", {"a": r"\d\n\x41"}),
        "a group alone, in single quotes": (r"{'a': '<b>\1</b>'}", {"a": r"<b>\1</b>"}),
    }
)
def test_every_backslash_of_a_pattern_is_a_backslash(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "of a share": (r'{"a": "\\server\share"}', {"a": r"\\server\share"}),
        "of a share with names like escapes": (r'{"a": "\\nas\temp\share"}', {"a": r"\\nas\temp\share"}),
        "of a share whose server has a domain": (r'{"a": "\\nas.lan\temp\share"}', {"a": r"\\nas.lan\temp\share"}),
        "of a share, in a sentence": (r'{"a": "on \\server\share\new now"}', {"a": r"on \\server\share\new now"}),
        "of a drive, in a sentence": (r'{"a": "in C:\work\new now"}', {"a": r"in C:\work\new now"}),
        "with blanks": (r'{"a": "C:\Program Files\nodejs"}', {"a": r"C:\Program Files\nodejs"}),
        "with a bracket": (r'{"a": "C:\Program Files (x86)\new"}', {"a": r"C:\Program Files (x86)\new"}),
        "with a name like a number": (r'{"a": "the C:\x64\new dir"}', {"a": r"the C:\x64\new dir"}),
        "with a name like a code": (r'{"a": "C:\work\u00e9"}', {"a": r"C:\work\u00e9"}),
        "with a name like a short code": (r'{"a": "C:\users\new"}', {"a": r"C:\users\new"}),
        "without a drive, with a name like a command": (r'{"a": "dir\log\new"}', {"a": r"dir\log\new"}),
        "beside LaTeX": (r'{"a": "C:\work\new: $\alpha$\nx"}', {"a": "C:\\work\\new: $\\alpha$\nx"}),
        "of a share beside LaTeX": (r'{"a": "\\srv\share has $\alpha$\nx"}', {"a": "\\\\srv\\share has $\\alpha$\nx"}),
        "two of them": (r'{"a": "C:\dir\new D:\dir\temp"}', {"a": r"C:\dir\new D:\dir\temp"}),
        "in single quotes": (r"{'a': 'C:\x64\new'}", {"a": r"C:\x64\new"}),
    }
)
def test_every_backslash_of_a_path_is_a_backslash(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        "a line end in a sentence with a pattern": r'{"a": "digits are \d+\nwords are \w+"}',
        "a line end after Chinese": r'{"a": "数字\d\n文字\w"}',
        "a line end after a path": r'{"a": "see C:\work\nThen run"}',
        "a list of paths": r'{"a": "C:\work\a.txt\nC:\work\b.txt"}',
        "a slash in a sentence with a path": r'{"a": "C:\work or http:\/\/a.com"}',
        "an apostrophe in a sentence with a path": r'{"a": "it\'s in C:\work"}',
        "a pattern half of which is escaped": r'{"a": "\\d+\s"}',
        "a path half of which is escaped": r'{"a": "C:\\work\dir"}',
        "a share half of which is escaped": r'{"a": "\\\\server\share"}',
        "every escape at once": r'{"a": "\\ \" \n \d"}',
        "a character's code in a pattern": r'{"a": "[\u4e00-\u9fa5]\d"}',
        "a character's number in a sentence": r'{"a": "\d is not \x41"}',
    }
)
def test_what_a_backslash_beside_a_pattern_may_also_mean_is_refused(raw: str) -> None:
    assert_refused_for_its_backslashes(raw)


def test_refusal_names_the_backslash_that_is_one_and_the_other_that_may_be() -> None:
    error = refusal_of(r'{"a": "say \d\nor"}')
    assert [place["offset"] for place in error.details["candidates"]] == [11, 13]


@cases(
    {
        "of escapes JSON has": (r'{"a": "C:\temp\new",}', {"a": "C:\temp\new"}),
        "of a share": (r'{"a": "\\server\new",}', {"a": "\\server\new"}),
        "of a backspace alone": (r'{"a": "x\b",}', {"a": "x\b"}),
    }
)
def test_string_of_escapes_that_json_has_is_read_as_json(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


def test_valid_json_is_read_as_json_whatever_it_looks_like() -> None:
    assert reading_of(r'{"a": "\bfoo\b \\server\new C:\temp"}') == ({"a": "\bfoo\b \\server\new C:\temp"}, set())


# --- a text with mathematics or Markdown in it -------------------------------------------------------------------


@cases(
    {
        "mathematics": (r'{"a": "We have \(x\).\nThen \[y\]"}', {"a": "We have \\(x\\).\nThen \\[y\\]"}),
        "mathematics without blanks": (r'{"a": "\(x\)\n\(y\)"}', {"a": "\\(x\\)\n\\(y\\)"}),
        "commands": (r'{"a": "$\sqrt{x}$\nso $\frac{1}{2}$"}', {"a": "$\\sqrt{x}$\nso $\\frac{1}{2}$"}),
        "commands some of which are escaped": (r'{"a": "$\\cdot \sqrt{x}$\n"}', {"a": "$\\cdot \\sqrt{x}$\n"}),
        "an escaped command before another": (r'{"a": "so $\\theta\cdot x$"}', {"a": r"so $\theta\cdot x$"}),
        "an escaped short command before another": (r'{"a": "so $\\times\cdot x$"}', {"a": r"so $\times\cdot x$"}),
        "a function": (r'{"a": "f:\mathbb{R}\to\mathbb{R}\nThe"}', {"a": "f:\\mathbb{R}\\to\\mathbb{R}\nThe"}),
        "a command nobody knows": (r'{"a": "$\alpha \foo$\nx"}', {"a": "$\\alpha \\foo$\nx"}),
        "a form feed before no letter": (r'{"a": "$\alpha$, \f."}', {"a": r"$\alpha$, \f."}),
        "Markdown": (r'{"a": "1\. one\_x\n2\. two"}', {"a": "1\\. one\\_x\n2\\. two"}),
        "an escaped sign": (r'{"a": "5\% of a\/b\n\u4e2d"}', {"a": "5\\% of a/b\n中"}),
    }
)
def test_line_ends_of_a_text_stay_line_ends_beside_backslashes_of_its_own(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.BAD_ESCAPE})


@cases(
    {
        "Greek letters": (r'{"a": "\alpha\neq\beta"}', {"a": r"\alpha\neq\beta"}),
        "a command of a tab": (r'{"a": "\alpha\times\beta"}', {"a": r"\alpha\times\beta"}),
    }
)
def test_commands_alone_are_all_backslashes(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_apostrophe_beside_a_line_end_is_an_apostrophe() -> None:
    assert value_of(r'{"a": "it\'s\nfine"}') == {"a": "it's\nfine"}


# --- what Python writes ------------------------------------------------------------------------------------------


@cases(
    {
        "a no-break space": (r"{'a': 'x\xa0y'}", {"a": "x\xa0y"}),
        "a control character": (r"{'a': '\x1b[31m\n'}", {"a": "\x1b[31m\n"}),
        "an apostrophe": (r"{'a': 'it\'s\xa0so'}", {"a": "it's\xa0so"}),
        "a character beyond four digits": (r"{'a': '\U0001f680'}", {"a": "🚀"}),
        "a character of eight digits that needs four": (r"{'a': '\U000000e9'}", {"a": "é"}),
        "an octal number": (r"{'a': '\033[0m\0'}", {"a": "\033[0m\0"}),
        "a bell and a vertical tab": (r"{'a': '\a \v'}", {"a": "\a \v"}),
        "escapes that JSON has, too": (r"{'a': '\xe9\\\t\u00e9'}", {"a": "é\\\té"}),
        "in a key": (r"{'\xe9': 1}", {"é": 1}),
        "in the double quotes of a string with an apostrophe": (r"""{'a': "it's\xa0so"}""", {"a": "it's\xa0so"}),
        "in triple quotes": (r'{"a": """x\xa0y"""}', {"a": "x\xa0y"}),
        "in a list": (r"{'a': ['\xe9', 'x']}", {"a": ["é", "x"]}),
    }
)
def test_escapes_of_a_python_string_are_pythons(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_escape_of_pythons_is_traced_as_what_json_writes_for_it() -> None:
    repair = trace_of(r"{'a': 'x\xa0y'}")[-1]
    assert (repair.kind, repair.offset, repair.found, repair.put) == (K.BAD_ESCAPE, 8, r"\xa0", r"\u00a0")


@cases(
    {
        "LaTeX with letters of Python's": (r"{'a': '\alpha \vec{x}'}", {"a": r"\alpha \vec{x}"}),
        "a number past the last character": (r"{'a': '\U00110000'}", {"a": r"\U00110000"}),
        "a digit that is a group's": (r"{'a': '\1 \0'}", {"a": r"\1 \0"}),
    }
)
def test_what_python_would_not_have_written_is_a_backslash(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        "a number": r'{"a": "caf\xe9"}',
        "a terminal's sign": r'{"a": "\x1b[31mred"}',
        "eight digits": r'{"a": "\U0001f680"}',
        "an octal number": r'{"a": "\033[0m"}',
        "JavaScript's braces": r'{"a": "\u{1f680}"}',
        "a character's name": r'{"a": "\N{BULLET}"}',
        "a character's name in single quotes": r"{'a': '\N{BULLET}'}",
        "a number beside LaTeX": r'{"a": "$\alpha$ caf\xe9"}',
        "a number beside mathematics in single quotes": r"{'a': '\(x\) caf\xe9'}",
    }
)
def test_escape_that_json_lacks_and_others_have_is_refused(raw: str) -> None:
    assert_refused_for_its_backslashes(raw)
