"""Every surface is as its transcript in `tests/surfaces/golden` says.

If each difference is meant, `python -m tests.surfaces.golden --write` writes them anew, and the commit says why.
"""

from pathlib import Path

import pytest

from tests.surfaces.transcripts import Case, difference, missing, play, surfaces

CASES = [case for cases in surfaces().values() for case in cases]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.surface}: {case.title}")
def test_surface_is_as_its_transcript_says(case: Case, tmp_path: Path) -> None:
    absent = missing(case)
    if absent:
        pytest.skip(f"{case.surface}: {case.title}: {absent} is not installed")
    found = difference(case, play(case, tmp_path))
    if found:
        pytest.fail(f"{found}\nIf this is meant: python -m tests.surfaces.golden --write {case.surface}", pytrace=False)


def test_every_surface_has_cases() -> None:
    assert all(surfaces().values())
