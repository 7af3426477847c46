"""Data that may lie beside the project: who needs it, and what is said where it is absent.

A test that needs it is deselected where it is absent, and the header of the run says so: it is not skipped.
"""

from collections.abc import Iterable

import pytest

from tests.paths import ROOT

SHARED = ROOT / "../shared"
INSTEAD = {
    "corpus": "the tests read the project's own texts in tests/corpus/own",
    "seeds": "the tests that compare the project's tables with the specifications' text are left out",
}
"""By folder: what is used where it is absent."""

needs_corpus = pytest.mark.beside("corpus")
needs_seeds = pytest.mark.beside("seeds")


def absent_folders() -> list[str]:
    """The folders that are not there."""
    return [name for name in INSTEAD if not (SHARED / name).is_dir()]


def split_by_need(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that can run, and those whose folder is absent, each in the given order."""
    absent = set(absent_folders())
    able: list[pytest.Item] = []
    unable: list[pytest.Item] = []
    for item in items:
        needed = {name for mark in item.iter_markers("beside") for name in mark.args}
        (unable if needed & absent else able).append(item)
    return able, unable
