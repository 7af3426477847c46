"""The marks of the notations, as expressions made of their rows; quotes that only they have become those of JSON."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.tool_call_forms.notations import IN_HEADERS, NOTATIONS, TURN_ENDS, Grammar, Notation

_SPACE = expression(r"\s*+")
NAME_LIMIT = 200
"""Most characters of the name of a tool, or of a parameter, in a mark."""
LINE_LIMIT = 200
"""Most characters of a line, on either side of a mark, that are looked at."""
_NAME = rf"[^\s<>{{}}\[\]()\"'`|｜=]{{1,{NAME_LIMIT}}}+"
HEADER = rf"(?:[^<{{\n]|{'|'.join(map(re.escape, IN_HEADERS))}){{0,200}}?"
"""What may stand in a header beside what is looked for."""
_QUOTE = "[\"'“”]?+"
_IN_QUOTES = r"\"[^\"<>]{0,200}+\"|'[^'<>]{0,200}+'|[“”][^“”<>]{0,200}+[“”]"
_SHORT = r"[\w:.\-]{1,20}+\s?=\s?(?:\"[^\"<>]{0,40}+\"|'[^'<>]{0,40}+'|\w{1,40}+)"
"""An attribute in front of the one of a tag that tells its name: short, for a stream looks back for it."""


def attributes(named: str) -> str:
    """Attributes behind the one of a tag that tells its name; none of them tells another."""
    value = rf"(?:{_IN_QUOTES}|[^\s\"'“”<>=/|｜]{{1,100}}+)"
    return repeated(rf"\s++(?!(?:{named})\s*+=)[\w:.\-]{{1,40}}+\s*+=\s*+{value}", "{0,8}")


NAMED = r"=\"?\{\w++\}(?:\"|(?=>|\Z))"
"""The name that a tag tells, in quotes or not."""
_IN_ELEMENT = r"\s++[\w\-]{1,60}+\s?=\s?(?:\"[^\"]*+\"|'[^']*+')"
_LABELLED = r"(?:action|tool|function)?[ _]?(?:\d{1,3}[ ])?(?:inputs?|args?|arguments?|parameters?|params?)|kwargs"
_STANDS_FOR = {
    "{name}": rf"(?P<name>{_NAME})",
    "{id}": rf"(?P<id>[^\s<>\[\]{{}}|]{{1,{NAME_LIMIT}}}+)",
    "{key}": rf"(?P<key>(?![ ]?/)[^<>\n=\"'“”]{{1,{NAME_LIMIT}}}?)",
    "~": r"\s*+",
    " ": r"\s++",
    "…": HEADER,
    "{index}": r"\d{1,9}",
    "{element}": "(?:tool|tool_name|tool_call|tool_use|function|function_name|function_call|call|action|name)",
    "{label}": "(?:name|tool|tool_name|function|function_name)",
    "{input}": f"(?:(?i:{_LABELLED})|(?:行动|动作|操作|工具|函数)?(?:输入|参数))",
    "{others}": f"(?:{_IN_ELEMENT}){{0,4}}?",
    "{attributes}": rf"(?P<attributes>{repeated(_IN_ELEMENT, '+')})\s*+/?",
    "：": r"[ \d*_]{0,6}[:：]\s*+[*_]{0,3}\s*+",
    "‘": "[`\"'“\\[*]{0,2}",
    "¶": r"[`\"'”\]*.]{0,3}(?:\(\))?[ \t]*+\r?\n[\s*#>_\-\d.)]*+",
    "｜": "[｜|]{1,2}",
    "▁": "[▁_]",
    "```": "[`~]{3}",
    "</": "<[ ]?/",
    '"': "[\"']",
    "\n": r"[ \t]*+\r?\n",
    ">": r"\s*+>",
}
_NAMED = expression(rf" \w++{NAMED}| \w++=\"(?!\{{)|{NAMED}")
_PART = expression(rf"({_NAMED.pattern}|\{{\w++\}}|```|</|(?<=[\w}}])>|[~ …｜▁：‘¶\n\"])")
_TAG = expression(r"<\w++(?=[=\s])")
_LEAST_BEGUN = 4
"""Fewest characters of a mark that was cut off by which it is known again in a line: `[TOO` is one, `<to` may be
anything. On a line of its own one sign is enough; a word has to be there whole in a line, and so far on its own."""


class Mark(NamedTuple):
    """A mark of the table.

    Attributes:
        kind: `open`, `section`, `call`, `inner`, `close`, `section_end` or `turn_end`.
        pattern: what it looks like.
        is_certain: whether it can only begin calls.
    """

    kind: str
    pattern: str
    is_certain: bool = False


class Header(NamedTuple):
    """What holds the name of a tool, and the notation it belongs to."""

    expression: re.Pattern[str]
    row: Notation


class Found(NamedTuple):
    """A mark in a text."""

    mark: Mark
    start: int
    end: int


def pattern_of(mark: str, **known: str) -> str:
    """The expression of a mark as a row writes it; `known` is put in for what stands in braces."""
    given = {**_STANDS_FOR, **{f"{{{key}}}": value for key, value in known.items()}}
    pattern = "".join(_pattern_of_part(part, given) for part in _PART.split(mark) if part)
    return f"{pattern[:-1]}(?:>|(?=\\s*+<))" if mark.startswith("</") and mark.endswith(">") else pattern


def _pattern_of_part(part: str, given: Mapping[str, str]) -> str:
    if not _NAMED.fullmatch(part):
        return given.get(part, re.escape(part))
    word, _, name = part.replace('"', "").partition("=")
    before = rf"\s++(?:(?!{word[1:]}\b){_SHORT}\s++){{0,3}}?{word[1:]}\s*+" if word else ""
    behind = rf"{given[name]}(?:\s*+[\"'“”])?{attributes(word[1:] or 'name')}\s*+/?+" if name else ""
    quoted = rf"(?={_IN_QUOTES}|[^\"'“”])" if name else ""
    return rf"{before}=\s*+{quoted}{_QUOTE}{behind}"


def head_of(mark: str) -> str:
    """What a mark begins with, up to the name in it."""
    return re.split(r"\{\w++\}|…", mark, maxsplit=1)[0].rstrip(" ~")


def any_of(patterns: Iterable[str]) -> str:
    """One of some expressions, the longest first."""
    return "|".join(sorted(dict.fromkeys(patterns), key=len, reverse=True))


def any_word(words: Collection[str]) -> str:
    """One of some words, as they are; of none it matches nothing."""
    return any_of(map(re.escape, words)) or "(?!)"


def inner(mark: str) -> list[str]:
    """The marks that stand behind the name in a mark."""
    return [one for part in re.split(r"\{\w++\}", mark)[1:] for one in part.split("~") if one[:1] in {"<", "["}]


def _is_mark(head: str) -> bool:
    return head.startswith(("<", "[", "]", "`", "~")) and len(head) > 1


WITH_MARKS = tuple(row for row in NOTATIONS if not row.needs_a_tool or row.leaks)
"""The notations whose marks tell of a call, whatever it names."""
_BY_NAME = tuple(row for row in NOTATIONS if row.needs_a_tool and ("¶" in row.calls[0] or row.calls[0][0] == "<"))
"""Those of labels and of ordinary tags, which tell of one beside the name of a tool."""


def _marks() -> Iterator[tuple[str, str, bool]]:
    """Each mark as its row writes it, its kind, and whether it can only begin calls."""
    for row in WITH_MARKS:
        heads = [head_of(call) for call in row.calls]
        yield from ((head, "call", row.is_certain) for head in heads if _is_mark(head))
        yield from ((one, "inner", False) for call in row.calls for one in inner(call))
        for opened, closed in row.wraps:
            yield opened, "section" if row.is_section else "open", row.is_certain
            yield closed, "section_end" if row.is_section else "close", False
        yield from ((end, "close", False) for end in row.ends)
        opened, closed = row.parameter
        marks = (row.quotes, *row.leaks, head_of(opened), *inner(opened), closed)
        yield from ((one, "inner", False) for one in marks if "{" not in one)
    yield from ((end, "turn_end", False) for end in TURN_ENDS)


def _collected() -> list[Mark]:
    """Each mark once, the longest first: of two that begin alike the longer one counts."""
    found: dict[str, Mark] = {}
    for mark, kind, is_certain in _marks():
        behind = r"(?=\s?\{)" if mark.startswith("[") and kind == "inner" else ""
        behind = r"(?=\[)" if mark[:1].isalpha() and kind == "open" else behind
        if mark:
            found.setdefault(pattern_of(mark) + behind, Mark(kind, pattern_of(mark) + behind, is_certain))
    return sorted(found.values(), key=lambda one: -len(one.pattern))


_UNIT = expression(r"\(\?.*+|(?:\[[^\]]++\]|\\.|.)(?:[*+?]\+?|\{\d(?:,\d)?\})?", re.DOTALL)


def _any_of_marks(marks: Iterable[tuple[list[str], Mark]], order: list[Mark], depth: int = 0) -> str:
    """An expression for any mark, what they begin with in common once; the longest counts, and its group tells it.

    Args:
        marks: what is left of each, as parts, and the mark.
        order: to which each mark is added in the order of the groups.
        depth: how many parts they have in common.
    """
    found: dict[str, list[tuple[list[str], Mark]]] = {}
    whole = None
    for parts, mark in marks:
        if parts:
            found.setdefault(parts[0], []).append((parts[1:], mark))
        else:
            whole = mark
    apart = {part: rf"(?<!\w{part})" if depth == 0 and part.isalpha() else "" for part in found}
    branches = [part + apart[part] + _any_of_marks(rest, order, depth + 1) for part, rest in found.items()]
    if whole:
        order.append(whole)
        branches.append("()")
    return f"(?:{'|'.join(branches)})" if len(branches) > 1 else branches[0]


_ORDER: list[Mark] = []
_ANY_MARK = _any_of_marks(((_UNIT.findall(one.pattern), one) for one in _collected()), _ORDER)
MARKS = tuple(_ORDER)
MARK = expression(_ANY_MARK)
"""Any mark; which one it is, `lastindex` says."""
_REPEATED = {one.pattern: expression(repeated(rf"\s*+{one.pattern}")) for one in MARKS}


def _found(match: re.Match[str] | None) -> Found | None:
    return Found(MARKS[(match.lastindex or 1) - 1], *match.span()) if match else None


def mark_at(text: str, at: int) -> Found | None:
    """The mark that begins at a place."""
    return _found(MARK.match(text, at))


_LETTERS = expression("[A-Za-z_]++")
_WORDS = {"<" if "<" in one.pattern[:3] else max(_LETTERS.findall(one.pattern), key=len) for one in MARKS}
IN_MARKS = tuple(sorted(word for word in _WORDS if not any(other != word and other in word for other in _WORDS)))
"""One of these stands in each mark: a bracket, or its longest word.

