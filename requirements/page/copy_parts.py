"""Copies what the page runs out of npm's packages into the package: `python copy_parts.py FROM TO`.

Beside the files it writes `LICENSES.txt`, with the licence of each package whose code is in them, and `SHA256SUMS`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

FILES = (
    "htmx.org/dist/htmx.min.js",
    "vega-interpreter/build/vega-interpreter.js",
    "vega-lite/build/vega-lite.min.js",
    "vega/build/vega.min.js",
)
NOT_IN_THEM = frozenset({"commander", "iconv-lite", "safer-buffer", "yargs"})
"""Packages of command lines that vega's packages have beside what a browser runs."""

_IMPORT = re.compile(rb"^import (\{[^}]*\}) from 'vega-util';$", re.MULTILINE)
_EXPORT = re.compile(rb"^export \{ expression as expressionInterpreter \};$", re.MULTILINE)
_OTHER = re.compile(rb"^(?:import|export)\b", re.MULTILINE)


def packages(modules: Path, names: list[str]) -> dict[str, str]:
    """The licence of each of these packages and of those it needs, by name and version."""
    found: dict[str, str] = {}
    waiting, seen = [*names], set(NOT_IN_THEM)
    while waiting:
        name = waiting.pop()
        folder = modules / name
        if name in seen or name.startswith("@types/") or not folder.is_dir():
            continue
        seen.add(name)
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = [path for path in sorted(folder.iterdir()) if path.name.lower().startswith(("licen", "copying"))]
        said = texts[0].read_text(encoding="utf-8").strip() if texts else "no text in the package"
        found[f"{name} {about['version']} ({about['license']})"] = said
        waiting += about.get("dependencies", {})
    return dict(sorted(found.items()))


def as_script(module: bytes) -> bytes:
    """The interpreter as a script beside vega's: its package has it as a module alone, with one import and one export.

    Raises:
        ValueError: it has others.
    """
    code, imports = _IMPORT.subn(rb"const \1 = window.vega;", module)
    code, exports = _EXPORT.subn(rb"window.vegaInterpreter = { expressionInterpreter: expression };", code)
    if (imports, exports) != (1, 1) or _OTHER.search(code):
        message = "vega-interpreter has another form now"
        raise ValueError(message)
    return b"(() => {\n" + code + b"})();\n"


def main(source: Path, target: Path) -> None:
    """Copy them."""
    modules = source / "node_modules"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file in FILES:
        lines = (modules / file).read_bytes().rstrip().split(b"\n")
        code = b"\n".join(line for line in lines if not line.startswith(b"//# sourceMappingURL=")) + b"\n"
        (target / Path(file).name).write_bytes(as_script(code) if b"\nexport {" in code else code)
    licences = packages(modules, [file.partition("/")[0] for file in FILES])
    rule = "=" * 80
    shown = (f"{rule}\n{name}\n{rule}\n{text}\n" for name, text in licences.items())
    (target / "LICENSES.txt").write_text("\n".join(shown), encoding="utf-8")
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(target.iterdir()))
    (target / "SHA256SUMS").write_text("".join([*sums]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
