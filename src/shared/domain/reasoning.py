"""Marks around reasoning: one vocabulary of names, in any brackets and any letters.

`<think>`, `[THINK]`, `◁think▷`, `<|begin_of_thought|>`, `<antThinking>`, `【思考】` are such marks.
A name is taken apart into words; one of them has to say reasoning, and none that it is the result of it
(`<analysis_result>` holds an answer). A tag of another name may say it in an attribute, a comment in its first words,
and the header of a message in its role: `<details type="reasoning">`, `<!-- thinking: … -->`, `<|im_start|>think`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.expression import expression

REASONING_WORDS = frozenset(
    [
        *("think", "thinks", "thinking", "thought", "thoughts", "reason", "reasons", "reasoning", "rationale", "cot"),
        *("scratch", "scratchpad", "analysis", "analyses", "analyze", "analyse", "analyzing", "analysing"),
        *("plan", "plans", "planning", "reflect", "reflects", "reflecting", "reflection", "reflections"),
        *("monologue", "monologues", "draft", "drafts", "drafting", "deliberation", "brainstorm", "brainstorming"),
        *("思考", "推理", "分析", "反思", "计划", "草稿", "思路"),
    ]
)
"""Words that say reasoning, in small letters."""
REASONING_STEMS = ("think", "thought", "reasoning", "scratchpad", "monologue", "reflection")
"""What says reasoning inside a longer word, too: `rethinking`, `innermonologue`. "Analysis" may head an answer."""
PARTNERED_WORDS = frozenset(["internal"])
"""Words that say reasoning as the whole name of a pair of marks."""
STEP_WORDS = frozenset(["step", "steps"])
"""The same for a pair that is closed in front of the answer: another one may hold a part of it."""
RESULT_WORDS = frozenset(
    ["answer", "final", "json", "output", "outputs", "report", "response", "result", "results", "答案", "结果"]
)
_BEGINNING_WORDS = frozenset(["begin", "begins", "open", "start", "starts", "开始"])
_ENDING_WORDS = frozenset(["end", "ends", "close", "closed", "stop", "finish", "finished", "结束"])
_SHORTEST = (
    *("think", "thought", "reason", "rationale", "cot", "scratch", "analy", "plan", "reflect", "monologue", "draft"),
    *("channel|", "deliberation", "brainstorm", "思", "推理", "分析", "计划", "草稿"),
    *("unused9", "internal", "step", "ｔｈｉｎｋ", "ｔｈｏｕｇｈｔ", "ｒｅａｓｏｎ"),
)
"""Some of these is in every mark."""
_MAY_SAY_REASONING = expression("|".join(map(re.escape, _SHORTEST)), re.IGNORECASE)

_PART = 1 << 16
NAME_LIMIT = 40
"""Most characters of a mark's name."""
ATTRIBUTES_LIMIT = 200
"""Most characters of a mark's attributes, as in `<think budget="512">`."""

