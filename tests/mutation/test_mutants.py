"""What is changed in the code and in the expressions, which changes are tried, and what the tests say of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.mutation.__main__ import summary
from tools.mutation.code import code_mutants
from tools.mutation.expressions import changes, expression_mutants
from tools.mutation.mutant import Mutant, Source, Span
from tools.mutation.run import Copy, End, Ended
from tools.mutation.sample import mutants, sampled

HERE = Path("src/some.py")

EXPRESSIONS = {
    "a possessive repetition": ("a*+", ["a++", "a*"]),
    "a repetition": ("a+b?", ["a*b?", "a+b"]),
    "bounds": ("a{2,3}", ["a{3,3}", "a{2,4}"]),
    "bounds in a formatted string": ("a{{1,{MOST}}}", []),
    "alternatives": ("(?:a|b)|c", ["(?:b)|c", "(?:a)|c", "c", "(?:a|b)"]),
    "a look ahead": ("a(?=b)", ["a(?!b)", "a"]),
    "a look behind": ("(?<!a)b", ["(?<=a)b", "b"]),
    "a set": (r"[a\x00-\x1f]", [r"[^a\x00-\x1f]", r"[\x00-\x1f]", "[a]"]),
    "a set of others": ("[^a]", ["[a]"]),
    "a class": (r"\d\Z", [r"\D\Z", r"\d"]),
    "an escaped sign": (r"\(\+", []),
    "a comment": ("\n a  # b+|c\n", []),
}


@pytest.mark.parametrize(("pattern", "changed"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_expression_is_changed_in_one_place(pattern: str, changed: list[str]) -> None:
    assert list(changes(pattern)) == changed


CODE = {
    "a comparison": ("x = a < b", ["x = (a <= b)"]),
    "a condition of two parts": ("x = a and b", ["x = (a or b)", "x = (b)", "x = (a)"]),
    "a negation": ("x = not a", ["x = (a)"]),
    "a sum": ("x = a + 1", ["x = (a - 1)", "x = a + 2"]),
    "a truth": ("x = True", ["x = False"]),
    "a choice": ("x = a if b else c", ["x = (c if b else a)"]),
    "a call": ("f(x)", ["pass"]),
    "a loop": ("for x in y: break", ["for x in y: continue"]),
    "a text": ('x = "a" + b', []),
    "a type": ("def f(x: a < b): ...", []),
    "full-width signs before it": ('x = "，"; y = a < b', ['x = "，"; y = (a <= b)']),
}


@pytest.mark.parametrize(("text", "changed"), CODE.values(), ids=CODE)
def test_code_is_changed_in_one_place(text: str, changed: list[str]) -> None:
    assert [mutant.apply(text) for mutant in code_mutants(Source(HERE, text))] == changed


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
