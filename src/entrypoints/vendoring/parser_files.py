"""The files of the parser, found by their imports, under another import root.

Imports the standard library only: the wheel that holds the parser alone is built with this, where nothing else is
installed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources.abc import Traversable

ROOT = "src"
"""The import root that is replaced."""
FACE = "llm_output"
"""The package whose one module imports every public name of the parser; what these need is what is copied."""
_INIT = "__init__.py"


def parser_files(src: Traversable, face: Traversable, package: str) -> dict[str, str]:
    """Every file that the public names need, with imports of `src` turned into imports of `package`.

    Args:
        src: the folder of the package `src`.
        face: the folder of the package `llm_output`, whose module stands at the top of the new package.
        package: the new import root, such as `shop.llm_output`.

    Returns:
        The texts by their paths within `package`, with slashes.
    """
    texts = {_INIT: (face / _INIT).read_text(encoding="utf-8")}
    waiting = list(_modules(texts[_INIT]))
    while waiting:
        path = _path_of(waiting.pop(), src)
        if path is not None and path not in texts:
            texts[path] = src.joinpath(*path.split("/")).read_text(encoding="utf-8")
            waiting += _modules(texts[path])
    rewritten = {path: _rewritten(text, package) for path, text in sorted(texts.items())}
    return rewritten | {"py.typed": ""}


def requirements_of(files: Mapping[str, str], requirements: Iterable[str]) -> list[str]:
    """Those of the requirements (`pydantic>=2.10`) whose package one of the files imports."""
    imported = {name for path, text in files.items() if path.endswith(".py") for name in _packages(text)}
    return [requirement for requirement in requirements if _import_name(requirement) in imported]


def _import_name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].replace("-", "_").lower()


def _packages(text: str) -> Iterator[str]:
    """The packages that a module imports and that Python does not come with."""
    for node in ast.walk(_tree(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names


@cache
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _our_imports(text: str) -> Iterator[tuple[ast.ImportFrom, list[str]]]:
    """The statements that import from `src`, with the parts of the module's name after it."""
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            first, *parts = node.module.split(".")
            if first == ROOT:
                yield node, parts


def _modules(text: str) -> Iterator[tuple[str, ...]]:
    """What a module imports from `src`: packages, modules, and names that may be modules or not."""
    for node, parts in _our_imports(text):
        yield from (tuple(parts[: length + 1]) for length in range(len(parts)))
        yield from ((*parts, alias.name) for alias in node.names)


def _path_of(module: tuple[str, ...], src: Traversable) -> str | None:
    """The file of a module, by its path within `src`; None for a name that is none."""
    candidates = ((*module, _INIT), (*module[:-1], f"{module[-1]}.py"))
    return next(("/".join(parts) for parts in candidates if src.joinpath(*parts).is_file()), None)


def _rewritten(text: str, package: str) -> str:
    lines = text.split("\n")
    for node, _ in _our_imports(text):
        lines[node.lineno - 1] = re.sub(rf"\bfrom {ROOT}\b", f"from {package}", lines[node.lineno - 1], count=1)
    return "\n".join(lines)
