"""Both READMEs say the same in two languages, stay short, and what they show is so."""

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from src.shared.domain.language import Language
from tests.docs.markdown import Block, Page
from tests.docs.pages import README, README_ZH
from tests.docs.run_page import PYTHON
from tests.docs.run_shell import SHELL
from tools.benchmarks import ugly

MOST_LINES = 150
CHINESE = re.compile(r"[\u4e00-\u9fff]")

each_readme = pytest.mark.parametrize("page", [README, README_ZH], ids=["README", "README.zh-CN"])


def split(block: Block) -> tuple[str, list[str]]:
    """The code of a block without its comments, and the comments that are words for the reader."""
    if block.info == PYTHON:
        tokens = list(tokenize.generate_tokens(io.StringIO(block.code).readline))
        found = [token.string for token in tokens if token.type == tokenize.COMMENT and "# =>" not in token.string]
    elif block.info == SHELL:
        found = re.findall(r"(?<=\s)# .+", block.code)
    else:
        found = []
    code = block.code
    for comment in found:
        code = code.replace(comment, "#", 1)
    return code, found


def comments(page: Page) -> Iterator[str]:
    for block in page.blocks:
        yield from split(block)[1]


@each_readme
def test_readme_can_be_read_in_five_minutes(page: Page) -> None:
    assert len(page.path.read_text(encoding="utf-8").splitlines()) < MOST_LINES


def test_both_readmes_have_the_same_sections() -> None:
    assert [level for level, _ in README_ZH.headings()] == [level for level, _ in README.headings()]


def test_both_readmes_have_the_same_code_and_output() -> None:
    assert [(b.info, split(b)[0]) for b in README_ZH.blocks] == [(b.info, split(b)[0]) for b in README.blocks]


def test_comments_in_the_code_are_in_the_language_of_the_readme() -> None:
    assert list(comments(README))
    assert [comment for comment in comments(README) if CHINESE.search(comment)] == []
    assert [comment for comment in comments(README_ZH) if not CHINESE.search(comment)] == []


def test_both_readmes_link_to_the_same_pages() -> None:
    def targets(page: Page) -> list[str]:
        return sorted({link for link in page.links() if not link.startswith("README")})

    assert targets(README_ZH) == targets(README)


@pytest.mark.parametrize(("page", "language"), [(README, Language.EN), (README_ZH, Language.ZH)], ids=["en", "zh"])
def test_what_a_readme_says_of_this_parser_and_the_five_texts_is_so(page: Page, language: Language) -> None:
    """What it says of the other libraries, which are not installed here, `python -m tools.benchmarks.ugly` writes."""
    written = [line.split(" | ")[-1] for line in ugly.table({}, language).splitlines()]
    assert [line.split(" | ")[-1] for line in page.prose if line.startswith("| ")] == written


def test_both_readmes_say_the_same_of_the_other_libraries() -> None:
    def peers(page: Page) -> list[list[str]]:
        cells = [line.split(" | ")[1:-1] for line in page.prose if line.startswith("| ")]
        return [[cell for cell in row if "`" in cell] for row in cells]

    assert peers(README_ZH) == peers(README)
    assert len(peers(README)) == len(ugly.texts()) + 2