Looking for these few first takes a tenth of the time of the expression, which most texts then need not.
"""


_FEW = 1_000
"""Characters that are looked through again where a text grows by few: all of it would be, each time."""


@lru_cache(maxsize=1)
def _may_have_marks(text: str) -> bool:
    """Whether a sign of a mark stands in a text; one text is asked about again and again."""
    return any(sign in text for sign in IN_MARKS)


def behind_space(text: str, at: int) -> int:
    """The offset behind the white space at a place."""
    return match_end(_SPACE, text, at)


def line_before(text: str, at: int, since: int = 0) -> str:
    """What stands before a place on its line, at most `LINE_LIMIT` characters, and nothing before another place."""
    return text[max(since, at - LINE_LIMIT) : at].rpartition("\n")[2]


def next_mark(text: str, at: int) -> Found | None:
    """The first mark from a place on."""
    is_short = len(text) - at <= _FEW
    may_follow = any(text.find(sign, at) >= 0 for sign in IN_MARKS) if is_short else _may_have_marks(text)
    return _found(MARK.search(text, at)) if may_follow else None


def marks_of(text: str) -> Iterator[Found]:
    """The marks of a text, in their order; of one that is repeated the first."""
    found = next_mark(text, 0)
    while found is not None:
        yield found
        found = next_mark(text, match_end(_REPEATED[found.mark.pattern], text, found.end))


T = TypeVar("T")


def _grouped(members: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    """Some things by a key of each, in their order."""
    found: defaultdict[str, list[T]] = defaultdict(list)
    for key, member in members:
        found[key].append(member)
    return {key: tuple(some) for key, some in found.items()}


_CALLS = [(call, row) for row in WITH_MARKS for call in row.calls]
HEADERS = _grouped(
    (call[0], Header(expression(pattern_of(call)), row)) for call, row in _CALLS if _is_mark(head_of(call))
)
"""Marks that hold the name of a tool, by their first sign."""
_PAIRS = any_of(pattern_of(head_of(row.parameter[0])) for row in NOTATIONS if row.grammar is Grammar.PAIRS)


def _behind_name(call: str, row: Notation) -> str:
    """What has to stand behind the name of a tool that ends a header without a mark."""
    if call == "{name}":
        return rf"(?={_PAIRS}|</)" if row.grammar is Grammar.PAIRS else r"(?=\{)"
    return r"(?=[{(])" if call.endswith("{name}") else ""


_BODIES = {  # of rows that have the same one the first counts
    (call, _behind_name(call, row)): row
    for call, row in reversed(_CALLS)
    if not _is_mark(head_of(call)) and not row.needs_a_tool
}
BODY_HEADERS = tuple(
    Header(expression(rf"\s*+{pattern_of(call)}\s*+{behind}"), row)
    for (call, behind), row in sorted(_BODIES.items(), key=lambda one: -len(one[0][0]))
)
"""What holds the name of a tool behind a mark that opens calls."""
PYTHONIC = expression(rf"\s*+\[?\s*+(?:print\s?\()?{_NAME}\(")
"""A call as Python writes it."""
_HEADER_PART = r"[^<]{0,200}+"
_MESSAGE = rf"<\|(?:start|channel)\|>{_HEADER_PART}(?:<\|(?:channel|constrain)\|>{_HEADER_PART}){{0,3}}"
MESSAGE = expression(rf"{_MESSAGE}(?P<message><\|message\|>)?")
"""A message of which the header says to whom it goes, and what it is."""
RECIPIENT = expression(rf"\bto=(?P<name>[^\s<]{{1,{NAME_LIMIT}}}+)")
ASIDE = expression(r"<\|channel\|>\s*+analysis\b|\bto=self\b")
"""In the header of a message that is reasoning."""
_OF_HTML = r"[ ]?/?(?:s|param)\b"
_TAGS = _any_of_marks(((_UNIT.findall(one.pattern)[1:], one) for one in MARKS if one.pattern[0] == "<"), [])
REST = expression(
    rf"<(?:{_MESSAGE[1:]}<\|message\|>|[|｜][\w▁:/.\-]{{1,64}}+[|｜]>|(?!{_OF_HTML}){_TAGS.replace('()', '')})>*+"
)
"""What may be left of a call where it does not belong; the tags that HTML has, too, are not."""
_BEGINS_TAG = expression(r"<\w|<\[ ]")
_IN_TAGS = {max(_LETTERS.findall(one.pattern), key=len) for one in MARKS if _BEGINS_TAG.match(one.pattern)}
_IN_TAGS -= {"s", "param"}
_SHORTEST = sorted(word for word in _IN_TAGS if not any(other != word and other in word for other in _IN_TAGS))
_IN_RESTS = ("<|", "<｜", *_SHORTEST)
"""One of these stands in each rest."""


def may_have_rests(text: str) -> bool:
    """Whether a text has a sign of a rest; HTML has none, and need not be looked through."""
    return "<" in text and any(sign in text for sign in _IN_RESTS)


MESSAGE_END = expression(r"<\|(?:end|return|call|start|channel|eom)\|>")
PEOPLE = frozenset({"user", "assistant", "self", "all"})
"""Recipients of a message that are no tools."""
_INDEX = expression(r":\d{1,9}\Z")


def plain_name(name: str, known: Collection[str] = ()) -> str:
    """A name without the namespace and the number that some notations put around it: `functions.search:0`."""
    plain = name if name in known else _INDEX.sub("", name.removeprefix("functions."))
    ends = (plain[at + 1 :] for at, sign in enumerate(plain) if sign in ".:/")
    return plain if plain in known else next((end for end in ends if end in known), plain)


class NamedMarks(NamedTuple):
    """Marks that count only with the name of a tool that there is: prose has them, too, or a sign of them is missing.

    Attributes:
        any: finds one.
        headers: with the name, and the notation of each, by their first sign.
        begun: what a text may end with that was cut off before the arguments, and the marks that begin with it.
        cut: finds the same between labels or tags.
        lines: finds a line that begins a call of the notation whose only mark is that.
    """

    any: re.Pattern[str]
    headers: Mapping[str, tuple[Header, ...]]
    begun: Mapping[str, tuple[str, ...]]
    cut: re.Pattern[str]
    lines: re.Pattern[str]


LINE = next(row for row in NOTATIONS if row.needs_a_tool and row.calls[0][0] == "{")
"""The notation whose only mark is the name of a tool on a line of its own."""


def name_of(names: Collection[str]) -> str:
    """One of these names, as a whole word, with any namespace in front of it."""
    return rf"(?:[\w\-]{{1,60}}[.:/]){{0,5}}?(?:{any_word(names)})(?![\w-])"


@lru_cache(maxsize=64)
def named_marks(names: frozenset[str]) -> NamedMarks:
    """The marks with these names in them."""
    known = any_word(names)
    name = f"(?P<name>{name_of(names)})"
    headers, begun = [], [f"[{one}(" for one in names]
    for row in NOTATIONS:
        for call in row.calls if row != LINE else ():
            if row.needs_a_tool or (row.may_be_bare and call.count("{") == 1):
                behind = r"(?=\s*+[{(])" if row.may_be_bare else _behind_tag(call, known) if call[0] == "<" else ""
                headers.append((call, Header(expression(pattern_of(call, name=name) + behind), row)))
                begun += [call.replace("{name}", one).replace("~", " ") for one in names if row not in _BY_NAME]
            elif tag := _TAG.match(head_of(call)):
                signs = r"[\s=:\"']{1,3}"
                pattern = rf"{re.escape(tag.group())}{signs}(?:name{signs})?{name}[\"']?[ ]*+(?:>|(?=\s))"
                headers.append((call, Header(expression(pattern), row)))
    unnamed = [re.sub(r"\(\?P<\w++>", "(?:", one.expression.pattern) for _, one in headers]
    first = sorted({pattern[0] for pattern in unnamed})
    behind_first = ((sign, any_of(one[1:] for one in unnamed if one[0] == sign)) for sign in first)
    bare = any_of(rf"(?<={sign})(?<![^\W_]{sign})(?<![`\"']{sign})(?:{behind})" for sign, behind in behind_first)
    behind_line = any_of(pattern_of(call.removeprefix("{name}")) for call in LINE.calls)
    return NamedMarks(
        expression(rf"[\[{''.join(first)}](?:(?<=\[)\s{{0,3}}(?:{known})\(|{bare})"),
        _grouped((call[0], header) for call, header in headers),
        _beginnings(begun),
        _cut(known),
        expression(rf"^[ \t]*+{name}(?:{behind_line})\s*+(?=\{{|```|~~~)", re.MULTILINE),
    )


def _behind_tag(call: str, known: str) -> str:
    """What may stand behind a tag with the name of a tool, as far as that shows at once that it is no call."""
    if call.endswith("/>"):
        return r"(?=[ \t]*+(?:\r?\n|\Z|</))"
    if "{input}" in call:
        return ""
    again = rf"(?:{known})[>/]|{_STANDS_FOR['{element}']}\s[^<>]{{0,{NAME_LIMIT}}}=[\"'](?:{known})[\"']"
    return rf"(?=\s*+(?:<(?!{again})|\{{|\Z))"


def _cut(known: str) -> re.Pattern[str]:
    """What a text ends with that was cut off behind the name of a tool, between labels or tags."""
    calls = [call for row in _BY_NAME for call in row.calls]
    labels = any_of(pattern_of(call.partition("{name}")[0]) for call in calls if "¶" in call)
    element, line_end = _STANDS_FOR["{element}"], _STANDS_FOR["¶"]
    tags = repeated(r"</?[\w:]{0,40}+>?\s*+", "{0,2}")
    return expression(
        rf"(?:(?<![^\W_])(?:{labels})(?:{known})(?:{line_end}(?P<rest>[\w✿][^\n{{]{{0,30}})?)?"
        rf"|<(?:{known})(?:\s[^<>]*+)?|(?:\A|\n)[ \t]*+<(?:{known})>\s*+"
        rf"|<{element}(?:>\s*+(?:{known})\s*+{tags}|\s[^<>]{{0,{NAME_LIMIT}}}?=\s?[\"'](?:{known})[^<>]*+))\Z"
    )


def _beginnings(marks: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The marks by each beginning of theirs."""
    plain = dict.fromkeys(map(_plain_signs, marks))
    return _grouped((mark[:size], mark) for mark in plain for size in range(1, len(mark)))


