"""What tesseract prints, read: the text, its lines, and how sure the program is."""

import pytest

from examples.visual_rag.ocr.ocr_output import output_of
from src.modules.visual_rag.domain.viewing import Box

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
PAGE = "1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t\n"
LINE = "4\t1\t1\t1\t1\t0\t10\t20\t200\t30\t-1\t\n"


def word(sure: float, text: str) -> str:
    return f"5\t1\t1\t1\t1\t1\t10\t20\t50\t30\t{sure}\t{text}\n"


@pytest.mark.parametrize("printed", [f"{HEAD}{PAGE}净利润\n\n18.6\n\f", f"净利润\n\n18.6\n\f{HEAD}{PAGE}"])
def test_text_is_read_whether_it_is_printed_before_the_table_or_after_it(printed: str) -> None:
    assert output_of(printed.encode()).text == "净利润\n\n18.6"


def test_lines_that_end_as_on_windows_are_read() -> None:
    output = output_of(f"{HEAD}{LINE}{word(90, 'a')}a b\n".replace("\n", "\r\n").encode())
    assert (output.text, output.lines) == ("a b", (Box(10, 20, 210, 50),))


def test_wide_gap_between_cells_becomes_two_blanks() -> None:
    assert output_of(f"{HEAD}营业收入         172,650   18.6 亿元  \n".encode()).text == "营业收入  172,650  18.6 亿元"


def test_doubtful_characters_are_counted_as_a_share() -> None:
    output = output_of(f"{HEAD}{word(59.9, 'ab')}{word(60, 'abcdef')}".encode())
    assert output.doubtful == 0.25


def test_score_is_higher_for_more_characters_that_are_surer_and_lower_for_doubtful_ones() -> None:
    scores = [
        output_of(f"{HEAD}{word(*one)}".encode()).score for one in ((40, "abcd"), (90, "ab"), (95, "ab"), (95, "abc"))
    ]
    assert scores == [-80, 60, 70, 105]


@pytest.mark.parametrize(
    ("words", "is_mixed"),
    [
        ([(96, "净利润"), (89.9, "Ax.")], True),
        ([(96, "净利润"), (90, "Ax.")], False),
        ([(96, "Net"), (50, "Ax.")], False),
        ([(50, "Net"), (50, "了")], False),
        ([(50, "净利润"), (50, "3,810")], False),
    ],
    ids=["doubtful Latin", "sure Latin", "no Chinese", "little Chinese", "no Latin"],
)
def test_doubtful_latin_words_among_chinese_ones_are_noticed(words: list[tuple[float, str]], *, is_mixed: bool) -> None:
    assert output_of((HEAD + "".join(word(*one) for one in words)).encode()).is_mixed is is_mixed


def test_words_of_blanks_do_not_count() -> None:
    assert output_of(f"{HEAD}{word(95, ' ')}".encode()).score == 0


def test_nothing_read_is_an_empty_text_without_doubt() -> None:
    output = output_of(f"{HEAD}{PAGE}\f".encode())
    assert (output.text, output.lines, output.score, output.doubtful) == ("", (), 0, 0)


@pytest.mark.parametrize(
    "printed", [b"", b"text alone\n", b"\xff", f"{HEAD}{word(90, 'a')}".replace("90", "x").encode()]
)
def test_output_that_is_none_is_refused(printed: bytes) -> None:
    with pytest.raises(ValueError, match=r"no table|codec|convert"):
        output_of(printed)