MARK_SIGNS = "&<＜[［【(（{｛|｜◁◀〈《«‹⟨〔"
"""What a mark begins with."""
_ENDS = re.escape(">＞]】|｜▷▶〉》»›⟩〕")
"""What it ends with, apart from brackets that stand in prose and data as well."""
_MARK = expression(
    rf"""
    (?P<sign> [{re.escape(MARK_SIGNS)}] ) (?: (?<=&) lt; | (?<!&) [<\[{{]?+ )  # any brackets, also doubled
    (?:
      (?<=<) !-- \s{{0,3}} (?P<comment> \w [\w \-]{{0,{NAME_LIMIT}}}? ) (?= \s? [:：\n(（…{{\["“`] )  # <!-- why: … -->
    | (?: !-- | [|｜:!] )? \s{{0,3}}+
      (?P<close> \\?+ [/／] | \\ )? \s{{0,3}}+
      (?P<name> \w [\w:.\-▁]{{0,{NAME_LIMIT}}}+ (?: [ ] [\w\-]{{1,{NAME_LIMIT}}}+ ){{0,2}} )
      (?P<attributes> \s [^<>＜＞\[\](){{}}\n]{{0,{ATTRIBUTES_LIMIT}}}+ )? /? \s{{0,3}} (?: -- | [|｜:\\] )?
      (?: &gt; | [{_ENDS}］)）}}｝] ) [>\]}}]?
    )
    """,
    re.VERBOSE,
)
"""It begins with one set of characters, so that a search skips all others at full speed."""
ENDS_MARK = expression(f"[;{_ENDS}]")
_ENDS_TAG = expression(r"[>＞]")
_BEGINS_TOKEN = expression(r"\s{0,3}thought")
COMMENT, COMMENT_END = "<!--", "-->"
_ATTRIBUTE = expression(
    rf"\b(?:category|channel|class|id|kind|role|type)\s?=\s?[\"'“]?(?P<said>[\w \-]{{1,{NAME_LIMIT}}}+)", re.IGNORECASE
)
_MESSAGES = {
    **dict.fromkeys(["<|im_start|>", "<|start_header_id|>", "<start_of_turn>"], True),
    **dict.fromkeys(["<|im_end|>", "<|eot_id|>", "<end_of_turn>"], False),
}
"""Tokens around a message, and whether its role follows."""
_SUMMARY = expression(rf"\s{{0,3}}(?P<said>[^<>\n]{{1,{NAME_LIMIT}}}+)</summary>")
_OTHER_NAMES = frozenset(["summary", *(token.strip("<|>") for token in _MESSAGES)])
_ROLE = expression(rf"\s{{0,3}}(?P<name>\w{{1,{NAME_LIMIT}}}+)")
_CHANNELS = {"<|channel>": False, "<channel|>": True}
"""Gemma 4's tokens around a channel, and whether they end it."""
_BEGUN_TOKEN = expression(
    rf"<(?:(?:\|im_start\||\|start_header_id\||start_of_turn|unused\d{{1,4}})>\s{{0,3}}\w{{0,{NAME_LIMIT}}}+"
    rf"|\|channel>\s{{0,3}}\w{{0,7}}+|summary>\s{{0,3}}[^<>\n]{{0,{NAME_LIMIT}}}+(?:<[/\w]{{0,8}}+)?)\Z"
)
"""A token that the word behind it makes a mark."""
_SECTIONS = {"<|open|>": False, "<|close|>": True}
"""Kimi K3's tokens around the name of a section, and whether they end it."""
_SECTION = expression(r"(?P<name>\w{1,20}+)<\|sep\|>")
_LATIN_WORD = r"[A-Z]?[a-z]++|[A-Z](?>(?:[A-Z](?![a-z]))*)"
_WORD_OF = {True: expression(_LATIN_WORD), False: expression(rf"{_LATIN_WORD}|[\u3400-\u9fff]++")}
"""A word of a name that is in ASCII, or is not: with Chinese in it the expression takes milliseconds to compile."""
_SEPARATOR = expression(r"[\W_▁]++")
_VOID_END = expression(r"/\s{0,3}(?:&gt;|[>＞])\Z")
_ANGLES = frozenset("<＜&")
_SOFT_SIGNS = frozenset("[［(（{｛|｜")
"""Brackets that prose uses, too: one that is never closed says nothing, unless its name can only be a mark's."""
_FIRM_SIGNS = frozenset("[［")


class Mark(NamedTuple):
    """One mark around reasoning.

    Attributes:
        start: offset of its first character.
        end: offset after its last.
        family: what its partner is called, too: the name in small letters without what says beginning or end.
        closes: whether it ends a block.
        is_void: whether it is a block by itself (`<think/>`).
        is_firm: whether it counts although its partner is missing.
    """

    start: int
    end: int
    family: str
    closes: bool
    is_void: bool
    is_firm: bool