def ends_in_a_mark(text: str, names: frozenset[str]) -> bool:
    """Whether a text ends with the first characters of a mark that begins a call."""
    named = named_marks(names)
    tail = _plain_signs(text[-_LONGEST_END:])
    cut = named.cut.search(tail) if any(name in tail for name in names) else None
    if cut:
        said = cut["rest"]
        return said is None or any(word.startswith(said.rstrip(":： *").lower()) for word in _INPUT_LABELS)
    rest = ("…" * (len(text) > _LONGEST_END) + tail).rstrip(" \t")
    ends = (tail[-size:] for size in range(1, min(len(tail), _LONGEST_MARK) + 1))
    begun = ((end, mark) for end in ends for marks in (_MARKS_BEGUN, named.begun) for mark in marks.get(end, ()))
    return any(_is_begun(mark, end, rest, names) for end, mark in begun)


def _plain_signs(text: str) -> str:
    """A text with one spelling of the signs that have several in marks."""
    return text.replace("｜", "|").replace("▁", "_").replace("||", "|")


_LONGEST_MARK = 2 * NAME_LIMIT
_MARKS_BEGUN = _beginnings(
    (mark + "[" * mark[0].isalpha()).replace("~", sign)
    for mark, kind, _ in _marks()
    for sign in ("", " ")
    if kind in {"open", "section", "call"}
)
_LONGEST_END = 4096
"""Most characters that are looked at for a mark that was cut off."""
_INPUT_LABELS = (
    *("action input", "action_input", "tool input", "tool_input", "input", "arguments", "args", "parameters"),
    *("行动输入", "动作输入", "操作输入", "工具输入", "函数输入", "输入", "参数", "✿args✿"),
)


