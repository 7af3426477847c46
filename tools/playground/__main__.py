"""Puts the playground's folder together: `python -m tools.playground FOLDER`, which anything can serve."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ROOT / ".cache/playground"
"""What comes from elsewhere: `python3 -m tools.environment playground` fetches it."""
PYTHON = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""The files of the npm package that a page needs."""
_KILOBYTE = 1000


def build(folder: Path) -> None:
    """Write the folder anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "page", folder)
    shutil.copy(Path(__file__).with_name("reading.py"), folder)
    texts = (ROOT / "src/entrypoints/http/page/ugly_texts.json").read_text(encoding="utf-8")
    (folder / "ugly_texts.js").write_text(f"export const UGLY_TEXTS = {texts.rstrip()};\n", encoding="utf-8")
    (folder / "python").mkdir()
    for name in PYTHON:
        shutil.copy(PARTS / "node_modules/pyodide" / name, folder / "python")
    wheels = folder / "wheels"
    shutil.copytree(PARTS / "wheels", wheels)
    subprocess.run(  # noqa: S603 - our own build
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheels.resolve())],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = sorted(path.name for path in wheels.glob("*.whl"))
    (folder / "wheels.json").write_text(json.dumps(names), encoding="utf-8")


def sizes(folder: Path) -> tuple[int, int, int]:
    """How many files there are, their bytes, and their bytes as a server sends them, compressed by gzip."""
    files = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    return len(files), sum(map(len, files)), sum(min(len(data), len(gzip.compress(data))) for data in files)


def main() -> None:
    """Build the folder that the command line names, and say how large it is."""
    folder = Path(sys.argv[1])
    build(folder)
    count, plain, compressed = sizes(folder)
    sys.stdout.write(
        f"{folder}: {count} files, {plain / _KILOBYTE**2:.1f} MB, {compressed / _KILOBYTE**2:.1f} MB compressed\n"
        f"Try it: python3 -m http.server --bind 127.0.0.1 --directory {folder} 8000, then http://127.0.0.1:8000/\n"
    )


if __name__ == "__main__":
    main()
