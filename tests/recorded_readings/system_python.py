"""Whether the system's own Python is one to read the recorded texts with: Debian 12's reads expressions otherwise.

`python -m tests.recorded_readings.system_python PATH` prints why it is not; nothing where it is.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_LEAST = (3, 11)
_VERSION = "import sys; print(*sys.version_info[:3])"


def why_not(system: Path, ours: Path) -> str:
    """Why there is nothing to be tried with the one beside the other; empty where there is."""
    if not system.exists():
        return f"there is no {system} (Debian: apt install python3): the recorded texts are not read with it"
    if system.resolve() == ours.resolve():
        return f"{system} runs all the tests: the recorded texts are not read with it once more"
    version = subprocess.check_output([system, "-c", _VERSION], text=True).split()  # noqa: S603 - an interpreter
    if tuple(map(int, version)) < _LEAST:
        return f"{system} is Python {'.'.join(version)}, which is too old: the recorded texts are not read with it"
    return ""


if __name__ == "__main__":
    print(why_not(Path(sys.argv[1]), Path(sys._base_executable)))  # type: ignore[attr-defined]  # noqa: SLF001, T201
