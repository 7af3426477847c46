"""The pages of the documentation, and how a test looks into their tables."""

from tests.docs.markdown import ROOT, Page, code_in, read_page

PAGES = {
    str(path.relative_to(ROOT)): read_page(path)
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md")])
}
EVERY_PAGE = PAGES | {
    str(path.relative_to(ROOT)): read_page(path)
    for folder in ROOT.iterdir()
    if folder.is_dir()
    and (not folder.name.startswith(".") or folder.name == ".github")
    and folder.name not in {"build", "dist"}
    for path in sorted(folder.rglob("*.md"))
}
"""Those that stand beside code as well."""
README, README_ZH = PAGES["README.md"], PAGES["README.zh-CN.md"]


def rows(page: Page, first: str) -> list[list[str]]:
    """The rows of a table that must not be empty."""
    found = page.table(first)
    assert found, f"{page.path} has no table whose first column is {first!r}"
    return found


def name_in(cell: str) -> str:
    """The one piece of code that a cell holds."""
    (name,) = code_in(cell)
    return name
