"""The local index: Chinese and English, queries that are data, and pages that are read once."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.search import EXCERPT_LIMIT, SqliteSearch, excerpt, words_of
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.ports import PageHit, ReadText
from src.modules.visual_rag.domain.viewing import Box, Size

TEXTS = {
    "1": "第一节 致股东\n董事会感谢全体员工和合作伙伴的支持。",
    "2": "第二节 主要财务数据\n营业收入 18.6 亿元。\n期末货币资金 9.4 亿元。",
    "3": "第三节 诉讼\n一次性赔偿金额为 1.27 亿元。Board of ＤＩＲＥＣＴＯＲＳ.",
    "picture": "~ | —\n" * 50 + "a" * 9,
}
"""What is read from a page, by what its file holds."""


class Desk:
    """A folder of pages, an OCR that notes what it was asked for, and searches of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, list[str]()
        for number, content in enumerate(TEXTS, 1):
            (folder / f"{number}.png").write_text(content)

    async def read(self, image_id: str, region: Region) -> ReadText:
        del region
        self.asked.append(image_id)
        content = PageFolder(self.folder).paths[image_id].read_text()
        if content not in TEXTS:
            raise ActionError(content, code=FailureCode.IMAGE)
        return ReadText(image_id, Box(0, 0, 30, 40), TEXTS[content])

    def search(self, *queries: str, most: int = 3, languages: str = "eng") -> list[tuple[PageHit, ...]]:
        index = SqliteSearch(self.folder / "index.sqlite", PageFolder(self.folder), self, languages)
        with closing(index):
            found = asyncio.run(index.search(queries, most))
            return [*found, asyncio.run(index.hardly_any_text())]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_page_is_found_by_its_words_in_both_scripts_and_a_picture_is_told_apart(desk: Desk) -> None:
    queries = ["公司要赔偿多少？", "货币资金", "谢", "DIRECTORS of the board", "１８", "龙", "", "\ud800", "zebra"]
    *found, pictures = desk.search(*queries)
    assert [hits[0].image_id[-1] if hits else "" for hits in found] == ["3", "2", "1", "3", "2", "", "", "", ""]
    assert [page.image_id for page in pictures] == ["image_04"]
    assert found[1] == (PageHit("image_02", "期末货币资金 9.4 亿元。", Size(30, 40)),)
    assert len(desk.search("第一二三节", most=2)[0]) == 2


OPERATORS = ['" OR image_id:"x', "*", " AND NOT 金额", "\0", "'; DROP TABLE texts; --", '": ^{text}: NEAR(a b)']


@pytest.mark.parametrize("query", [*OPERATORS, "".join(map(chr, range(0x4E00, 0x9000))) * 20], ids=range(7))
def test_nothing_in_a_query_is_an_operator(query: str, desk: Desk) -> None:
    assert [hits[0].image_id for hits in desk.search(f"赔偿{query}", "赔偿")[:2]] == ["image_03"] * 2


def test_next_run_reads_only_what_is_new_and_forgets_what_is_gone(desk: Desk) -> None:
    desk.search("x")
    (desk.folder / "3.png").unlink()
    (desk.folder / "5.png").write_text("1")
    found = [[hit.image_id for hit in hits] for hits in desk.search("赔偿", "感谢")[:2]]
    assert (found, len(desk.asked)) == ([[], ["image_01", "image_04"]], 4)
    desk.search("x", languages="chi_sim")
    assert len(desk.asked) == 7


def test_page_or_index_that_cannot_be_used_is_named(desk: Desk) -> None:
    (desk.folder / "2.png").write_text("damaged")
    with pytest.raises(VisualRagConfigurationError, match=r"2.png.*damaged"):
        desk.search("x")
    (desk.folder / "index.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(VisualRagConfigurationError, match=r"index\.sqlite"):
        desk.search("x")


@given(st.text(min_size=1))
def test_words_are_letters_and_digits_and_a_query_looks_for_those_of_a_page(text: str) -> None:
    assert all(map(str.isalnum, words_of(text)))
    assert set(words_of(text, is_query=True)) <= set(words_of(text))


def test_excerpt_begins_with_the_line_that_says_most_and_is_bounded() -> None:
    assert excerpt("a b\nc d\n\n c d e\nf", {"c", "d", "e"}) == "c d e\nf"
    assert (excerpt("\n \n", {"a"}), len(excerpt("x" * 1_000, {"a"}))) == ("", EXCERPT_LIMIT)
