"""What is changed in the code and in the expressions, which changes are tried, and what the tests say of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from tools.mutation.__main__ import summary
from tools.mutation.code import code_mutants
from tools.mutation.expressions import changes, expression_mutants
from tools.mutation.mutant import Mutant, Source, Span
from tools.mutation.run import Copy, End, Ended
from tools.mutation.sample import mutants, sampled

HERE = Path("src/some.py")

CHANGES = tomllib.loads(Path(__file__).with_name("changes.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", CHANGES["expressions"], ids=lambda row: row["name"])
def test_expression_is_changed_in_one_place(row: dict[str, Any]) -> None:
    assert list(changes(row["text"])) == row["changed"]


@pytest.mark.parametrize("row", CHANGES["code"], ids=lambda row: row["name"])
def test_code_is_changed_in_one_place(row: dict[str, Any]) -> None:
    assert [mutant.apply(row["text"]) for mutant in code_mutants(Source(HERE, row["text"]))] == row["changed"]


def test_raw_strings_that_stand_together_are_changed_but_no_docstring() -> None:
    text = '''r"""A doc+."""\nX = re.compile(r"a+" rf'b{n}*')\n'''
    found = [mutant.apply(text).split("\n")[1] for mutant in expression_mutants(Source(HERE, text))]
    assert found == ["""X = re.compile(r"a*" rf'b{n}*')""", """X = re.compile(r"a+" rf'b{n}+')"""]


def test_mutant_says_where_it_is_and_what_is_changed() -> None:
    text = f'X = r"""\n{"a" * 50}b+\n{"c" * 50}"""'
    assert str(next(expression_mutants(Source(HERE, text)))) == (
        f"src/some.py:2: {'a' * 19}b+ {'c' * 19}  →  {'a' * 19}b* {'c' * 19}"
    )


def test_same_seed_picks_the_same_changes_of_the_code_that_reads() -> None:
    code, expressions = mutants(ROOT)
    picked = sampled(ROOT, expressions, 5, seed=3)
    assert picked == sampled(ROOT, expressions, 5, seed=3)
    assert picked != sampled(ROOT, expressions, 5, seed=4)
    assert min(len(code), len(expressions)) > 1000
    assert all(re.match(r"src/shared/(infrastructure|domain)/", str(mutant.path)) for mutant in (*code, *expressions))


@pytest.mark.parametrize(("code", "end"), [(0, End.SURVIVED), (1, End.KILLED), (None, End.KILLED), (2, End.BROKEN)])
def test_tests_decide_what_becomes_of_a_mutant(tmp_path: Path, code: int | None, end: End) -> None:
    path = Path("src/shared/domain/reading/signs.py")
    mutant, seen = Mutant(path, 1, Span(0, 3), '"""', "'''"), []

    def check(tests: list[str], seconds: float | None) -> int | None:
        seen.append(((tmp_path / path).read_text("utf-8")[:3], bool(tests), seconds is None))
        return code if seen[1:] else 0

    ended = list(Copy(ROOT, tmp_path, check).run([mutant]))

    assert [each.end for each in ended] == [end]
    assert seen == [('"""', True, True), ("'''", True, False)]
    assert (tmp_path / path).read_text("utf-8") == (ROOT / path).read_text("utf-8")


def test_nothing_is_tried_where_the_tests_fail_already(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unchanged"):
        list(Copy(ROOT, tmp_path, lambda _, __: 1).run([]))


def test_rate_leaves_out_what_could_not_be_loaded_and_names_what_survived() -> None:
    mutant = Mutant(HERE, 7, Span(0, 1), "a", "b")
    said = summary("code", [Ended(mutant, end, 1.0) for end in (End.KILLED, End.SURVIVED, End.BROKEN)])
    assert said == "code: 1 of 2 killed, 50%; 1 broken\n  survived  src/some.py:7: a  →  b"
