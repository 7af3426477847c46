"""The list of benchmarks: `python -m tools.benchmarks`. Each is a command, `python -m tools.benchmarks.NAME`."""

import ast
from pathlib import Path


def main() -> None:
    """Print each with the first line of what it says of itself."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "__main__" in text and not path.stem.startswith("__"):
            told = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
            print(f"{path.stem:20} {told}")


if __name__ == "__main__":
    main()
