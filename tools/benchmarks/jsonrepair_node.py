"""The npm package jsonrepair, in a node process that is kept open."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tools.benchmarks.verdict import Refused

NODE_PACKAGE = "npm:jsonrepair"

_ROOT = Path(__file__).parents[2]
_INSTALLED = _ROOT / ".cache" / "npm"


def installed_version() -> str | None:
    """Return the version installed under the cache; None without node or the package."""
    manifest = _INSTALLED / "node_modules" / "jsonrepair" / "package.json"
    if shutil.which("node") is None or not manifest.is_file():
        return None
    version: str = json.loads(manifest.read_text("utf-8"))["version"]
    return version


class NodeReader:
    """Asks node over a pipe; the time is node's own."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            message = "node is not installed"
            raise ImportError(message)
        script = Path(__file__).with_name("npm") / "serve.cjs"
        self._process = subprocess.Popen(  # noqa: S603 - our own script
            [node, str(script), str(_INSTALLED)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def once(self, text: str, *, typed: bool, number: int = 1) -> tuple[float, Any]:  # noqa: ARG002 - it takes no type
        """See `peers.Reader`."""
        assert self._process.stdin is not None  # noqa: S101 - asked for above
        assert self._process.stdout is not None  # noqa: S101 - asked for above
        self._process.stdin.write(json.dumps({"text": text, "number": number}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            return answer["seconds"], Refused(answer["error"][:200])
        return answer["seconds"], answer["value"]
