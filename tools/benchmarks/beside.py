"""The same benchmark with another tree's parser and with this one's, one after the other in one run.

python -m tools.benchmarks.beside OTHER MODULE [ARGUMENT ...]

OTHER is a checkout of this repository (`git worktree add ../old COMMIT`), MODULE a benchmark (`tools.benchmarks.rows`),
which is this tree's both times: only `src` is the other's. Exit code is that of the run with this tree's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark twice; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) < 2 or not Path(given[0], "src").is_dir():  # noqa: PLR2004 - a checkout and a module
        print(__doc__)
        return 2
    other, module, *options = given
    code = 0
    for name, tree in (("old", Path(other).resolve()), ("new", ROOT)):
        print(f"{name}: {tree}\n", flush=True)
        code = run(tree, module, options)
        print(flush=True)
    return code


def run(tree: Path, module: str, options: list[str]) -> int:
    """Run a benchmark of this tree with the parser of a tree."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "src").symlink_to(tree / "src")  # the folder a program is run in comes before the path
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", module, *options]
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode  # noqa: S603 - this tree's


if __name__ == "__main__":
    sys.exit(main())
