"""The documentation says what is so: its code runs, its links lead somewhere, its pages keep their form."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, Page, read_page
from tests.docs.page_process import context, run_in
from tests.docs.pages import PAGES
from tests.docs.run_page import NO_RUN, OUTPUT, PYTHON, TITLE
from tests.docs.run_shell import SHELL
from tests.installed import INSTRUCTOR_PYTHON, missing_instructor

each_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
SETTINGS = ("LLM_", "COMMITTEE_", "VISUAL_RAG_", "COLUMNS", "FORCE_COLOR")
"""What may be set where the tests run and would change what a page prints."""
GENERATED = "docs/reference/cli.md"
"""Its examples name files of the reader's own; the tests of the command line check them."""
RUN = [
    name
    for name, page in PAGES.items()
    if name != GENERATED and any(block.info in {PYTHON, SHELL} for block in page.blocks)
]

INSTRUCTOR = "docs/how-to/use-with-instructor.md"
"""Runs in instructor's own environment."""
WRITES_A_COPY = "docs/how-to/migrate-existing-parsers.md"
"""Its command writes the folder `llm_output` itself."""
OF_THE_REPOSITORY = {"docs/how-to/add-an-agent.md"}
"""A page that writes files of this repository, which import each other."""
WRITE_INTO_PARTS = OF_THE_REPOSITORY | {WRITES_A_COPY}

# --- code -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of `src`, `llm_output` and `examples`, which a page may even spoil."""
    folder = tmp_path_factory.mktemp("parts")
    for part in ("src", "llm_output", "examples"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("recordings"))
    return folder


@pytest.mark.parametrize("name", RUN)
def test_code_of_a_page_does_what_the_page_says(name: str, parts: Path, tmp_path: Path) -> None:
    """It runs in a folder that holds `src`, `llm_output` and `examples`; a page may add files to them."""
    folder = tmp_path / "page"
    folder.mkdir()
    for part in ("src", "examples") if name == WRITES_A_COPY else ("src", "llm_output", "examples"):
        if name in WRITE_INTO_PARTS:
            shutil.copytree(parts / part, folder / part)
        else:
            (folder / part).symlink_to(parts / part)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    if name == INSTRUCTOR:
        _run_by_instructor(folder, environment)
        return
    said = tmp_path / "said"
    process = context().Process(target=run_in, args=(folder, ROOT / name, environment, said))
    process.start()
    process.join()
    assert process.exitcode == 0, said.read_text(encoding="utf-8")


def _run_by_instructor(folder: Path, environment: dict[str, str]) -> None:
    if missing := missing_instructor():
        pytest.skip(missing)
    finished = subprocess.run(  # noqa: S603 - our own runner, on our own page
        [INSTRUCTOR_PYTHON, "-m", "tests.docs.run_page", str(ROOT / INSTRUCTOR)],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == 0, finished.stderr


SHOWS_BOTH = {"docs/how-to/install.md", "docs/reference/names.md"}
"""Pages that show that the names under `src` are the same objects."""


@pytest.mark.parametrize("name", sorted({*PAGES} - SHOWS_BOTH - OF_THE_REPOSITORY))
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


@each_page
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