def is_begun(text: str) -> bool:
    """Whether the sign that a text begins with may begin a mark, as far as it is written, and its end is not there."""
    return _BEGUN_TOKEN.match(text) is not None or not (_ENDS_TAG if text[0] in "<＜" else ENDS_MARK).search(text, 1)


def says_reasoning(name: str) -> bool:
    """Whether the name of a mark, or the tag of a fence, says reasoning."""
    words = {*_words(name), *_SEPARATOR.split(name.lower())}
    if not RESULT_WORDS.isdisjoint(words):
        return False
    return any(word in REASONING_WORDS or any(stem in word for stem in REASONING_STEMS) for word in words)


def reasoning_marks(text: str) -> Iterator[Mark]:
    """The marks of a text, in order, also those that stand in strings; not those of steps, which may hold a call."""
    return (mark for mark in draft_marks(text) if mark.family not in STEP_WORDS)


def draft_marks(text: str, family: str = "") -> Iterator[Mark]:
    """The same with those of steps: what they hold is no answer where one follows.

    Args:
        text: the text.
        family: that of a block which is open where the text begins.
    """
    if not family and not _may_hold_marks(text):
        return
    others, commented = {*_OTHER_NAMES, family}, 0
    for found in _MARK.finditer(text):
        name = found["name"]
        if name is None:
            if found.start() >= commented and says_reasoning(_plain(found["comment"])):
                comment = _comment_mark(text, found)
                commented = comment.end if comment.is_void else len(text)
                yield comment
        elif found["sign"] == "<" and (token := _marks_of_token(text, found)) is not None:
            yield from token
        elif meaning := _meaning(name):
            closes = meaning.ends or bool(found["close"])
            start = found.start() - (text[found.start() - 1 : found.start()] == "\\")
            is_firm = found["sign"] not in _SOFT_SIGNS or (found["sign"] in _FIRM_SIGNS and not meaning.is_plain)
            is_firm = is_firm and not meaning.needs_partner
            yield Mark(start, found.end(), meaning.family, closes, is_void=_is_void(found), is_firm=is_firm)
        elif (name in others or found["attributes"]) and (mark := _other_mark(text, found, others)):
            others.add(mark.family)
            yield mark


def split_reasoning(text: str) -> tuple[str, str]:
    """Prose behind a closed block of reasoning at its very beginning, and the reasoning; elsewhere it may be prose."""
    start, depth, family = len(text) - len(text.lstrip()), 0, ""
    for mark in draft_marks(text):
        family = family or mark.family
        if not depth and (mark.start != start or mark.closes or mark.is_void or not mark.is_firm):
            break
        if mark.family == family and not mark.is_void:
            depth += -1 if mark.closes else 1
        if not depth:
            return text[mark.end :].lstrip(), between_marks(text[start : mark.end])
    return text, ""


def between_marks(block: str) -> str:
    """A block of reasoning without the marks around it."""
    marks = list(draft_marks(block))
    start = marks[0].end if marks and not marks[0].start else 0
    end = marks[-1].start if marks and marks[-1].end == len(block) else len(block)
    return block[start:end].strip()


def _comment_mark(text: str, found: re.Match[str]) -> Mark:
    """All of a comment; where it is not closed, its beginning."""
    end = text.find(COMMENT_END, found.end())
    is_closed = end >= 0
    return Mark(
        found.start(),
        end + len(COMMENT_END) if is_closed else found.end(),
        COMMENT,
        closes=False,
        is_void=is_closed,
        is_firm=True,
    )


def _other_mark(text: str, found: re.Match[str], opened: set[str]) -> Mark | None:
    """A tag that says reasoning in an attribute or its summary, the header of a message of that role, or an end."""
    start, end = found.span()
    family, closes = found["name"].partition(" ")[0].lower(), bool(found["close"])
    if found.group() in _MESSAGES:
        role = _ROLE.match(text, end) if _MESSAGES[found.group()] else None
        family, closes, end = "message", role is None or not says_reasoning(role["name"]), role.end() if role else end
    elif family == "summary" and not closes:
        said = _SUMMARY.match(text, end)
        if said is None or not _says_firmly(said["said"]):
            return None
        family, end = "details", said.end()
    elif not closes and not _says_in_attribute(found):
        return None
    if closes and family not in opened:
        return None
    return Mark(start, end, family, closes, is_void=_is_void(found), is_firm=not closes)


