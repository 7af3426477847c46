"""Run a page's Python and shell blocks in the page's order, and compare what they print with what the page says.

`python -m tests.docs.run_page PAGE`, in a folder the page may write to. All Python blocks share one namespace; what a
line of shell may be is said in `run_shell.py`. Three things are checked:

- `expression  # => text`: the expression's `repr` is the text, which may continue in further comment lines.
- a `text output` block is what the block before it prints.
- a block with `title="path"` is a file: it is written there, for later blocks to use.
"""

import ast
import contextlib
import importlib
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs.markdown import Block, Page, read_page
from tests.docs.run_shell import SHELL, run_shell

PYTHON = "python"
OUTPUT = "text output"
NO_RUN = re.compile(rf'(?:{PYTHON}|{SHELL}) no-run "(?P<reason>[^"]+)"')
TITLE = re.compile(r'\w+ title="(?P<path>[\w./-]+)"')
_IN_A_CHECKOUT = re.compile(r"^(?:In a checkout|在检出目录)", re.MULTILINE)
_CLAIM = "# =>"
_CLAIM_GOES_ON = "#    "


def is_run_in_checkout(page: Page) -> bool:
    """Whether a page says before its first block that it is one for a checkout."""
    return bool(page.blocks and _IN_A_CHECKOUT.search(page.blocks[0].above))


def run_page(page: Page) -> None:
    """Run what a reader of the page would run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block, following in zip(page.blocks, (*page.blocks[1:], None), strict=True):
        title = TITLE.fullmatch(block.info)
        if title:
            _write(Path(title["path"]), block.code)
        if block.info not in {PYTHON, SHELL}:
            continue
        printed = run_shell(block, page.path) if block.info == SHELL else _printed(block, page.path, namespace)
        if following and following.info == OUTPUT:
            assert printed == following.code, f"{page.path}:{block.line} prints\n{printed}"


def _write(path: Path, code: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    importlib.invalidate_caches()


def _printed(block: Block, path: Path, namespace: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        _run(block, path, namespace)
    return printed.getvalue()


def _run(block: Block, path: Path, namespace: dict[str, Any]) -> None:
    tree = ast.parse(block.code)
    claims = dict(_claims(block.code))
    for statement in tree.body:
        claim = claims.pop(statement.end_lineno or 0, None)
        ast.increment_lineno(statement, block.line - 1)
        if claim is None:
            exec(compile(ast.Module([statement], []), path, "exec"), namespace)  # noqa: S102 - the page's own code
            continue
        assert isinstance(statement, ast.Expr), f"{path}:{statement.lineno} '{_CLAIM}' is not after an expression"
        value = eval(compile(ast.Expression(statement.value), path, "eval"), namespace)  # noqa: S307 - as above
        assert _one_line(repr(value)) == claim, f"{path}:{statement.lineno} gives {value!r}"
    assert not claims, f"{path}:{block.line} '{_CLAIM}' inside a statement is never checked"


def _claims(code: str) -> Iterator[tuple[int, str]]:
    """Give each `# =>` as the line of code it belongs to and its text."""
    code_line = 0
    lines: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT and token.string.startswith(_CLAIM):
            lines = [token.string.removeprefix(_CLAIM)]
        elif token.type == tokenize.COMMENT and token.string.startswith(_CLAIM_GOES_ON) and lines:
            lines.append(token.string.removeprefix("#"))
        elif token.type not in {tokenize.NL, tokenize.NEWLINE}:
            if lines:
                yield code_line, _one_line(" ".join(lines))
                lines = []
            code_line = token.end[0]


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    run_page(read_page(Path(sys.argv[1])))