def _is_begun(mark: str, end: str, text: str, names: frozenset[str]) -> bool:
    """Whether a text ends with so much of a mark that it can be no word: less is enough on a line of its own."""
    begun = end.rstrip(" \t")
    before = text.removesuffix(begun).rstrip(" \t")
    is_alone = text.endswith(begun) and (not before or before.endswith("\n"))
    least = 1 if is_alone and mark[0] in "<[" else _LEAST_BEGUN
    if mark[0].isalpha():
        named = next((mark.index(name) + 1 for name in names if name in mark), 0)
        least = max(named, _LEAST_BEGUN) if is_alone else len(mark) - 1
    return len(end) >= least


# --- quotes and flags ---

QUOTES = tuple(dict.fromkeys(row.quotes for row in NOTATIONS if row.quotes))
_QUOTES = [re.escape(one).replace('"', "[\"']") for one in QUOTES]
QUOTE = expression("|".join(_QUOTES))
_NO_QUOTE = "[^<]*+" + repeated(rf"(?!{'|'.join(_QUOTES)})<[^<]*+")
_STRING = expression(
    rf"[:=,(\[{{>]\s{{0,80}}+(?:{'|'.join(f'{one}({_NO_QUOTE}){one}' for one in _QUOTES)})(?=\s*+(?:[,}}\])]|[:<]))"
)
"""A text in quotes of a notation, behind a sign and in front of one."""
_TAG_NEXT = expression(r"\s*+<")
_FLAG = expression(
    r"(?P<string>\"[^\"\\]*+" + repeated(r"\\.[^\"\\]*+") + r"\")|(?P<lead>[{\s])--(?P<key>\w[\w\-]{0,80}+)(?=\s)",
    re.DOTALL,
)
_FLAGS = expression(r"\s*+\{\s*+--\w")


def with_plain_quotes(raw: str) -> EditedText:
    """The text whose texts in a notation's own quotes are strings of JSON.

    No mark is left in such a string. A quote without its partner stays what it is: then the call cannot be read.
    """
    edits = []
    for found in _STRING.finditer(raw):
        number = found.lastindex or 1
        start = found.start(number) - len(QUOTES[number - 1])
        is_value_of_tag = found.group()[0] == ">" and _TAG_NEXT.match(raw, found.end()) is not None
        string = json.dumps(found[number], ensure_ascii=False).translate(_HIDDEN)
        edits.append(Edit(start, found.end() - start, found[number] if is_value_of_tag else string))
    return EditedText(raw, 0, len(raw), edits)


_HIDDEN = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>[]`~"}
"""Signs of marks, as escapes."""


def without_flags(text: str) -> str:
    """Arguments as JSON, if they are written as `{--key value --other value}`; else the text itself."""
    if not _FLAGS.match(text):
        return text
    commas = chain([""], repeat(","))

    def written(found: re.Match[str]) -> str:
        return found["string"] or f"{next(commas)}{found['lead']}{json.dumps(found['key'])}: "

    return _FLAG.sub(written, text)
