"""The page on reading a text and the glossary name the files, classes and numbers that there are."""

import ast
import importlib
import sys
from types import FrameType

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from tests.docs.markdown import ROOT, code_in
from tests.docs.pages import PAGES, name_in, rows
from tools.benchmarks.stages import COLUMNS, counts, texts

READING = ROOT / "src/shared/domain/reading"
BESIDE = [READING.parent / f"{name}.py" for name in ("edits", "strict_json", "work")]
HOMES = {
    "reading": "src.shared.domain",
    "domain": "src.shared",
    "parsing": "src.shared.infrastructure",
    "repair_agent": "src.shared.application",
}
PAGE = PAGES["docs/explanation/how-a-text-is-read.md"]
GLOSSARY = rows(PAGES["docs/reference/glossary.md"], "word")
NAMES = [name for row in GLOSSARY for name in code_in(row[2])]


def test_every_file_of_the_page_is_there_and_every_file_of_the_reader_says_what_is_in_it() -> None:
    named = {name for line in PAGE.prose for name in code_in(line) if name.endswith(".py")}
    there = {path.name for path in (ROOT / "src/shared").rglob("*.py")}

    assert {name.rpartition("/")[2] for name in named} - there == set()
    assert [path for path in READING.rglob("*.py") if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


@pytest.mark.parametrize("row", rows(PAGE, "the text has"), ids=lambda row: name_in(row[2]))
def test_edit_of_a_comma_is_made_where_the_page_says(row: list[str]) -> None:
    raw, function, file = map(name_in, row[1:])
    called = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        decode_llm_json(raw)
    finally:
        sys.setprofile(None)

    assert (str(READING / file), function) in called


def test_stages_read_as_many_texts_as_the_page_says() -> None:
    found = [(f"`{stage}`", *map(str, numbers)) for stage, *numbers in counts(texts())]

    assert [tuple(row) for row in rows(PAGE, COLUMNS[0])] == found


@pytest.mark.parametrize("name", NAMES)
def test_name_in_the_glossary_is_one_of_the_code(name: str) -> None:
    module, _, attribute = name.rpartition(".")

    assert hasattr(importlib.import_module(f"{HOMES[module.split('.')[0]]}.{module}"), attribute)


def test_every_public_class_of_the_reader_stands_behind_a_word_of_the_glossary() -> None:
    for path in (*READING.rglob("*.py"), *BESIDE):
        module = (
            "domain." + path.stem
            if path in BESIDE
            else ".".join(path.relative_to(READING.parent).with_suffix("").parts)
        )
        public = [node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]

        assert {f"{module}.{name}" for name in public if not name.startswith("_")} <= set(NAMES)


def test_a_word_has_one_row() -> None:
    words = [row[0] for row in GLOSSARY]

    assert len(words) == len(set(words))
