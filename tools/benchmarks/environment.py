"""What the numbers were measured on and with."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path

from tools.benchmarks.jsonrepair_node import NODE_PACKAGE, installed_version
from tools.benchmarks.peers import PEERS, Peer


def version(peer: Peer) -> str | None:
    """Return the installed version of a library; None where it is not installed."""
    if peer.package == NODE_PACKAGE:
        return installed_version()
    if not peer.package:
        return "this source tree"
    try:
        return importlib.metadata.version(peer.package)
    except importlib.metadata.PackageNotFoundError:
        return None


def present() -> tuple[Peer, ...]:
    """Return the libraries that are installed here."""
    return tuple(peer for peer in PEERS if version(peer) is not None)


def machine() -> dict[str, str]:
    """Return processor, system and interpreters, as the report names them."""
    facts = {
        "processor": f"{_processor()}, {os.cpu_count()} logical",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    node = shutil.which("node")
    if node is not None:
        facts["node"] = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - fixed arguments
    return facts


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
