"""Both READMEs say the same, and what they show is so."""

import importlib
import re

import pytest

from tests.docs.markdown import ROOT, Page
from tests.docs.pages import PAGES, README, README_ZH, name_in, rows
from tests.docs.run_page import OUTPUT


def test_both_readmes_have_the_same_sections() -> None:
    assert [level for level, _ in README_ZH.headings()] == [level for level, _ in README.headings()]


def test_both_readmes_have_the_same_code() -> None:
    assert [(b.info, b.code) for b in README_ZH.blocks] == [(b.info, b.code) for b in README.blocks]


def test_both_readmes_link_to_the_same_pages() -> None:
    def targets(page: Page) -> list[str]:
        return sorted({link for link in page.links() if not link.startswith("README")})

    assert targets(README_ZH) == targets(README)


@pytest.mark.parametrize(("page", "first"), [(README, "input"), (README_ZH, "输入")], ids=["README", "README.zh-CN"])
def test_comparison_in_a_readme_is_the_output_of_its_page(page: Page, first: str) -> None:
    (output,) = [block for block in PAGES["docs/explanation/comparison.md"].blocks if block.info == OUTPUT]
    printed = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.code.splitlines()]
    assert rows(page, first) == printed


@pytest.mark.parametrize(
    ("page", "first"), [(README, "context"), (README_ZH, "上下文")], ids=["README", "README.zh-CN"]
)
def test_agents_in_a_readme_are_those_there_are(page: Page, first: str) -> None:
    parsers = {}
    for path in ROOT.glob("src/modules/*/infrastructure/agents/*/output_parser.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = importlib.import_module(".".join(parts))
        functions = {name for name in vars(module) if name.startswith("parse_")}
        parsers[parts[2], parts[5]] = (module.OUTPUT.label, functions)
    described = {
        (context, name_in(agent)): (label, {name_in(function)}) for context, agent, label, function in rows(page, first)
    }
    assert described == parsers


@pytest.mark.parametrize("page", [README, README_ZH], ids=["README", "README.zh-CN"])
def test_make_targets_in_a_readme_exist(page: Page) -> None:
    text = "\n".join([*page.prose, *(block.code for block in page.blocks)])
    targets = set(re.findall(r"(?:^|`)make ([a-z]+)\b", text, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
