"""The parser's files under another import root: which they are, and their texts.

Imports the standard library only: the wheel is built with this, where nothing else is installed.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable

ROOT = __name__.partition(".")[0]
"""The import root that is replaced: `src` in a checkout, `llm_output` where it is installed."""
FACE = "llm_output"
"""The package whose one module imports every public name of the parser; what these need is what is copied."""
_INIT = "__init__.py"
_CATALOGUE = "shared/domain/locale/zh.toml"
"""The Chinese of all messages; a copy has that of its own, and the comments."""


def parser_files(src: Traversable, face: Traversable, package: str) -> dict[str, str]:
    """Every file that the public names need, with imports of our root turned into imports of `package`.

    Args:
        src: the folder of the import root.
        face: the folder of the package `llm_output`, whose module stands at the top of the new package.
        package: the new import root, such as `shop.llm_output`.

    Returns:
        The texts by their paths within `package`, with slashes.
    """
    texts = {_INIT: (face / _INIT).read_text(encoding="utf-8")}
    waiting = list(_modules(texts[_INIT]))
    while waiting:
        module = waiting.pop()
        for path in ("/".join((*module, _INIT)), "/".join(module) + ".py"):
            if path not in texts and src.joinpath(path).is_file():
                texts[path] = src.joinpath(path).read_text(encoding="utf-8")
                waiting += _modules(texts[path])
    nodes = (node for text in texts.values() for node in ast.walk(ast.parse(text)))
    constants = {node.value for node in nodes if isinstance(node, ast.Constant)}
    entries = src.joinpath(_CATALOGUE).read_text(encoding="utf-8").splitlines(keepends=True)
    catalogue = "".join(line for line in entries if tomllib.loads(line).keys() <= constants)
    copied = {path: rewritten_for(package, text) for path, text in sorted(texts.items())}
    return copied | {_CATALOGUE: catalogue, "py.typed": ""}


def rewritten_for(package: str, text: str) -> str:
    """A module's text, with imports of our root turned into imports of the package."""
    lines = text.split("\n")
    for node, _ in _our_imports(text):
        lines[node.lineno - 1] = re.sub(rf"\bfrom {ROOT}\b", f"from {package}", lines[node.lineno - 1], count=1)
    return "\n".join(lines)


def _modules(text: str) -> Iterator[list[str]]:
    """What a module imports from our root: packages, modules, and names that may be modules or not."""
    for node, parts in _our_imports(text):
        yield from (parts[:length] for length in range(1, len(parts) + 1))
        yield from ([*parts, alias.name] for alias in node.names)


def _our_imports(text: str) -> Iterator[tuple[ast.ImportFrom, list[str]]]:
    """The statements that import from our root, with the parts of the module's name after it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == ROOT:
            yield node, node.module.split(".")[1:]
