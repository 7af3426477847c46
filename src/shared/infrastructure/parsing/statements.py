"""Where a text states its answer: all of it, or what stands behind a label such as "Answer:" in its last sentence.

A label counts where it begins its sentence ("So the answer is"), not inside one ("I doubt that the answer is").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.notations.fields import FAREWELL

MOST_LABELS = 256
"""Most labels of one text that are looked at."""
MOST_MARKS = 12
"""Most marks around a value that are taken off."""
_SENTENCE_LIMIT = 200
"""Most characters of an earlier sentence that are looked at."""
_LEAD_LIMIT = 80
"""Most characters between the beginning of a sentence and its label."""
_NOTHING = " \t\n\r\v\f\u00a0\u2028\u2029\u3000\ufeff\u200b\u200c\u200d\u2060\x00"
_ENDS = ("", ".", "。", "!", "！")
"""What stands in front of a box that begins its sentence."""
_DIGIT = expression(r"\d")
_PAIRS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("```", "```"), ("`", "`"), ("$$", "$$"), ("$", "$"),
    ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("「", "」"), ("『", "』"), ("«", "»"), ("【", "】"), ("《", "》"),
    (r"\(", r"\)"), (r"\[", r"\]"), (r"\boxed{", "}"), (r"\text{", "}"), (r"\textbf{", "}"), (r"\mathbf{", "}"),
    (r"\mathrm{", "}"), ("[[", "]]"), ("<|begin_of_box|>", "<|end_of_box|>"), ("<b>", "</b>"), ("<em>", "</em>"),
    ("<strong>", "</strong>"), ("<code>", "</code>"), ("<p>", "</p>"), ("<answer>", "</answer>"),
    ("<final_answer>", "</final_answer>"),
)  # fmt: skip
"""Marks around a value that say nothing of it; tags in any letters."""
_QUOTES = frozenset("\"'“‘「『«")
"""Those that stand in pairs in a sentence, too."""
_ROUND = (("(", ")"), ("（", "）"))
"""The same around a word; around a number they are a minus sign to an accountant."""
_FENCE = expression(r"(`{3,9}+|~{3,9}+)[ \t]{0,3}+(?:json|text|txt|plaintext|markdown|md)?[ \t]{0,3}+\r?\n")
_BEFORE_VALUE = expression(
    r"(?:(?<=\n)|\A)(?:-{3,9}+|\*{3,9}+|_{3,9}+)[ \t]{0,9}+\r?\n|#{1,6}+[ \t]++|>[ \t]*+(?=[^\d\n]++\Z)"
)
"""A line between paragraphs; the mark of a heading; that of a quotation, unless `> 5` may say more than five."""
_ENDS_TURN = expression(r"(?:</s>|<\|(?!end_of_box)\w{1,40}+\|>|\n(?:-{3,9}+|\*{3,9}+|_{3,9}+))\Z")
"""A mark of the end of a turn, or a line between paragraphs."""
_STOP = expression(r"(?<![.。．｡…])[.。．｡]\Z")
_CALL = expression(r"(?<![!！?？.…])[!！]\Z")
"""Behind a word; behind a number it makes another one."""
_TURN_LIMIT = 80

_TO_WHAT = r"(?:[ ]to[ ](?:the|this|your)[ ](?:question|problem))?"
_ANSWERS = (
    (
        r"(?:(?:the|my|our)[ ])?(?:(?:final|correct|right|best|most[ ]appropriate)[ _])?",
        rf"(?:answer{_TO_WHAT}|result|conclusion|verdict|decision|(?<=correct[ ])(?:option|choice))",
        r"is(?!\w)",
    ),
    (
        r"(?:我的)?(?:最终|最終|最后|最後|正确|正確)?的?",
        r"(?:答案|结论|結論|结果|結果|(?<=正确)选项)",
        r"[是为為](?![不否非没沒未])",
    ),
    ("", "故选", r"(?![不择取项])"),
    (r"(?:la[ ])?", r"respuesta(?:[ ](?:final|correcta))?", r"es(?!\w)"),
    (r"(?:die[ ])?(?:(?:endgültige|finale|richtige)[ ])?", r"antwort", r"(?:ist|lautet)(?!\w)"),
    (r"(?:la[ ])?", r"réponse(?:[ ](?:finale|correcte))?", r"est(?!\w)"),
    (r"(?:a[ ])?", r"resposta(?:[ ](?:final|correta))?", r"é(?!\w)"),
    (r"(?:la[ ])?", r"risposta(?:[ ](?:finale|corretta))?", r"è(?!\w)"),
    (r"(?:最終)?(?:的な)?", r"(?:答え|回答|解答)", "は"),
)
"""A row a language: what stands before the word for an answer, that word, and the verb behind it, if no colon is."""
_POINTED = expression("respuesta|antwort|réponse|resposta|risposta", re.IGNORECASE)
"""The words of languages that part thousands with a point."""
_NAMES = "|".join(noun for _, noun, _ in _ANSWERS)
_BEFORE = "|".join(before for before, _, _ in _ANSWERS)
_MARKS = '*_"”`'
_SAID = "|".join(rf"{noun}[{_MARKS}]{{0,3}}+[ \t]{{0,3}}+(?:[:：]|(?:{verb})[:：]?+)" for _, noun, verb in _ANSWERS)
_MATH = repeated(r"\$\$?|\\[\[(]", "?") + r"\s{0,9}+"
_LABEL = expression(
    rf"(?<![A-Za-z])(?=[aAcCdDoOrRvV答結结回解选故【<$\\#])(?:(?i:{_SAID})|【(?:最终|正确)?答案】[:：]?+"
    rf"|(?P<line>(?i:{_NAMES})[*_]{{0,3}}+[ \t]{{0,3}}+(?=\r?\n))"
    rf"|(?P<tag>(?i:<(?:final_)?answer>)|(?<![^\n])####[ ](?=[+\-−]?\d))|(?P<box>{_MATH}\\boxed\{{))"
)
_BOX = expression(rf"{_MATH}(?P<box>\\boxed\{{" + repeated(r"[^{}]|\{[^{}]{0,99}+\}", "{0,99}") + r"\})")
_OPENER = (
    "so|thus|therefore|hence|finally|overall|in conclusion|in summary|to conclude|sure|certainly|here is|here's"
    "|based on the above|based on the above analysis|based on the analysis|based on this analysis|based on my analysis"
    "|based on this|根据以上分析|基于以上分析|综合以上分析|综合来看|因此|所以|故|综上|综上所述|总之|最后|最终"
    "|entonces|por lo tanto|also|daher|donc|portanto|quindi|よって|したがって"
).replace(" ", "[ ]")
"""What may begin a sentence before its label."""
_CALLED = f"(?:{_BEFORE})(?:{_NAMES})"
_LEAD = expression(
    rf"""
    (?: (?P<paragraph> \n [ \t\r]{{0,9}}+ \n ) | (?P<line> \n )
      | (?<! \be\.g ) (?<! \bi\.e ) (?P<ends> [.!?] [*_"”]{{0,3}}+ [ \t]++ | [。！？] ) )
    (?P<first> [ \t]{{0,9}}+ (?: (?: [-*+•] | \#{{1,6}}+ | \d{{1,3}}+ [.)] ) [ \t]++ )? (?P<outer> [*_`]{{0,3}}+ )
    (?: (?i: {_OPENER} ) [,，、:：]?+ [ \t]*+ )? (?: (?i: {_CALLED} ) [ ]? [:：] \s{{0,3}}+ )?
    (?P<inner> [*_`]{{0,3}}+ ) (?i: {_BEFORE} ) ) \Z
    """,
    re.VERBOSE,
)
"""What stands from the beginning of a sentence to its label."""
_TO_COLON = repeated(r"[^\n:：]*+[:：]", "+")
_PRESENTED = expression(rf"(?:\A|\n)(?![ \t]{{0,9}}(?:#|\*\*|__|(?i:{_CALLED}))){_TO_COLON}\W{{0,9}}\Z")
"""A line in front of a sentence that presents it, as what somebody may say, and is no heading."""
_BEGINS = expression(r"[\s*_`\"“]{0,20}+")
_SENTENCE_ENDS = expression(r"[.!?][*_`\"”]{0,3}+(?:\s|\Z)|[。！？]")


class Statement(NamedTuple):
    """A label of an answer.

    Attributes:
        label: where it begins.
        start: where what it names begins.
        end: where that ends, if it is the last one of the text.
        is_plain: whether it begins its sentence, and the marks around it are in pairs.
        is_pointed: whether its language parts thousands with a point.
        box: where a line behind it begins that is only a box, which may say the same again.
    """

    label: int
    start: int
    end: int
    is_plain: bool
    is_pointed: bool = False
    box: int | None = None


def without_marks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A part of a text without the white space around it, and then without each mark around it, from the outside in."""
    for _ in range(MOST_MARKS):
        inside = text[start:end].lstrip(_NOTHING)
        start, end = end - len(inside), end - len(inside) + len(inside.rstrip(_NOTHING))
        yield start, end
        inner = _inside(text, start, end)
        if inner is None:
            return
        start, end = inner


def _inside(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What stands inside one mark; None where there is none."""
    behind, is_word = max(start, end - _TURN_LIMIT), _DIGIT.search(text, start, end) is None
    if begun := _BEFORE_VALUE.match(text, start, end):
        return begun.end(), end
    for mark in (_ENDS_TURN, FAREWELL, _STOP, *[_CALL] * is_word):
        if over := mark.search(text, behind, end):
            return start, over.start()
    part, fence = text[start:end].lower(), _FENCE.match(text, start, end)
    fences = [(fence[0], fence[1])] if fence else []
    for opening, closing in (*fences, *_PAIRS, *_ROUND * is_word):
        inner = start + len(opening), end - len(closing)
        if inner[0] < inner[1] and part.startswith(opening.lower()) and part.endswith(closing):
            return None if opening in _QUOTES and text.find(closing, *inner) >= 0 else inner
    return None


def labels_in(text: str) -> list[re.Match[str]]:
    """The words of a text that may be labels, at most one more than are looked at."""
    return [*islice(_LABEL.finditer(text), MOST_LABELS + 1)]


def statements(text: str, start: int, end: int, labels: Iterable[re.Match[str]]) -> list[Statement]:
    """What those of the labels that stand in a part of a text say."""
    inside = [label for label in labels if start <= label.start() < end]
    found = [(label, _statement(text, start, end, label)) for label in inside]
    box = None
    while found and found[-1][0]["box"] and not (found[-1][1] and found[-1][1].is_plain):
        box = found.pop()[0].start()  # the value of another label, or a part of a sentence
    named = [one for _, one in found if one]
    if named and box is not None and text[:box].rstrip(" \t").endswith("\n"):
        named[-1] = named[-1]._replace(box=box)
    return named


def _statement(text: str, start: int, end: int, label: re.Match[str]) -> Statement | None:
    """What a label says; None for a line that is no heading."""
    at, said = label.start(), "" if label["tag"] or label["box"] else label[0]
    begin, is_pointed = at + len(said), _POINTED.match(said) is not None
    before = ("\n\n" if at - _LEAD_LIMIT <= start else "…") + text[max(start, at - _LEAD_LIMIT) : at]
    lead = _LEAD.search(before)
    is_cut = bool(label["box"]) and before.rstrip(_NOTHING)[-1:] not in _ENDS
    if lead is None or is_cut or (label["box"] and lead["ends"]) or not _begins_sentence(lead, said):
        return None if label["line"] else Statement(at, begin, end, is_plain=False)
    opened = at - len(lead["first"])
    if _PRESENTED.search(text[max(start, opened - _SENTENCE_LIMIT) : opened].rstrip()):
        return Statement(at, begin, end, is_plain=False)
    run, closes = lead["outer"] + lead["inner"], "".join(filter(_MARKS.__contains__, said))
    is_plain = closes in ("", run)
    if run != closes and text.startswith(run, begin):
        begin += len(run)
    elif run != closes:
        inner = end - text.endswith((".", "。", "．", "｡"), begin, end)
        is_plain = is_plain and text.endswith(run, begin, inner)
        end = inner - len(run) if is_plain else end
    return Statement(at - len(lead["first"].lstrip()), begin, end, is_plain, is_pointed)


def _begins_sentence(lead: re.Match[str], label: str) -> bool:
    """Whether a label does not go on with what stands before it: a line may have been broken, `e.g.` ends nothing."""
    first = next(filter(str.isalpha, lead["first"] + label), "A")
    if lead["paragraph"] is not None or first.isupper():
        return True
    is_label = label.endswith((":", "：")) or label.startswith(("故", "【"))
    return not first.islower() and (lead["line"] is None or is_label)


def lead_of(text: str, statement: Statement) -> str:
    """What stands before a label in its sentence, or on its line."""
    before = text[max(0, statement.label - _LEAD_LIMIT) : statement.label].rpartition("\n")[2]
    return _SENTENCE_ENDS.split(before)[-1]


def sentence_of(text: str, statement: Statement) -> tuple[int, int]:
    """The rest of the sentence behind an earlier label."""
    box = _BOX.match(text, statement.start) if statement.start == statement.label else None
    if box:
        return box.span("box")
    start = match_end(_BEGINS, text, statement.start)
    line = text[start : start + _SENTENCE_LIMIT].partition("\n")[0]
    return start, start + len(_SENTENCE_ENDS.split(line)[0])
