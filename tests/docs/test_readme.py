"""Both READMEs say the same in two languages, stay short, and what they show is so."""

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.docs.markdown import Block, Page
from tests.docs.pages import PAGES, README, README_ZH, rows
from tests.docs.run_page import OUTPUT, PYTHON
from tests.docs.run_shell import SHELL

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


@pytest.mark.parametrize(("page", "first"), [(README, "input"), (README_ZH, "输入")], ids=["README", "README.zh-CN"])
def test_comparison_in_a_readme_is_the_output_of_its_page(page: Page, first: str) -> None:
    (output,) = [block for block in PAGES["docs/explanation/comparison.md"].blocks if block.info == OUTPUT]
    printed = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.code.splitlines()]
    assert rows(page, first) == printed
