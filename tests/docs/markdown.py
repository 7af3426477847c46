"""As much of Markdown as the documentation uses: fenced blocks, headings, tables, links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_HEADING = re.compile(r"(?P<level>#{1,6}) (?P<text>.+)")
_INLINE_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_SYMBOLS = str.maketrans({"␊": "\n", "␉": "\t", "⍽": "\u00a0"})


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        info: what stands after the opening fence.
        code: the content.
        line: line of the page on which the content starts, from 1.
        above: the text of the page before the block, trimmed.
    """

    info: str
    code: str
    line: int
    above: str


@dataclass(frozen=True)
class Page:
    """A page, split into its fenced blocks and the prose around them."""

    path: Path
    blocks: tuple[Block, ...]
    prose: tuple[str, ...]

    def headings(self) -> list[tuple[int, str]]:
        """Level and text of each heading."""
        found = filter(None, map(_HEADING.fullmatch, self.prose))
        return [(len(heading["level"]), heading["text"]) for heading in found]

    def anchors(self) -> set[str]:
        """Names a link can point at: each heading in lower case, spaces as hyphens, punctuation dropped."""
        return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for _, text in self.headings()}

    def links(self) -> list[str]:
        """Targets of the links outside code."""
        return [link["target"] for line in self.prose for link in _LINK.finditer(_INLINE_CODE.sub("", line))]

    def table(self, first: str) -> list[list[str]]:
        """Rows of the tables whose first column has this heading; inline code stays in its backticks."""
        rows: list[list[str]] = []
        inside = False
        for line in self.prose:
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
            if inside and cells and set(cells[0]) != {"-"}:
                rows.append(cells)
            inside = bool(cells) and (inside or cells[0] == first)
        return rows


def read_page(path: Path) -> Page:
    """Read a page of the repository."""
    blocks: list[Block] = []
    prose: list[str] = []
    content: list[str] = []
    opening: re.Match[str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.fullmatch(line)
        if opening is None:
            if fence:
                opening, content = fence, []
            else:
                prose.append(line)
        elif fence and fence["mark"].startswith(opening["mark"]) and not fence["info"].strip():
            above = "\n".join(prose).rstrip()
            code = "".join(f"{each}\n" for each in content)
            blocks.append(Block(opening["info"].strip(), code, number - len(content), above))
            opening = None
        else:
            content.append(line)
    assert opening is None, f"{path}: a fenced block is never closed"
    return Page(path, tuple(blocks), tuple(prose))


def code_in(cell: str) -> list[str]:
    """The inline code of a table's cell, with ␊ ␉ ⍽ turned into what they stand for."""
    return [code["code"].strip().translate(_SYMBOLS) for code in _INLINE_CODE.finditer(cell)]
