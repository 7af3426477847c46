"""`tools.dist --hosts`: the wheel on each Python, with each extra, in a project with a package `src`; and each page.

`python -m tests.packaging.hosts WHEEL FOLDER [PYTHON ...] -- INSTALL ...`, where INSTALL is uv's command. Without a
Python, each that is found here. An environment is made for each extra alone, for all that go together, and for what
each page says that it needs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.docs.markdown import Page
from tests.docs.page_process import program
from tests.docs.pages import PAGES
from tests.docs.run_page import PYTHON, is_run_in_checkout
from tests.docs.run_shell import SHELL, commands
from tests.packaging.host import check
from tests.packaging.wheels import LIMIT, ROOT, run

EXTRAS = frozenset(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
ALONE = "instructor"
"""It does not allow the jiter that openai wants."""
OLDEST = (3, 11)
GENERATED = "docs/reference/cli.md"
_OURS = re.compile(r'pip install "?\.\[(?P<extras>[\w,-]+)\]')
_OTHERS = re.compile(r"pip install (?P<names>[a-z][\w-]*(?: [a-z][\w-]*)*)")
_VERSION = "import sys; print(*sys.version_info[:3], sys.base_prefix)"


class Needs(NamedTuple):
    """What is installed beside the wheel: extras, and packages that are none of ours."""

    extras: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """As it is shown."""
        return ", ".join(sorted((*self.extras, *self.others))) or "no extra"


def needs_of(page: Page) -> Needs:
    """What a page says that it needs; a page with commands of ours needs the command line."""
    text = "\n".join([*page.prose, *(block.code for block in page.blocks)])
    extras = {extra for found in _OURS.finditer(text) for extra in found["extras"].split(",")}
    others = {name for found in _OTHERS.finditer(text) for name in found["names"].split()}
    blocks = [block for block in page.blocks if block.info == SHELL]
    if any(words[0] == "llm-output" for block in blocks for words in commands(block)):
        extras.add("cli")
    return Needs(frozenset(extras), frozenset(others))


def pages() -> dict[str, Needs]:
    """The pages that run in an empty folder, and what each needs."""
    return {
        name: needs_of(page)
        for name, page in PAGES.items()
        if name != GENERATED
        and not is_run_in_checkout(page)
        and any(block.info in {PYTHON, SHELL} for block in page.blocks)
    }


def pythons() -> Iterator[str]:
    """A Python of each installation that is new enough."""
    found = set()
    for path in (
        *(name for minor in range(11, 20) if (name := shutil.which(f"python3.{minor}"))),
        *map(str, sorted(Path("/usr/bin").glob("python3.[0-9]*"))),
        *map(str, sorted(Path.home().glob(".pyenv/versions/*/bin/python"))),
    ):
        ended = subprocess.run([path, "-c", _VERSION], capture_output=True, text=True, check=False, timeout=LIMIT)  # noqa: S603 - found here
        major, minor, *rest = ended.stdout.split() if ended.returncode == 0 else ("0", "0")
        if (int(major), int(minor)) >= OLDEST and (minor, *rest) not in found:
            found.add((minor, *rest))
            yield path


def try_out(python: str, wheel: Path, folder: Path, needs: Needs, install: list[str]) -> Iterator[str]:
    """What goes wrong in an environment with the wheel and what else is needed, if anything does."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(python, "-m", "venv", "--without-pip", "environment", folder=folder)
    own = str(folder.resolve() / "environment/bin/python")
    wanted = f"{wheel.resolve()}[{','.join(sorted(needs.extras))}]"
    subprocess.run([*install, "--python", own, wanted, *needs.others], check=True, cwd=ROOT, timeout=LIMIT)  # noqa: S603 - uv
    for is_package in (True, False):
        try:
            check(own, folder / f"host-{is_package}", needs.extras, is_package=is_package)
        except AssertionError as error:
            yield f"a host {'with' if is_package else 'without'} src/__init__.py: {_last_line(error)}"
    for name in [name for name, needed in pages().items() if needed == needs]:
        empty = folder / name.replace("/", "-")
        empty.mkdir()
        try:
            run(own, "-c", program(ROOT / name), folder=empty)
        except AssertionError as error:
            yield f"{name}: {_last_line(error)}"


def _last_line(error: AssertionError) -> str:
    return str(error).strip().splitlines()[-1]


def main(arguments: list[str]) -> int:
    """Try everything, and say what was tried."""
    split = arguments.index("--")
    (wheel, folder, *named), install = arguments[:split], arguments[split + 1 :]
    alone = [Needs(frozenset(), frozenset()), *(Needs(frozenset({extra})) for extra in sorted(EXTRAS))]
    together = Needs(EXTRAS - {ALONE})
    wanted = dict.fromkeys([*alone, together, *pages().values()])
    failed = 0
    for number, python in enumerate(named or pythons()):
        for each, needs in enumerate(wanted):
            problems = list(try_out(python, Path(wheel), Path(folder, f"{number}-{each}"), needs, install))
            failed += bool(problems)
            count = sum(needed == needs for needed in pages().values())
            print(f"{python}: {needs}, {count} pages:", "; ".join(problems) or "ok", flush=True)  # noqa: T201 - a command prints
            shutil.rmtree(Path(folder, f"{number}-{each}"))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
