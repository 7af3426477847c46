"""Pin every requirement with its hashes, for every Python from 3.11 on: `python -m tools.lock`.

There is no `uv.lock`: it names the address of each file, and cannot be installed from behind another index.
"""

from __future__ import annotations

import argparse
import subprocess
from typing import NamedTuple

from tools.environment import REQUIREMENTS, ROOT, install_command

WITH_EACH_OTHER = (
    *("bulk", "cli", "fastapi", "json-schema", "langchain", "llama-index", "llm", "openai", "otel", "postgres"),
    *("providers", "pydantic-ai", "ray", "serve", "visual-rag"),
)
"""All extras but `instructor`, which does not allow the jiter that openai wants."""


class Lock(NamedTuple):
    """What a file pins: extras and groups of `pyproject.toml`, and mostly the project's own requirements."""

    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    has_project: bool = True


LOCKS = {
    "core": Lock(),
    "cli": Lock(("cli", "llm"), ("build",)),
    "dev": Lock(WITH_EACH_OTHER, ("dev",)),
    "instructor": Lock(("instructor",), ("instructor",)),
    "fuzz": Lock(groups=("fuzz",)),
    "bench": Lock(groups=("bench",)),
    "calls": Lock(("llm",), ("calls",)),
    "serve": Lock(("serve", "postgres"), ("build",)),
    "audit": Lock(groups=("audit",)),
    "uv": Lock(groups=("install",), has_project=False),
}
OPTIONS = (
    # Extras are pinned too: pip takes `a[b]>=1` for another package than `a==1`, and refuses the newest that it finds.
    *("--quiet", "--no-strip-extras", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate"),
    *("--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command", "python -m tools.lock"),
)


def main() -> None:
    """Write each file anew, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tools.lock", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *LOCKS], default=[], help="of a file; by default all of them")
    names = parser.parse_args().name or LOCKS
    uv = install_command()[0]
    for name in names:
        lock = LOCKS[name]
        asked = [option for extra in lock.extras for option in ("--extra", extra)]
        asked += [option for group in lock.groups for option in ("--group", group)]
        source = ["pyproject.toml"] if lock.has_project else []
        command = [uv, "pip", "compile", *OPTIONS, *source, *asked, "--output-file", str(REQUIREMENTS / f"{name}.txt")]
        subprocess.run(command, check=True, cwd=ROOT)  # noqa: S603 - our own tools


if __name__ == "__main__":
    main()
