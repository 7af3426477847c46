"""The local index: Chinese and English, queries that are data, and a file that is read and kept carefully."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.search.excerpts import EXCERPT_LIMIT, excerpt
from examples.visual_rag.search.page_index import LITTLE_TEXT, IndexedPage, PageIndex
from examples.visual_rag.search.sqlite_search import SqliteSearch
from examples.visual_rag.search.terms import query_words, words_of
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ImageError, VisualRagConfigurationError
from src.modules.visual_rag.domain.ports import ReadText
from src.modules.visual_rag.domain.viewing import Box, Size

pytestmark = pytest.mark.anyio

TEXTS = {
    "image_01": "第一节 致股东\n董事会感谢全体员工。",
    "image_02": "第二节 主要财务数据\n营业收入 18.6 亿元。\n期末货币资金 9.4 亿元。",
    "image_03": "第三节 诉讼\n一次性赔偿金额为 1.27 亿元。Board of ＤＩＲＥＣＴＯＲＳ.",
}


class Pages:
    """An OCR that knows its pages, and how often it was asked."""

    def __init__(self, failure: ImageError | None = None) -> None:
        self.asked: list[str] = []
        self.failure = failure

    async def read(self, image_id: str, region: Region) -> ReadText:
        del region
        self.asked.append(image_id)
        if self.failure:
            raise self.failure
        return ReadText(image_id, Box(0, 0, 30, 40), TEXTS[image_id])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in (1, 2, 3):
        (pages / f"page-{number}.png").write_text(f"{number}")
    return pages


@pytest.fixture
def index(tmp_path: Path) -> Iterator[PageIndex]:
    with PageIndex(tmp_path / "run" / "index.sqlite") as index:
        yield index


def search_of(folder: Path, index: PageIndex, ocr: Pages, languages: str = "eng") -> SqliteSearch:
    return SqliteSearch(PageFolder(folder), index, ocr, languages=languages)


async def ids(search: SqliteSearch, query: str, most: int = 3) -> list[str]:
    (hits,) = await search.search([query], most)
    return [hit.image_id for hit in hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("赔偿", "image_03"),
        ("公司要赔偿多少？", "image_03"),
        ("货币资金", "image_02"),
        ("谢", "image_01"),
        ("directors", "image_03"),
        ("DIRECTORS of the board", "image_03"),
        ("１８", "image_02"),
    ],
)
async def test_page_is_found_by_its_words(folder: Path, index: PageIndex, query: str, first: str) -> None:
    assert (await ids(search_of(folder, index, Pages()), query))[0] == first


@pytest.mark.parametrize("query", ["龙", "", "???", "\ud800", "zebra", "。"])
async def test_query_without_a_match_finds_nothing(folder: Path, index: PageIndex, query: str) -> None:
    assert await ids(search_of(folder, index, Pages()), query) == []


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '赔偿" OR image_id:"x',
        "赔偿*",
        "NEAR(赔偿 金额)",
        "赔偿 AND NOT 金额",
        "^赔偿",
        "{text}: 赔偿",
        "赔偿\0",
        "-赔偿",
        "赔偿'; DROP TABLE pages; --",
    ],
)
async def test_nothing_in_a_query_is_an_operator(folder: Path, index: PageIndex, query: str) -> None:
    search = search_of(folder, index, Pages())
    assert await ids(search, query) == (["image_03"] if "赔偿" in query else [])
    assert await ids(search, "赔偿") == ["image_03"]


async def test_endless_query_is_cut(folder: Path, index: PageIndex) -> None:
    assert await ids(search_of(folder, index, Pages()), "赔偿" + "".join(map(chr, range(0x4E00, 0x9000))) * 20)


async def test_hit_has_the_best_lines_and_the_size_of_the_page(folder: Path, index: PageIndex) -> None:
    ((hit,),) = await search_of(folder, index, Pages()).search(["货币资金"], 3)
    assert (hit.text, hit.size) == ("期末货币资金 9.4 亿元。", Size(30, 40))


async def test_no_more_pages_are_found_than_allowed(folder: Path, index: PageIndex) -> None:
    assert len(await ids(search_of(folder, index, Pages()), "第一二三节", 2)) == 2


async def test_batch_gets_an_answer_for_each_query(folder: Path, index: PageIndex) -> None:
    found = await search_of(folder, index, Pages()).search(["赔偿", "龙", "感谢"], 3)
    assert [[hit.image_id for hit in hits] for hits in found] == [["image_03"], [], ["image_01"]]


@pytest.mark.parametrize(
    ("text", "is_picture"),
    [("", True), ("~ | —\n" * 50, True), ("a" * (LITTLE_TEXT - 1), True), ("龙" * LITTLE_TEXT, False)],
    ids=["nothing", "noise", "a few letters", "enough"],
)
async def test_page_with_fewer_letters_than_the_bound_is_a_picture(
    folder: Path, index: PageIndex, monkeypatch: pytest.MonkeyPatch, text: str, *, is_picture: bool
) -> None:
    monkeypatch.setitem(TEXTS, "image_02", text)
    pictures = await search_of(folder, index, Pages()).hardly_any_text()
    assert [page.size for page in pictures if page.image_id == "image_02"] == [Size(30, 40)] * is_picture


# --- making the index ---------------------------------------------------------------------------------------


async def test_pages_are_read_with_the_first_search_and_once(folder: Path, index: PageIndex) -> None:
    ocr, seen = Pages(), list[tuple[int, int]]()
    search = SqliteSearch(PageFolder(folder), index, ocr, languages="eng", progress=lambda *done: seen.append(done))
    await search.search(["赔偿"], 3)
    await search.search(["赔偿"], 3)
    assert (ocr.asked, seen) == (["image_01", "image_02", "image_03"], [(1, 3), (2, 3), (3, 3)])


async def test_next_run_reads_only_what_is_new(folder: Path, index: PageIndex) -> None:
    await search_of(folder, index, Pages()).search(["x"], 3)
    (folder / "page-2.png").write_text("changed")
    ocr = Pages()
    await search_of(folder, index, ocr).search(["x"], 3)
    assert ocr.asked == ["image_02"]


async def test_other_languages_are_another_reading(folder: Path, index: PageIndex) -> None:
    await search_of(folder, index, Pages()).search(["x"], 3)
    ocr = Pages()
    await search_of(folder, index, ocr, languages="chi_sim").search(["x"], 3)
    assert len(ocr.asked) == 3


async def test_page_that_is_gone_is_not_found_any_more(folder: Path, index: PageIndex) -> None:
    await search_of(folder, index, Pages()).search(["x"], 3)
    (folder / "page-3.png").unlink()
    assert await ids(search_of(folder, index, Pages()), "赔偿") == []


async def test_same_page_twice_is_read_once_and_found_twice(folder: Path, index: PageIndex) -> None:
    (folder / "page-2.png").write_text("1")
    ocr = Pages()
    assert await ids(search_of(folder, index, ocr), "感谢") == ["image_01", "image_02"]
    assert len(ocr.asked) == 2


async def test_page_that_cannot_be_read_is_named(folder: Path, index: PageIndex) -> None:
    search = search_of(folder, index, Pages(ImageError("damaged")))
    with pytest.raises(VisualRagConfigurationError, match=r"page-\d.png.*damaged"):
        await search.search(["x"], 3)


async def test_page_that_has_gone_since_is_named(folder: Path, index: PageIndex) -> None:
    search = search_of(folder, index, Pages())
    (folder / "page-2.png").unlink()
    with pytest.raises(VisualRagConfigurationError, match=r"page-2.png"):
        await search.search(["x"], 3)


async def test_index_of_a_run_is_there_for_the_next(folder: Path, tmp_path: Path) -> None:
    for expected in (3, 0):
        ocr = Pages()
        with PageIndex(tmp_path / "index.sqlite") as kept:
            assert await ids(search_of(folder, kept, ocr), "赔偿") == ["image_03"]
        assert len(ocr.asked) == expected


def test_interrupted_change_leaves_the_index_as_it_was(index: PageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    index.keep("d", "赔偿", Size(1, 1))
    index.arrange([IndexedPage("image_01", "d")])

    def interrupted(_: str) -> Iterator[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("examples.visual_rag.search.page_index.words_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index.arrange([IndexedPage("image_02", "d")])
    monkeypatch.undo()
    assert [hit.image_id for hit in index.search("赔偿", 3)] == ["image_01"]


@pytest.mark.parametrize("content", [b"no database at all" * 100, None], ids=["no database", "somebody else's"])
def test_file_that_is_no_index_is_refused_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "index.sqlite"
    if content is None:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE mine (a)")
        other.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(VisualRagConfigurationError, match=r"index\.sqlite"):
        PageIndex(path)
    assert path.read_bytes() == before


def test_folder_of_the_index_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(VisualRagConfigurationError, match="cannot be used"):
        PageIndex(tmp_path / "file" / "index.sqlite")


# --- words and excerpts ---------------------------------------------------------------------------------------


def test_words_of_both_scripts() -> None:
    assert list(words_of("Q3 营业收入，up 7.3% ﾃｽﾄ")) == [
        *("q3", "营", "业", "收", "入", "营业", "业收", "收入", "up", "7", "3", "テ", "ス", "ト", "テス", "スト")
    ]


def test_query_looks_for_pairs_where_there_are_any() -> None:
    assert list(query_words("营业收入 董 Q3")) == ["营业", "业收", "收入", "董", "q3"]


@given(st.text())
def test_words_have_letters_and_digits_only(text: str) -> None:
    assert all(word.isalnum() for word in words_of(text))


@given(st.text(min_size=1))
def test_every_word_that_is_looked_for_is_one_that_is_indexed(text: str) -> None:
    assert set(query_words(text)) <= set(words_of(text))


def test_excerpt_begins_with_the_line_that_says_most() -> None:
    assert excerpt("a b\nc d\n\n c d e\nf", {"c", "d", "e"}) == "c d e\nf"


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_excerpt_of_nothing_is_nothing(text: str) -> None:
    assert excerpt(text, {"a"}) == ""


def test_excerpt_is_cut_to_its_bound() -> None:
    assert len(excerpt("x" * 1_000, {"a"})) == EXCERPT_LIMIT
