"""The documentation says what is so: its code runs, its links lead somewhere, its pages keep their form."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, Page, read_page
from tests.docs.page_process import context, program, run_in
from tests.docs.pages import EVERY_PAGE, PAGES
from tests.docs.run_page import NO_RUN, OUTPUT, PYTHON, TITLE, is_run_in_checkout
from tests.docs.run_shell import SHELL
from tests.installed import INSTRUCTOR_PYTHON, missing_instructor
from tests.packaging.wheels import build, environment, run
from tests.processes import LIMIT

each_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
SETTINGS = ("LLM_", "COLUMNS", "FORCE_COLOR")
"""What may be set where the tests run and would change what a page prints."""
GENERATED = "docs/reference/cli.md"
"""Its examples name files of the reader's own; the tests of the command line check them."""
OF_THE_REPOSITORY = {"docs/how-to/add-an-agent.md"}
"""A page that changes files of this repository: `test_add_an_agent.py` follows it in a copy."""
RUN = [
    name
    for name, page in PAGES.items()
    if name not in {GENERATED, *OF_THE_REPOSITORY} and any(block.info in {PYTHON, SHELL} for block in page.blocks)
]

INSTRUCTOR = "docs/how-to/use-with-instructor.md"
"""Runs with the packages of instructor's own environment."""

# --- code -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    """The Python of an environment with the wheel and without this checkout, and its path of imports."""
    folder = tmp_path_factory.mktemp("installed")
    python = environment(wheel, folder / "environment")
    return python, json.loads(run(python, "-c", "import json, sys; print(json.dumps(sys.path[1:]))", folder=folder))


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of what a checkout holds that pages use, which a page may even spoil."""
    folder = tmp_path_factory.mktemp("parts")
    for part in ("src", "llm_output", "examples"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("recordings"))
    return folder


def run_page_in(folder: Path, name: str, installed: tuple[str, list[str]]) -> None:
    """Run a page with the wheel, or with what stands in the folder."""
    python, path = installed
    kept = {key: value for key, value in os.environ.items() if not key.startswith((*SETTINGS, "PYTHON"))}
    said = folder.with_name("said")
    process = context(python).Process(target=run_in, args=(folder, ROOT / name, path, kept, said))
    process.start()
    try:
        process.join(LIMIT)
    finally:
        process.kill()
        process.join(LIMIT)
    assert process.exitcode == 0, said.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in RUN if not is_run_in_checkout(PAGES[name]) and name != INSTRUCTOR])
def test_code_of_a_page_runs_in_an_empty_folder_with_the_wheel_alone(
    name: str, installed: tuple[str, list[str]], tmp_path: Path
) -> None:
    (tmp_path / "page").mkdir()
    run_page_in(tmp_path / "page", name, installed)


@pytest.mark.parametrize("name", [name for name in RUN if is_run_in_checkout(PAGES[name])])
def test_code_of_a_page_that_says_so_runs_in_a_checkout(
    name: str, installed: tuple[str, list[str]], parts: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    for part in parts.iterdir():
        (folder / part.name).symlink_to(part)
    run_page_in(folder, name, installed)


def test_code_of_the_page_of_instructor_runs_with_its_own_packages(wheel: Path, tmp_path: Path) -> None:
    if missing := missing_instructor():
        pytest.skip(missing)
    folder = tmp_path / "page"
    folder.mkdir()
    python = environment(wheel, tmp_path / "environment", packages_of=str(INSTRUCTOR_PYTHON))
    run(python, "-c", program(ROOT / INSTRUCTOR), folder=folder)


def test_no_page_that_runs_in_an_empty_folder_could_see_this_checkout(installed: tuple[str, list[str]]) -> None:
    python, path = installed

    assert str(ROOT) not in path
    code = "from importlib.util import find_spec; print(find_spec('src'))"
    assert run(python, "-c", code, folder=Path(python).parent) == "None\n"


@each_page
def test_no_block_imports_from_examples(page: Page) -> None:
    code = "\n".join(block.code for block in page.blocks)
    assert re.findall(r"^\s*(?:from|import) examples\b.*", code, re.MULTILINE) == []


@pytest.mark.parametrize("name", sorted({*PAGES} - OF_THE_REPOSITORY))
def test_page_imports_from_llm_output_alone(name: str) -> None:
    code = "\n".join(block.code for block in PAGES[name].blocks)
    assert re.findall(r"^\s*(?:from|import) src\b.*", code, re.MULTILINE) == []


@each_page
def test_every_block_says_what_it_is(page: Page) -> None:
    """Another name for Python, a shell or an output would be a block that is never checked."""
    not_run = r"(?!python|sh\b|shell|bash|console|output)\w+"
    known = re.compile(rf"{PYTHON}|{SHELL}|{TITLE.pattern}|{NO_RUN.pattern}|{OUTPUT}|{not_run}")
    assert [block.line for block in page.blocks if not known.fullmatch(block.info)] == []


@each_page
def test_no_block_is_indented_where_the_tests_do_not_look(page: Page) -> None:
    assert [line for line in page.prose if re.match(r"[\s>]+(?:```|~~~)", line)] == []


def test_code_that_is_not_run_gives_its_reason() -> None:
    """With `-rP` this prints the list."""
    reasons = {
        f"{name}:{block.line}": reason["reason"]
        for name, page in PAGES.items()
        for block in page.blocks
        if (reason := NO_RUN.fullmatch(block.info))
    }
    print(*(f"{place} {reason}" for place, reason in reasons.items()), sep="\n")  # noqa: T201 - for who asks with -rP
    assert [reason for reason in reasons.values() if not reason.startswith(("needs ", "takes "))] == []


@each_page
def test_every_output_block_follows_the_code_that_prints_it(page: Page) -> None:
    before = ["", *(block.info for block in page.blocks)]
    outputs = [at for at, block in enumerate(page.blocks) if block.info == OUTPUT]
    assert {before[at] for at in outputs} <= {PYTHON, SHELL}


# --- links and form -------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", EVERY_PAGE.values(), ids=EVERY_PAGE.keys())
def test_links_lead_somewhere(page: Page) -> None:
    broken = []
    for link in page.links():
        target, _, anchor = link.partition("#")
        if target.startswith("https://"):
            continue
        path = (page.path.parent / target).resolve() if target else page.path
        there = path.is_file() and path.is_relative_to(ROOT)
        if not there or (anchor and anchor not in read_page(path).anchors()):
            broken.append(link)
    assert broken == []


def test_map_of_the_documentation_leads_to_every_page() -> None:
    index = PAGES["docs/index.md"]
    linked = {str((index.path.parent / link).resolve().relative_to(ROOT)) for link in index.links()}
    written_elsewhere = {"docs/index.md", "docs/reference/cli.md"}
    assert {name for name in PAGES if name.startswith("docs/")} - written_elsewhere <= linked


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("docs/adr/")])
def test_decision_has_every_part_of_its_form(name: str) -> None:
    page = PAGES[name]
    (title, *sections) = [text for _, text in page.headings()]
    assert title.startswith(f"{Path(name).name[:4]} ")
    assert sections == ["Context", "Decision", "Alternatives", "Consequences"]
    assert re.search(
        r"^Status: (accepted|superseded by .+)\. Date: \d{4}-\d\d-\d\d\.$", "\n".join(page.prose), re.MULTILINE
    )
