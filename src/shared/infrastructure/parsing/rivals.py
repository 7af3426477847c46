"""Looks at the text beside the candidates: headings that say what they are, and what may be the real answer, unread.

A heading says that an object is not the answer, such as "Example:" or "Input:". It is the line before the object (or
before its fence), the text before it on its own line, or its tag: a few words that end in a colon, or are marked as a
heading. It counts only if every word of it is known here, so that a sentence which merely mentions a format or a draft
("Here is the answer in the format you asked for:") has no effect. There is no such rule for "Final answer:" or
"Correction:". Models that do not stop write the next question and its "Solution:" themselves. Which of two answers
counts is then up to the caller (`several="last"`).

A heading of reasoning ("Thought:", "## Thinking") says it of every object in its own paragraph, unless a heading of
the answer stands between them; and words beside an object that deny it or take it back say it, too ("I would not give
{…}", "{…} Correction: score is 7.").

A rival is text outside all candidates that looks like data. The whole text has to be accounted for. Prose is. A part
that looks like a key and its colon, has escaped quotes, or opens the tag of an answer that never came is not, and a
text with such a part is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import lru_cache
from itertools import dropwhile
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.reading.lexicon import MARGIN
from src.shared.domain.reasoning import RESULT_WORDS, says_reasoning


class Heading(Enum):
    """What a heading says of the object under it."""

    SHOWN = auto()
    """An example, a template, a draft, an earlier version, what is denied or taken back: never the answer."""
    GIVEN = auto()
    """The input, or an object in a tag that says no more than its name: not the answer where there is another."""


LOOK_BACK = 200
"""Characters before an object in which its heading has to stand."""
HEADING_LIMIT = 80
"""Most characters of a heading."""
_PASSING_LIMIT = 20
"""Characters at the end of the lead that are enough for all that `_IN_PASSING` looks for."""
_SHOWN = frozenset(
    [
        *("example", "examples", "sample", "samples", "template", "format", "schema", "skeleton", "placeholder"),
        *("draft", "drafts", "attempt", "try", "old", "older", "outdated", "previous", "previously", "earlier"),
        *("before", "original", "wrong", "incorrect", "invalid"),
        *("示例", "例子", "样例", "格式", "模板", "草稿", "初稿", "旧版", "旧版本", "原文"),
        *("错误示例", "输出格式", "返回格式"),
    ]
)
_GIVEN = frozenset(["input", "inputs", "given", "输入"])
_BESIDE_IT = frozenset(
    [
        *("a", "an", "the", "my", "our", "your", "only", "json", "object", "version", "value", "values", "output"),
        *("response", "answer", "result", "first", "second", "initial", "rough", "expected", "required", "desired"),
    ]
)
"""What else such a heading may say: "Expected output format", "My first draft"."""
_TELLING = _SHOWN | _GIVEN
_KNOWN = _TELLING | _BESIDE_IT
_IN_PASSING = expression(
    r"(?:\be\.\s?g\.|\bfor (?:example|instance)\b|\bsuch as\b|\bas in\b|例如|比如|譬如)[,:：，]?\Z", re.IGNORECASE
)
_FENCE_OPENS = expression(r"(?:`{3,}+|~{3,}+)[ \t]*+[\w+.#\-]*+\s*+\Z")
_HEADING = expression(
    rf"""
    (?P<mark> [#>*_\-\[（(【<\s]*+ )
    (?P<words> [^:：</\n]{{1,{HEADING_LIMIT}}}? )
    (?P<end> [\s*_\])）】>]{{0,{MARGIN}}} (?: [:：][\s*_`(\[]{{0,{MARGIN}}} | -{{1,2}}>? | =>? )? ) \Z
    """,
    re.VERBOSE,
)
_IS_MARKED = expression(r"[#*_\[【<]")
_WORD_OF = {True: expression(r"[a-z]++"), False: expression(r"[a-z]++|[\u3400-\u9fff]++")}
"""A word of a heading that is in ASCII, or is not: with Chinese in it the expression takes milliseconds to compile."""
_CLAUSE_END = expression(r"[.!?;]\s++|[。！？；]")


def heading_of(text: str, start: int) -> Heading | None:
    """What the heading says of the object that opens at `start`; None if there is none, or it says neither."""
    lead = text[max(0, start - LOOK_BACK) : start].rstrip()
    if not lead:
        return None
    if _is_reasoned(text[max(0, start - PARAGRAPH_LIMIT) : start]):
        return Heading.SHOWN
    if "```" in lead or "~~~" in lead:
        lead = _FENCE_OPENS.sub("", lead).rstrip()
    if _IN_PASSING.search(lead, max(0, len(lead) - _PASSING_LIMIT)):
        return Heading.SHOWN
    clause = _CLAUSE_END.split(lead.rpartition("\n")[2])[-1]
    if _is_denied(clause):
        return Heading.SHOWN
    heading = _HEADING.match(clause)
    if heading is None or not (heading["end"].strip() or _IS_MARKED.search(heading["mark"])):
        return None
    said = heading["words"].lower()
    words = set(_WORD_OF[said.isascii()].findall(said))
    if words.isdisjoint(_TELLING) or not words <= _KNOWN:
        return None
    return Heading.GIVEN if words & _GIVEN or "<" in heading["mark"] else Heading.SHOWN


PARAGRAPH_LIMIT = 2_000
"""Characters before an object in which the heading of reasoning over its paragraph has to stand."""
_MAY_SAY_REASONING = expression("think|thought|reasoning|scratchpad|monologue|reflection|思|推理", re.IGNORECASE)
_PARAGRAPH_BEGINS = expression(r"\n[ \t>]*+\r?\n|^[ \t]*+(?:`{3}|~{3})[^\n]*+\n", re.MULTILINE)
_CLAUSE = expression(r"[^\n.!?;。！？；]++[.…]*+")
_LABEL = expression(
    rf"""
    (?P<mark> [^\w\n:：{{}}<＜]{{0,{MARGIN}}}+ )
    (?P<words> \w [\w\ '’\-]{{0,{HEADING_LIMIT}}}? )
    (?: [^\S\n]?[(（] [^()（）\n]{{0,{MARGIN}}}+ [)）] )?
    (?: [*_\s\])）】」』>]{{0,6}}+ (?: [:：] | [.…]{{2}} | … ) | (?P<bare> [*_\])）】]{{0,6}}+ (?: \s*+ \Z | (?<=[*】\]]) ) ) )
    """,
    re.VERBOSE,
)
"""A heading at the beginning of a clause; without a colon it needs a mark."""
_OF_REASONING = frozenset(
    [
        *("my", "the", "our", "your", "a", "s", "let", "me", "us", "process", "processes", "step", "steps", "by"),
        *("chain", "of", "internal", "inner", "out", "loud", "aloud", "trace", "log", "block", "section", "phase"),
        *("initial", "first", "second", "next", "quick", "brief", "detailed", "deep", "model", "ai", "agent"),
        *("assistant", "hidden", "private", "note", "notes", "and", "analysis", "plan", "planning", "part", "mode"),
        *("stage", "time", "begin", "start", "for", "seconds", "minutes", "about", "it", "here", "is", "are"),
    ]
)
"""What else a heading of reasoning may say: "Thinking Process", "My first thoughts", "Let me think"."""
_OF_THE_ANSWER = RESULT_WORDS | {"action", "input", "conclusion", "solution", "decision", "verdict", "observation"}
_BESIDE_ANSWER = _BESIDE_IT | {"is", "are", "so", "then", "therefore", "thus", "now", "here", "s", "in", "to", "call"}
_ANSWER_SIGNS = ("答案", "结果", "结论", "回答", "输出", "回复", "最终", "行动", "动作", "操作")
_REASONING_SIGNS = ("思考", "推理", "反思", "思路", "思维")


def _is_reasoned(lead: str) -> bool:
    """Whether the last heading in the paragraph that a text ends in says reasoning."""
    if not _MAY_SAY_REASONING.search(lead):
        return False
    begins = max((found.end() for found in _PARAGRAPH_BEGINS.finditer(lead)), default=0)
    is_reasoning = False
    for clause in _CLAUSE.finditer(lead, begins):
        label = _LABEL.match(clause.group())
        if label and (label["bare"] is None or _IS_MARKED.search(label["mark"])):
            said = _said_by(label["words"])
            is_reasoning = is_reasoning if said is None else said
    return is_reasoning


def _said_by(label: str) -> bool | None:
    """Whether a heading says reasoning; None where it says neither that nor the answer."""
    label = label.lower()
    words = set(_WORD_OF[label.isascii()].findall(label))
    says_answer = not words.isdisjoint(_OF_THE_ANSWER) and words <= _OF_THE_ANSWER | _BESIDE_ANSWER
    if says_answer or any(sign in label for sign in _ANSWER_SIGNS):
        return False
    others = words - _OF_REASONING
    is_reasoning = bool(others) and all(_MAY_SAY_REASONING.search(word) and says_reasoning(word) for word in others)
    return True if is_reasoning or label.startswith(_REASONING_SIGNS) else None


_WORDS = expression(r"[a-z]++(?:[’'][a-z]++)?")
_DENIAL_WORDS = 8
"""Most words in front of an object that are looked at for a denial."""
_NEGATIONS = frozenset(["not", "never", "cannot", "avoid", "without"])
_DENIALS = frozenset([("wrong", "to"), ("incorrect", "to"), ("mistake", "to"), ("instead", "of"), ("rather", "than")])
_BETWEEN = frozenset(
    [
        *("to", "be", "have", "been", "of", "than", "by", "for", "me", "us", "just", "simply", "ever", "again", "either"),
        *("give", "giving", "return", "returning", "answer", "answering", "output", "outputting", "produce", "respond"),
        *("reply", "say", "saying", "write", "send", "submit", "emit", "choose", "pick", "use", "using", "put", "print"),
        *("a", "an", "the", "with", "as", "like", "json", "object", "result", "response", "following", "something"),
    ]
)
"""What may stand between such a word and the object: "not to return", "wrong to answer with"."""
_DENIES_IN_CHINESE = expression(
    r"""
    (?:
      (?: 不 [应该能要可以会宜当得]{0,4}+ | 勿 | (?<! [\u4e00-\u9fff] ) 别 | 避免 | 拒绝 ) (?: 直接 | 再 )?
      (?: 返回 | 给出 | 输出 | 回答 | 回复 | 提交 | 写成? | 填写? | 选择? | 用 )
    | (?<! 是 ) 不 [应该会能]{0,2}+ 是 | 并非 | 而非
    )
    [\s:：`"“]{0,6}+ \Z
    """,
    re.VERBOSE,
)
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？")


def _is_denied(clause: str) -> bool:
    """Whether the clause in front of an object says that it is not the answer: "It would be wrong to return {…}"."""
    part = _COMMA.split(clause)[-1]
    if part.endswith(_ENDS_SENTENCE):
        return False
    words = ["", *_WORDS.findall(part.lower())[-_DENIAL_WORDS:], ""]
    at = len(words) - 2
    while words[at] in _BETWEEN:
        at -= 1
    is_denied = words[at] in _NEGATIONS or words[at].endswith(("n't", "n’t")) or (words[at], words[at + 1]) in _DENIALS
    return is_denied or _DENIES_IN_CHINESE.search(part) is not None


_BEHIND = 200
"""Characters behind an object in which the words stand that take it back."""
_COMMA = expression("[,，]")
_FENCE_CLOSES = "`~ \t\r\n"
_CORRECTS = expression(
    r"[^\w\n]{0,9}+(?:(?i:correction|erratum)[ \t*_]{0,3}+[:：,—–]|(?:更正|纠正|勘误)[*_]{0,3}+[:：，])[*_\s\"'“]{0,9}+\w"
)
_WRONG_IN_CHINESE = expression(r"[^\w\n]{0,9}+(?:(?:这|以上|上面|该答案)?(?:是|就是)?(?:错误?的|不对|不正确|作废))")
_IS = frozenset(["which", "that", "this", "it", "is", "was", "would", "will", "be", "have", "been", "looks", "seems"])
_IS_CLEARLY = _IS | {"a", "clearly", "definitely", "simply", "just", "obviously", "totally"}
_WRONG = frozenset(["wrong", "incorrect", "mistaken", "mistake"])
_RIGHT = frozenset(["right", "correct", "valid", "the", "my", "what"])
_INTERJECTIONS = frozenset(["no", "wait", "oops", "sorry", "hmm", "actually", "hold", "on"])
_SHOULD_BE = expression(r"\b(?:should|must) (?:be|have been|read|say)\b(?! \w+ed\b)")
_DROPS = frozenset(["scratch", "disregard", "ignore", "forget"])
_WHAT_IS_ABOVE = frozenset(["that", "this", "it", "the"])


def is_taken_back(text: str, end: int) -> bool:
    """Whether the words behind an object that ends there take it back: "{…} is wrong", "Correction: score is 7"."""
    beside = text[end : end + _BEHIND]
    behind = beside.lstrip(_FENCE_CLOSES)
    if _CORRECTS.match(behind) or _WRONG_IN_CHINESE.match(beside):
        return True
    on_its_line = _WORDS.findall(_CLAUSE_END.split(beside.partition("\n")[0])[0].lower())
    return _is_wrong(on_its_line) or _is_dropped(_WORDS.findall(_CLAUSE_END.split(behind)[0].lower()))


def _is_wrong(words: list[str]) -> bool:
    """Whether a clause that begins behind an object says that it is wrong, or not right."""
    if not words or words[0] not in _IS:
        return False
    rest = [*dropwhile(_IS_CLEARLY.__contains__, words), "", ""]
    return rest[0] in _WRONG or (rest[0] == "not" and rest[1] in _RIGHT)


def _is_dropped(words: list[str]) -> bool:
    """Whether a clause drops what is in front of it: "scratch that", "no, wait, it should be 7"."""
    rest = [*dropwhile(_INTERJECTIONS.__contains__, words), "", ""]
    if rest[0] in _DROPS and rest[1] in _WHAT_IS_ABOVE:
        return True
    if rest[:2] == ["i", "take"]:
        return "back" in rest
    is_said = words[:1] != rest[:1] and _SHOULD_BE.search(" ".join(rest))
    return bool(is_said)


KEY_LIMIT = 60
"""Most characters of a key in what looks like data; a longer quotation is prose."""
BRACE_LIMIT = 200
"""Most characters between a brace and the first quote of what looks like data."""
_MARKUP = r"[*_`~&;]{0,6}+"
_BLANKS = rf"[ \t]{{0,{MARGIN}}}+"
_VALUE = rf"[*_`~]{{0,3}}+{_BLANKS}[*_`~]{{0,3}}+(?:[\"“'‘「{{｛\[［\d\-+]|(?i:true|false|null|none)\b)"
_MARKS_BEFORE = r"[*_`~=<&(\-•·①-⓿【「『“‘⭐]{0,6}+ [ ]?"
_QUOTED = "|".join(
    rf"(?<={opening}) {_MARKS_BEFORE} [\w$@\#\\] [^{no_text}]{{0,{KEY_LIMIT - 1}}}+ {closing}"
    for opening, no_text, closing in (
        *(('"', '"', '"{1,2}+'), ("'", "'", "'{1,2}+"), ("“", r"“”\n", "”")),
        *(("‘", r"‘’\n", "’"), ("「", r"「」\n", "」"), ("＂", r"＂\n", "＂")),
    )
)
"""A key; between straight quotes, which may be doubled, a line end may have come into it."""
_COLON = rf"{_MARKUP} {_BLANKS} (?: [:：] | =>? )"
_SHAPE_SIGN = r"""["'“‘「＂{｛\\&]"""
"""What each of the shapes begins with; prose mostly has none."""
_HAS_SHAPE_SIGN = expression(_SHAPE_SIGN)
_SHAPES = expression(
    rf"""
    {_SHAPE_SIGN}                                     # one set of characters first: a search skips all others fast
    (?! (?<= [{{｛] ) \s*+ [{{｛] \s*+ [{{｛] ) (?:    # of many braces in a row only the last can open anything
      # "key": value
      (?<! [=\w\])] . ) (?: {_QUOTED} ) {_COLON} {_VALUE}
      # {{key: or {{key =, but not LaTeX and not a template's braces
    | (?<! [\\\w^$%\#}}{{)] . ) (?<= [{{｛] ) \s{{0,{MARGIN}}}+ {_MARKUP}
      [\w$] [\w$ .\-]{{0,{KEY_LIMIT - 1}}}? {_COLON} (?! [\\:=>] )
      # a brace and a quote, with no other brace in between; but not LaTeX's G{{\"o}}del
    | (?<! [\\^$] . ) (?<= [{{｛] ) (?! \\ " [A-Za-z] \}} ) [^{{}}｛｝"“”„«»「『＂`']{{0,{BRACE_LIMIT}}}+
      (?: ["“”„«»「『＂`] | ' (?! (?<= \w' ) \w ) )
      # \", but not the same
    | (?<= \\ ) " (?! \{{? [A-Za-z] \}} )
      # &quot;key&quot;:
    | (?<= & ) (?: quot | \#34 | \#x22 ) ; {_BLANKS} [:：]
    )
    """,
    re.VERBOSE,
)
_OPEN_TAG_AT_END = expression(
    r"<(?:\w{1,20}_)?(?:answer|output|result|response|json|tool_call|function_call|report)>\s*+\Z", re.IGNORECASE
)
_COLON_SIGN = "[:：=]"
_HAS_COLON_SIGN = expression(_COLON_SIGN)
_LINE_MARGIN = rf"[ \t>*\-•|\d.]{{0,{MARGIN}}}"
_MARKS = r"(?:</?+[A-Za-z]{1,10}+>|[*_`~\"'“”‘’「」【】]){0,6}"
_TOLD_KEY = expression(rf'"(?P<name>[^"\\\n]{{1,{KEY_LIMIT}}}+)"\s?:[ ]?')
_DECODER = json.JSONDecoder()
_ENOUGH_FIELDS = 2


class Stretch(NamedTuple):
    """Part of a text that no candidate covers: from `start` up to, not including, `end`."""

    start: int
    end: int


def stretches(start: int, end: int, explained: Iterable[tuple[int, int]]) -> Iterator[Stretch]:
    """What is left between two offsets when the explained spans are taken out."""
    at = start
    for first, last in sorted(explained):
        if at < min(first, end):
            yield Stretch(at, min(first, end))
        at = max(at, last)
    if at < end:
        yield Stretch(at, end)


def first_rival(
    text: str, left: Iterable[Stretch], fields: frozenset[str] = frozenset(), answer: object = None
) -> int | None:
    """The first place in the stretches left over that looks like data; None if all of them are prose.

    Args:
        text: the text they are parts of.
        left: what no candidate covers, in order.
        fields: the names the type knows at its root; lines that begin with two of them (with its only one) are data.
        answer: the value that would be the answer: a member of it that is told again is prose.
    """
    seen: set[str] = set()
    members = answer if isinstance(answer, dict) else {}
    for start, end in left:
        sign = _HAS_SHAPE_SIGN.search(text, start, end)
        found = _SHAPES.search(text, sign.start(), end) if sign else None
        while found and (told := _end_of_member(text, found.start(), members)):
            found = _SHAPES.search(text, told, end)
        if found:
            return found.start()
        may_be_told = fields and _HAS_COLON_SIGN.search(text, start, end)
        for line in _lines(fields).finditer(text, start, end) if may_be_told else ():
            if _is_told(text, line.end(), members.get(line["name"])):
                continue
            seen.add(line["name"])
            if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
                return line.start("name")
        if end == len(text) and (tag := _OPEN_TAG_AT_END.search(text, start)):
            return tag.start()
    return None


def _end_of_member(text: str, start: int, members: Mapping[str, object]) -> int | None:
    """The end of a member, quoted in prose, that the answer has with the same value; None if there is none."""
    key = _TOLD_KEY.match(text, start)
    if key is None or key["name"] not in members:
        return None
    return _end_of_value(text, key.end(), members[key["name"]])


def _end_of_value(text: str, start: int, expected: object) -> int | None:
    """The end of a JSON value that is the expected one; None if another stands there, or none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        is_same = json.dumps(value) == json.dumps(expected)
    except (ValueError, RecursionError):
        return None
    return end if is_same and not text[end : end + 1].isalnum() else None


def _is_told(text: str, start: int, expected: object) -> bool:
    """Whether a line goes on with a value of the answer, as JSON or, if it is a text, as it stands."""
    start += len(text[start : start + MARGIN]) - len(text[start : start + MARGIN].lstrip(" "))
    if expected is None:
        return False
    if isinstance(expected, str) and expected and text.startswith(expected, start):
        return not text[start + len(expected) : start + len(expected) + 1].isalnum()
    return _end_of_value(text, start, expected) is not None


def has_fields(text: str, start: int, end: int, fields: frozenset[str]) -> bool:
    """Whether a part of the text has two of these names (or the only one) as keys, each with a colon."""
    if not fields:
        return False
    seen: set[str] = set()
    for key in _keys(fields).finditer(text, start, end):
        seen.add(key["name"])
        if len(seen) >= min(_ENOUGH_FIELDS, len(fields)):
            return True
    return False


@lru_cache(maxsize=256)
def _lines(fields: frozenset[str]) -> re.Pattern[str]:
    """Lines that begin with a field's name and a colon."""
    return expression(
        rf"^{_LINE_MARGIN}{_MARKS}(?P<name>{_alternatives(fields)}){_MARKS}{_BLANKS}{_COLON_SIGN}", re.MULTILINE
    )


@lru_cache(maxsize=256)
def _keys(fields: frozenset[str]) -> re.Pattern[str]:
    """A field's name, in marks or not, and a colon."""
    return expression(rf"(?<![^\W_])(?P<name>{_alternatives(fields)}){_MARKS}{_BLANKS}[:：]")


def _alternatives(fields: frozenset[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(fields, key=len, reverse=True))