def _says_in_attribute(found: re.Match[str]) -> bool:
    """Whether a tag of another name opens reasoning; words that may say something else do not count here."""
    if found["sign"] not in _ANGLES or not found["attributes"] or not RESULT_WORDS.isdisjoint(_words(found["name"])):
        return False
    said = _ATTRIBUTE.search(found["attributes"])
    return said is not None and _says_firmly(said["said"])


def _says_firmly(words: str) -> bool:
    """Whether words say reasoning and nothing else."""
    return any(stem in words.lower() for stem in REASONING_STEMS) and says_reasoning(words)


def _marks_of_token(text: str, found: re.Match[str]) -> Sequence[Mark] | None:
    """What a token of a model marks that is no mark by its name, at most one; None where it is no such token.

    `<unused94>thought` and `<|channel>thought` are Gemma's; a section of Kimi's that is not closed ends where the
    one of the answer begins.
    """
    token, name, (start, end) = found.group(), found["name"], found.span()
    thought = _BEGINS_TOKEN.match(text, end)
    if token in _CHANNELS:
        closes = _CHANNELS[token]
        end = thought.end() if thought and not closes else end
        return [Mark(start, end, "channel", closes, is_void=False, is_firm=True)] if closes or thought else ()
    if token in _SECTIONS:
        closes, section = _SECTIONS[token], _SECTION.match(text, end)
        is_reasoning = section is not None and says_reasoning(section["name"])
        if section is None or not (is_reasoning or (section["name"] == "response" and not closes)):
            return ()
        return [Mark(start, section.end(), "section", closes or not is_reasoning, is_void=False, is_firm=is_reasoning)]
    if not name.startswith("unused"):
        return None
    opens, end = thought is not None or name == "unused94", thought.end() if thought else end
    return [Mark(start, end, "unused", not opens, is_void=False, is_firm=opens or name == "unused95")]


def _may_hold_marks(text: str) -> bool:
    """Whether a part of some mark stands in the text. Python takes 12 bytes for a letter that it makes small."""
    for at in range(0, len(text), _PART):
        part = text[at : at + _PART + NAME_LIMIT].lower()
        for stem in _SHORTEST:  # a loop takes half as long as `any` here, and nearly every text comes by
            if stem in part:
                return True
    return False


class _Meaning(NamedTuple):
    """What the name of a mark says.

    Attributes:
        family: what its partner is called, too.
        ends: whether it says that a block ends.
        is_plain: whether prose may use it in brackets, too.
        needs_partner: whether it says nothing where its partner is missing, whatever the brackets.
    """

    family: str
    ends: bool
    is_plain: bool
    needs_partner: bool = False


@lru_cache(maxsize=1024)
def _meaning(name: str) -> _Meaning | None:
    """What a name says; None if it does not say reasoning."""
    name = _plain(name)
    if not _MAY_SAY_REASONING.search(name):
        return None
    words = _words(name)
    if len(words) == 1 and words[0] in PARTNERED_WORDS | STEP_WORDS:
        return _Meaning(words[0], ends=False, is_plain=True, needs_partner=True)
    if not says_reasoning(name):
        return None
    family = "".join(word for word in words if word not in _BEGINNING_WORDS | _ENDING_WORDS)
    lowered = name.lower()
    return _Meaning(family, not _ENDING_WORDS.isdisjoint(words), not any(stem in lowered for stem in REASONING_STEMS))


def _plain(name: str) -> str:
    """A name with the usual width of its letters."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD_OF[name.isascii()].findall(name)]


def _is_void(found: re.Match[str]) -> bool:
    return found["sign"] in _ANGLES and _VOID_END.search(found.group()) is not None
