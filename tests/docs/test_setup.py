"""What the pages say about setting up names what there is: make's targets, the extras, the folders."""

import re
import tomllib

import pytest

from tests.docs.markdown import ROOT
from tests.docs.pages import PAGES, README, README_ZH, name_in, rows
from tests.docs.run_shell import SHELL, commands

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = set(PROJECT["optional-dependencies"])
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def words_of(name: str, program: str) -> list[list[str]]:
    """The commands of a page that call a program."""
    blocks = [block for block in PAGES[name].blocks if block.info.partition(" ")[0] == SHELL]
    return [words for block in blocks for words in commands(block) if words[0] == program]


@pytest.mark.parametrize("name", PAGES)
def test_targets_a_page_names_exist(name: str) -> None:
    said = "\n".join(PAGES[name].prose)
    targets = {*re.findall(r"`make ([a-z]+)\b", said), *(words[1] for words in words_of(name, "make"))}
    assert targets - TARGETS == set()


@pytest.mark.parametrize("page", [README, README_ZH], ids=["README", "README.zh-CN"])
def test_readme_shows_the_two_commands_that_show_everything(page: object) -> None:
    shown = [words[1] for words in words_of(next(name for name, each in PAGES.items() if each is page), "make")]
    assert {"demo", "test"} <= set(shown)


@pytest.mark.parametrize("name", PAGES)
def test_installation_is_from_the_checkout_with_extras_there_are(name: str) -> None:
    """The project is on no index: its name after `pip install` would fetch nothing, or somebody else's package."""
    for words in words_of(name, "pip"):
        command = re.fullmatch(
            r"pip install \.(?:\[(?P<extras>[\w,-]+)\](?: -r examples/\w+/requirements\.txt)?)?", " ".join(words)
        )
        assert command, words
        assert set(filter(None, (command["extras"] or "").split(","))) <= EXTRAS
    assert f'pip install "{PROJECT["name"]}' not in PAGES[name].path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_examples_that_a_command_reads_exist(name: str) -> None:
    """Also those of a command that is not run, because it needs a provider."""
    read = [word for words in words_of(name, "llm-output") for word in words if word.startswith("examples/")]
    assert [path for path in read if not (ROOT / path).exists()] == []


def test_table_of_extras_has_every_extra() -> None:
    assert {name_in(row[0]) for row in rows(PAGES["docs/how-to/install.md"], "extra")} == EXTRAS


def test_folders_of_the_architecture_exist() -> None:
    (layout,) = [block for block in PAGES["docs/explanation/architecture.md"].blocks if block.info == "text"]
    paths = [line.split()[0] for line in layout.code.splitlines()]
    assert [path for path in paths if not (ROOT / path).exists()] == []


CONTRIBUTING = "\n".join(PAGES[".github/CONTRIBUTING.md"].prose)
_PATH = r"`(?P<path>(?!\.cache|\.venv)\.?\w[\w.-]*(?:/[\w.-]+)+)`"


def test_files_that_the_recipes_name_exist() -> None:
    paths = {found["path"] for found in re.finditer(_PATH, CONTRIBUTING)}
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    assert len(paths) > 10


def test_names_that_the_recipes_send_to_stand_in_their_files() -> None:
    """In "`A` and `B` in `folder/file.py`" they are `A` and `B`."""
    found = [*re.finditer(rf"(?P<names>(?:`\w+`(?:,| or| and|)\s+)+)(?:in|of)\s+{_PATH}", CONTRIBUTING)]
    named = {(name, one["path"]) for one in found for name in re.findall(r"`(\w+)`", one["names"])}
    assert {(name, path) for name, path in named if name not in (ROOT / path).read_text("utf-8")} == set()
    assert len(named) >= 10
