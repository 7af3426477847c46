"""Each rule: what it undoes, and what looks like it and is left alone."""

import pytest

from src.shared.infrastructure.parsing.regular.marks import NEW_QUOTE
from src.shared.infrastructure.parsing.regular.rules import RULES

BY_NAME = {rule.name: rule for rule in RULES}

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "comment": [("{ // a note, with: signs\n}", "{  \n}"), ("[1, # one\n2]", "[1,  \n2]"), ("{1 // end", "{1  ")],
    "starred comment": [("{/* a\nnote */}", "{ }")],
    "trailing comma": [("[1,\n]", "[1\n]"), ("{1，}", "{1}"), ("[1,］", "[1］")],
    "wide {": [("｛1", "{1")],
    "wide }": [("1｝", "1}")],
    "wide [": [("［1", "[1")],
    "wide ]": [("1］", "1]")],
    "wide ,": [("1，2", "1,2")],
    "wide :": [('"：1', '":1')],
    "bare key": [("{key: 1, $k2 :2}", '{"key": 1, "$k2" :2}'), ("{True: 1}", '{"True": 1}')],
    "True": [("[True]", "[true]")],
    "False": [("{False}", "{false}")],
    "None": [("[None, None]", "[null, null]")],
    "missing comma": [
        ('":1\n"', '":1,\n"'),
        ('"\n"', '",\n"'),
        (": true  \n\x01b\x01", ": true  ,\n\x01b\x01"),
        ("}\n{", "},\n{"),
    ],
}
NEAR_MISSES: dict[str, list[str]] = {
    "comment": [
        '"// behind a string\n',
        "[#AI, 1]",
        "[//host/x, 1]",
        "{ // with a } bracket\n}",
        '{ // with a " string\n}',
        "{ // and so on … \n}",
    ],
    "starred comment": ['"/* behind a string */', "/* open", "/* { */", "/** two */", '/* " */'],
    "trailing comma": ["[1, 2]", '[1,"]', "[1,,2]"],
    "bare key": ['{"key": 1}', "{1: 1}", "{key}", "{键: 1}"],
    "True": ["[Truely]", "[xTrue]", "[true]"],
    "False": ["[Falsehood]"],
    "None": ["[None_]"],
    "missing comma": ['1,\n"', '": \n"', "1\n}", '" "', '"\n{', "1\n2", '[\n"'],
}


def test_every_rule_has_an_example() -> None:
    assert EXAMPLES.keys() == BY_NAME.keys()


@pytest.mark.parametrize(("name", "gaps", "undone"), [(name, *row) for name, rows in EXAMPLES.items() for row in rows])
def test_rule_undoes_its_slip_and_nothing_else(name: str, gaps: str, undone: str) -> None:
    rule = BY_NAME[name]
    assert rule.needs(gaps)
    applied = rule.applied(gaps)
    assert applied is not None
    assert applied[0].replace(NEW_QUOTE, '"') == undone.replace(NEW_QUOTE, '"')
    assert applied[1] == len(list(rule.places(gaps)))


@pytest.mark.parametrize(("name", "gaps"), [(name, gaps) for name, rows in NEAR_MISSES.items() for gaps in rows])
def test_rule_leaves_alone_what_only_looks_like_its_slip(name: str, gaps: str) -> None:
    assert BY_NAME[name].applied(gaps) == (gaps, 0)


@pytest.mark.parametrize("comment", ["// 8 more rows", "# etc", "// ... ", "/* the rest */", "// 其余", "// omitted"])
def test_comment_that_may_stand_for_what_was_left_out_is_left_to_the_reader(comment: str) -> None:
    rule = BY_NAME["starred comment" if comment.startswith("/*") else "comment"]
    assert rule.applied("[1, " + comment + "\n]") is None
