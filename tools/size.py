"""How large the project is: `python -m tools.size`. Of `src`, how many *things* there are: classes, functions, files.

Merging files and writing lines closer together does not make a house smaller; fewer things do.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print a line for each part."""
    for part in ("src", "examples", "tests"):
        texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / part).rglob("*.py"))]
        lines = sum(text.count("\n") for text in texts)
        if part != "src":
            print(f"{part}: {lines:,} lines in {len(texts):,} files")
            continue
        nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
        classes = sum(isinstance(node, ast.ClassDef) for node in nodes)
        functions = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes)
        things = len(texts) + classes + functions
        what = f"{things:,} things ({classes:,} classes, {functions:,} functions)"
        print(f"src: {lines:,} lines in {len(texts):,} files, {what}")


if __name__ == "__main__":
    main()
