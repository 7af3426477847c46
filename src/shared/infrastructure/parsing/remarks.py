"""What the words beside an object say of it: in front that it is an example or a draft, behind that it is taken back.

A heading says that an object is not the answer, such as "Example:" or "Input:". It is the line before the object (or
before its fence), the text before it on its own line, or its tag: a few words that end in a colon, or are marked as a
heading. It counts only if every word of it is known here, so that a sentence which merely mentions a format or a draft
("Here is the answer in the format you asked for:") has no effect. There is no such rule for "Final answer:" or
"Correction:". Models that do not stop write the next question and its "Solution:" themselves. Which of two answers
counts is then up to the caller (`several="last"`).

A heading of reasoning ("Thought:", "## Thinking") says it of every object in its own paragraph, unless a heading of
the answer stands between them. Words in front of an object may deny it ("I would not give {…}"); those behind it take
it back ("{…} is wrong"), or say that a list goes on behind its end.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from itertools import dropwhile, pairwise
from typing import Any

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.reading.signs import MARGIN, OPENERS
from src.shared.domain.reasoning import REASONING_STEMS, RESULT_WORDS


class Heading(Enum):
    """What a heading says of the object under it."""

    SHOWN = auto()
    """An example, a template, a draft, an earlier version, what is denied or taken back: never the answer."""
    GIVEN = auto()
    """The input, or an object in a tag that says no more than its name: not the answer where there is another."""
    CALLED = auto()
    """A sentence calls it an example or a format: not the answer where there is one before it."""


LOOK_BACK = 200
"""Characters before an object in which its heading has to stand."""
HEADING_LIMIT = 80
"""Most characters of a heading."""
_PASSING_LIMIT = 20
"""Characters at the end of the lead that are enough for all that `_IN_PASSING` looks for."""
_EXAMPLES = frozenset("example examples sample samples template skeleton placeholder".split())
_FORMATS = frozenset(["format", "schema"])
"""Not behind "Here is the": so begins an answer, too."""
_SHOWN = (
    _EXAMPLES
    | _FORMATS
    | set(
        """
    draft drafts attempt try old older outdated previous previously earlier before original wrong incorrect invalid
    示例 例子 样例 格式 模板 草稿 初稿 草案 旧版 旧版本 旧答案 原文 错误示例 错误答案 输出格式 返回格式 例 下書
    beispiel vorlage entwurf falsch exemple brouillon ejemplo borrador esempio bozza exemplo rascunho
    """.split()
    )
)
_GIVEN = frozenset(["input", "inputs", "given", "输入"])
_BESIDE_IT = frozenset(
    """
    a an the my our your only json object version value values output response answer result first second initial rough
    expected required desired
    """.split()
)
"""What else such a heading may say: "Expected output format", "My first draft"."""
_BEFORE_NOUN = frozenset(
    """
    a an the my our your one another only for reference note as json output response answer result valid possible
    generic expected required requested desired target
    """.split()
)
_PRESENTS = frozenset("here below this these following is was are s".split())
_BEHIND_NOUN = frozenset("of for is was would could looks below i".split())
"""In a sentence that calls what follows an example: "An example of such an answer is", "The format was"."""
_EXAMPLE_IN_CHINESE = expression(
    r"(?:以下|下面|这)?是?(?:一个|一份)?(?:预期|期望|参考|完整)?的?(?:输出|返回|回答|响应|结果)?的?(?:格式)?的?"
    r"(?:示例|样例|例子|模板|范例)(?:如下|为|是)?\Z"
)
_TELLING = _SHOWN | _GIVEN
_KNOWN = _TELLING | _BESIDE_IT
_IN_PASSING = expression(
    r"(?:\be\.\s?g\.|\bfor (?:example|instance)\b|\bsuch as\b|\bas in\b|例如|比如|譬如|例えば"
    r"|\b(?:zum Beispiel|par exemple|por ejemplo)\b)[,:：，、]?\Z",
    re.IGNORECASE,
)
_ENDS_IN_PASSING = ("g.", "ple", "plo", "spiel", "instance", " as", " in", "例如", "比如", "譬如", "例えば")
_STRUCK = (" ~~", "\n~~", "<del>", "<s>", "<strike>")
"""Marks of struck text in front of an object."""
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
_NOT_CHINESE = expression(r"\s|json")
CLAUSE_END = expression(r"[.!?;]\s++|[。！？；]")


def heading_of(text: str, start: int, *, of_reasoning: bool = True) -> Heading | None:
    """What the heading says of the object that opens at `start`; None if there is none, or it says neither.

    `of_reasoning` is whether one counts that says reasoning of all its paragraph.
    """
    lead, clause = _clause_before(text, start)
    if not lead:
        return None
    is_on_its_line = "\n" not in text[max(0, start - LOOK_BACK) + len(lead) : start]
    last = lead[-_PASSING_LIMIT:]
    if (
        (last.lower().rstrip(",:：，、").endswith(_ENDS_IN_PASSING) and _IN_PASSING.search(last))
        or f" {last}".endswith(_STRUCK)
        or _is_denied(clause, is_on_its_line=is_on_its_line)
        or (of_reasoning and _is_reasoned(text[max(0, start - PARAGRAPH_LIMIT) : start]))
    ):
        return Heading.SHOWN
    return _heading_in(clause)


def may_have_headings(text: str) -> bool:
    """Whether a word stands in a text that a heading of an example or a draft has."""
    parts = (text[at : at + PARAGRAPH_LIMIT + HEADING_LIMIT].lower() for at in range(0, len(text), PARAGRAPH_LIMIT))
    return any(word in part for part in parts for word in _TELLING)


def place_of_heading(text: str, start: int) -> tuple[int, int]:
    """From where to where the clause stands in which the heading of the object is that opens at `start`."""
    lead, clause = _clause_before(text, start)
    end = max(0, start - LOOK_BACK) + len(lead)
    return end - len(clause), end


def _clause_before(text: str, start: int) -> tuple[str, str]:
    """The text before an object, or before its fence, and the last clause of it."""
    lead = text[max(0, start - LOOK_BACK) : start].rstrip()
    if "```" in lead or "~~~" in lead:
        lead = _FENCE_OPENS.sub("", lead).rstrip()
    return lead, CLAUSE_END.split(lead.rpartition("\n")[2])[-1]


def _heading_in(clause: str) -> Heading | None:
    """What a clause in front of an object says of it, if it is a heading."""
    heading = _HEADING.match(clause)
    if heading is None or not (heading["end"].strip() or _IS_MARKED.search(heading["mark"])):
        return None
    said = heading["words"].lower()
    words = _WORD_OF[said.isascii()].findall(said)
    if _KNOWN.isdisjoint(words) or not _KNOWN.issuperset(words):
        return (
            Heading.CALLED if _calls_example(words) or _EXAMPLE_IN_CHINESE.match(_NOT_CHINESE.sub("", said)) else None
        )
    if _TELLING.isdisjoint(words):
        return None
    return Heading.SHOWN if _GIVEN.isdisjoint(words) and "<" not in heading["mark"] else Heading.GIVEN


def _calls_example(words: list[str]) -> bool:
    """Whether a sentence is about an example, or about the format: what it has, or is, follows."""
    behind = [*dropwhile((_BEFORE_NOUN | _PRESENTS).__contains__, words)]
    is_presented = not _PRESENTS.isdisjoint(words[: len(words) - len(behind)])
    rest = [*dropwhile((_EXAMPLES if is_presented else _EXAMPLES | _FORMATS).__contains__, behind)]
    return len(rest) < len(behind) and (not rest or rest[0] in _BEHIND_NOUN)


PARAGRAPH_LIMIT = 2_000
"""Characters before an object in which the heading of reasoning over its paragraph has to stand."""
_SAYS_REASONING_IN_CHINESE = ("思考", "推理", "反思", "思路", "思维", "内心独白")
_SAY_REASONING = (*REASONING_STEMS, *_SAYS_REASONING_IN_CHINESE)
_PARAGRAPH_BEGINS = expression(r"\n[ \t>]*+\r?\n|^[ \t]*+(?:`{3}|~{3})[^\n]*+\n", re.MULTILINE)
_CLAUSE = expression(r"[^\n.!?;。！？；]++[.…]*+")
_MAY_BE_LABEL = expression(r"[:：…#*_【\[]|\.\.")
_LABEL = expression(
    rf"""
    (?P<mark> [^\w\n:：{{}}<＜]{{0,{MARGIN}}}+ )
    (?P<words> \w [\w\ '’\#\-]{{0,{HEADING_LIMIT}}}? )
    (?: [^\S\n]?[(（] [^()（）\n]{{0,{MARGIN}}}+ [)）] )?
    (?:
      [*_\s\])）】」』>]{{0,{MARGIN}}}+ (?: [:：] | [.…]{{2}} | … )
    | (?P<bare> [*_\])）】]{{0,{MARGIN}}}+ (?: \s*+ \Z | (?<=[*】\]]) ) )
    )
    """,
    re.VERBOSE,
)
"""A heading at the beginning of a clause; without a colon it needs a mark."""
_OF_REASONING = frozenset(
    """
    my the our your a s let me us process processes step steps by chain of internal inner out loud aloud trace log
    block section phase initial first second next quick brief detailed deep model ai agent assistant hidden private
    note notes and analysis plan planning part mode stage time begin start for seconds minutes about it here is are
    """.split()
)
"""What else a heading of reasoning may say: "Thinking Process", "My first thoughts", "Let me think"."""
_OF_THE_ANSWER = RESULT_WORDS | {"action", "input", "conclusion", "solution", "decision", "verdict", "observation"}
_BESIDE_ANSWER = _BESIDE_IT | {"is", "are", "so", "then", "therefore", "thus", "now", "here", "s", "in", "to", "call"}
_SAYS_ANSWER_IN_CHINESE = ("答案", "结果", "结论", "回答", "输出", "回复", "最终", "行动", "动作", "操作")


def _is_reasoned(lead: str) -> bool:
    """Whether the last heading in the paragraph that a text ends in says reasoning."""
    lowered = lead.lower()
    if not any(map(lowered.__contains__, _SAY_REASONING)):
        return False
    begins = max((found.end() for found in _PARAGRAPH_BEGINS.finditer(lead)), default=0)
    is_reasoning = False
    for clause in _CLAUSE.finditer(lead, begins):
        label = _LABEL.match(clause.group()) if _MAY_BE_LABEL.search(clause.group()) else None
        if label and (label["bare"] is None or _IS_MARKED.search(label["mark"])):
            said = _said_by(label["words"])
            is_reasoning = is_reasoning if said is None else said
    return is_reasoning


def _said_by(label: str) -> bool | None:
    """Whether a heading says reasoning; None where it says neither that nor the answer."""
    label = label.lower()
    words = set(_WORD_OF[label.isascii()].findall(label))
    says_answer = not words.isdisjoint(_OF_THE_ANSWER) and words <= _OF_THE_ANSWER | _BESIDE_ANSWER
    if says_answer or any(word in label for word in _SAYS_ANSWER_IN_CHINESE):
        return False
    others = words - _OF_REASONING
    is_reasoning = bool(others) and all(any(stem in word for stem in REASONING_STEMS) for word in others)
    return True if is_reasoning or label.startswith(_SAYS_REASONING_IN_CHINESE) else None


_WORDS = expression(r"[a-z]++(?:[’'][a-z]++)?")
_DENIAL_WORDS = 8
"""Most words in front of an object that are looked at for a denial."""
_NEGATIONS = frozenset("not never cannot avoid without".split())
_DENIES_A_DENIAL = frozenset("be been a reason reasons".split())
"""What stands between two negations, of which the second takes back the first: "it would not be wrong to return"."""
_DENIALS = frozenset(
    (word, behind) for word in ("wrong", "incorrect", "bad") for behind in ("to", "answer", "response", "output")
) | {("mistake", "to"), ("instead", "of"), ("rather", "than"), ("refuse", "to"), ("decline", "to"), ("tempted", "to")}
_BETWEEN = frozenset(
    """
    to be is would could of than by for me us just simply ever again either give giving return returning answer
    answering output outputting produce respond reply say saying write send submit emit choose pick use using put
    print think believe a an the with as like json object result response following something
    """.split()
)
"""What may stand between such a word and the object: "not to return", "wrong to answer with"."""
_SAYS_NOTHING = ("say:", "saying:", "not answer:", "n't answer:", "n’t answer:", "never answer:", "respond:", "reply:")
"""What ends a sentence about someone else: "the text does not say: {…}"."""
_DENIES_IN_CHINESE = expression(
    r"""
    (?:
      (?: 不 [应该能要可以会宜当得]{0,4}+ | 勿 | (?<! [\u4e00-\u9fff] ) 别 | 避免 | 拒绝 ) (?: 直接 | 再 )?
      (?: 返回 | 给出 | 输出 | 回答 | 回复 | 提交 | 写成? | 填写? | 选择? | 用 )
    | (?: (?<! 是 ) 不 [应该会能]{0,2}+ 是 | 并非 | 而非 ) (?: 答案 )?
    )
    [\s:：`"“]{0,6}+ \Z
    """,
    re.VERBOSE,
)
_COMMA = expression("[,，]")
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？")
_IS_NONE = expression(
    r"\b(?:(?:would|could|might) (?:not )?have \w++|used to be|d(?:o|id) you mean)\W*+\Z"
    r"|\A\W*+(?:initially|originally|at first) i\b",
    re.IGNORECASE,
)
"""A clause about what was once, was not, or is asked: "It would have been {…}", "At first I had {…}"."""
_MAY_BE_NONE = frozenset("been returned given answered said be mean initially originally at".split())
"""The last word or the first of such a clause."""
_ASKS_IN_CHINESE = ("您是指", "你是指", "您是说", "你是说", "您的意思是", "你的意思是")


def _is_denied(clause: str, *, is_on_its_line: bool) -> bool:
    """Whether the clause in front of an object says that it is not the answer: "It would be wrong to return {…}"."""
    part = _COMMA.split(clause)[-1]
    is_announced = part.endswith((":", "：")) or is_on_its_line
    if not is_announced or part.endswith((*_ENDS_SENTENCE, *_SAYS_NOTHING)):
        return False
    words = ["", *_WORDS.findall(part.lower())[-_DENIAL_WORDS:], ""]
    at = len(words) - 2
    if (words[at] in _MAY_BE_NONE or words[1] in _MAY_BE_NONE) and _IS_NONE.search(part):
        return True
    while words[at] in _BETWEEN:
        at -= 1
    if _is_negation(words[at]) or (words[at], words[at + 1]) in _DENIALS:
        first = next(dropwhile(_DENIES_A_DENIAL.__contains__, reversed(words[:at])), "")
        return first != "no" and not _is_negation(first)
    return _DENIES_IN_CHINESE.search(part) is not None or part.rstrip(" :：").endswith(_ASKS_IN_CHINESE)


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


# --- behind an object ---

_BEHIND = 200
"""Characters behind an object in which the words stand that take it back."""
_BEFORE_WORDS = " \t\r\n`~*_>.,;:()\"'”’—–-，。；："
_NO_WORDS = frozenset(["", *OPENERS])
_CORRECTS = expression(
    r"(?i:correction|errat(?:um|a)|korrektur|berichtigung)[ \t*_]{0,3}+[:：,—–]"
    r"|(?:更正|修正|纠正|勘误|訂正)[*_]{0,3}+[:：，]"
)
_WRONG_AT_ONCE = expression(
    r"[^\w\n]{0,9}+(?:这|以上|上面|该答案)?(?:是|就是)?(?:错误?的|不对|不正确|作废)"
    r"|[^\w]{0,9}+(?:(?:抱歉|对不起|等等|等一下|不对?|说错了)[,，。]|其实)(?:我?[弄搞说写看算]错了[,，。])?"
    r"\s?\w{0,9}\s?应该?[是为]"
    r"|[^\w]{0,9}+(?:以上|上面)的?(?:内容|答案|结果)?(?:是|就是)?(?:有误|错误?的|不对|不正确|作废)"
    r"|[^\w]{0,9}+请?(?:忽略|无视)(?:以上|上面|上述)的?(?:内容|答案|结果|回答|输出)?(?:[。！!\n]|\Z)"
    r"|[^\w\n]{0,9}+(?i:(?:ist|war|wäre) (?:falsch|nicht richtig)|est (?:faux|incorrect)|es incorrect"
    r"|は(?:間違|誤り|正しくな))"
    r"|[ \t`*\"'”’)]{0,9}+(?:failed validation|(?:was|is|got|gets) rejected"
    r"|(?:does|did|would|will)(?: not|n['’]t) (?:satisfy|match|fit|conform|validate|comply|pass))\b"
)
"""What stands at once behind an object that is wrong; most of it on its line."""
_WORD_OR_SIGN = expression(r"\w++(?:[’']\w++|[.,](?<=\d.)\d++){0,3}|[=:：→]")
_SUBJECTS = frozenset("it that this answer value result".split())
_SAYS = frozenset("is are was should must ist est = : ： →".split())
_SAYS_IN_CHINESE = expression("应该?[是为]|改[成为]|[是为]")
_VALUE_ALONE, _VALUE_LIMIT = 2, 12
"""Most words of a correction that is but a value, and most characters."""
_IS = "which|that|this|it|that's|it's|is|was|would|will|be|have|been|looks|seems"
_IS_CLEARLY = repeated(f"(?:{_IS}|a|clearly|definitely|simply|just|obviously|totally)[ ]")
_WRONG = "wrong|incorrect|mistaken|mistake"
_WORD_ENDS = r"(?:[ ]|\Z)"
_IS_WRONG = expression(
    rf"(?=(?:{_IS})[ ]){_IS_CLEARLY}(?:{_WRONG}|not[ ](?:right|correct|valid|the|my|what)){_WORD_ENDS}"
)
"""The words of a clause behind an object that says that it is wrong, or not right."""
_TO_ABOVE, _THE_ABOVE = (
    repeated(f"(?:{words})[ ]") for words in ("the|json|object|result", "the|above|json|object|result")
)
_WRONG_ABOVE = expression(
    rf"(?={_TO_ABOVE}above[ ]){_THE_ABOVE}{_IS_CLEARLY}(?:{_WRONG}|not[ ](?:right|correct|valid)){_WORD_ENDS}"
)
"""The same of one above. Not "the answer above": a grade may say of it that it is wrong."""
_INTERJECTIONS = expression(
    r"(?:(?:no|wait|oops|sorry|hmm|actually|hold on|on second thoughts?|on reflection|edit|update|my mistake"
    r"|i made a mistake|i apologi[sz]e for (?:the|that|my|this) (?:error|mistake)(?: above)?"
    r"|let me correct (?:that|this|it))\b[\s,.!…:：—–-]{0,9}+){1,4}",
    re.IGNORECASE,
)
_ADMITS = expression(
    r"i (?:misread|miscounted|misunderstood|overlooked|was wrong\b(?! to\b)"
    r"|should(?: have|['’]ve) (?:returned|answered|written|set|put|given|picked|chosen)\b(?! that\b))"
)
_NOT_HERE = frozenset("earlier previous previously before originally initially first last prior now nothing".split())
"""What the mistake was made in, if not in this answer: "I misread your first message"."""
_SHOULD_BE = expression(r"\b(?:should|must) (?:be|have been|read|say)\b(?! \w{1,30}ed\b)")
_MAKES = frozenset([("make", "that"), ("make", "it"), ("i", "meant")])
_ABOVE = repeated("(?:the|this|that|it|above|previous|answer|result|json|output|object|value|response)[ ]", "+")
_DROPS = expression(rf"(?:please[ ])?(?:scratch|strike|disregard|ignore|forget)[ ]{_ABOVE}(?P<behind>[^ ]*+)")
"""The words of a clause that says to ignore what is above, or a field."""
_BEHIND_ABOVE = frozenset(["", "and", "i", "it", "it's", "its", "here", "as", "because", "since"])
"""What may follow "ignore the above": a mail that may be ignored "if you did not ask" is none, nor is a warning."""
_TOLD_NUMBER = expression(
    r"""
    (?: (?:note|p\.?s\.?|nb|update|edit) \W{1,4} )? (?: the\ )? (?: (?:correct|right)\ )?
    [*_`"']{0,3}+ (?P<name>\w{1,60}+) [*_`"']{0,3}+ \ (?: is | should\ be | must\ be | is\ actually )\ [*_`]{0,3}+
    (?P<number> -?[0-9]{1,30}+ (?:\.[0-9]{1,30})? ) [*_`]{0,3}+
    (?= \s*+\Z | [ \t]*+\n | [.;!)](?!\w) | ,?\ (?:not|instead)\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A clause that says what the number of a field is, and nothing else: "The correct quantity is 3"."""
_IN_OTHER_UNITS = (100, 0.01, 1_000, 0.001, 1_000_000, 0.000_001)
_MOST = 10**15


def is_taken_back(text: str, end: int, data: object = None) -> bool:
    """Whether the words behind an object that ends there take it back: "{…} is wrong", "Correction: score is 7".

    A correction has to say what it corrects, where the `data` of the object are known: it may be of a text in it.
    """
    beside = text[end : end + _BEHIND]
    behind = beside.lstrip(_BEFORE_WORDS)
    if not behind:
        return False
    on_its_line = CLAUSE_END.split(beside.partition("\n")[0])[0]
    if _WRONG_AT_ONCE.match(beside) or _IS_WRONG.match(" ".join(_words_of(on_its_line))):
        return True
    if corrects := _CORRECTS.match(behind):
        said = CLAUSE_END.split(behind[corrects.end() :].strip(_BEFORE_WORDS))[0]
        words = _words_of(said)
        is_value = len(words) <= _VALUE_ALONE and len(said) <= _VALUE_LIMIT
        says_what = is_value or _SAYS_IN_CHINESE.search(said) or _names_a_field(words, data, _SUBJECTS)
        return said[:1] not in _NO_WORDS and (data is None or bool(says_what))
    begins = match_end(_INTERJECTIONS, behind, 0)
    words = [*_words_of(CLAUSE_END.split(behind[begins:])[0]), "", ""]
    clause = " ".join(words)
    admits = _ADMITS.match(clause) is not None and _NOT_HERE.isdisjoint(words)
    takes_back = (words[:2] == ["i", "take"] and "back" in words) or _WRONG_ABOVE.match(clause) is not None
    dropped = _DROPS.match(clause)
    fields = map(str.lower, data) if isinstance(data, dict) else ()
    drops = dropped is not None and (data is None or dropped["behind"] in {*_BEHIND_ABOVE, *fields})
    if admits or takes_back or drops or _tells_other_number(behind, data):
        return True
    if begins == 0:
        return False
    is_told = (words[0], words[1]) in _MAKES or _SHOULD_BE.search(clause) or _IS_WRONG.match(clause)
    return bool(is_told) or data is None or _names_a_field(words, data, frozenset())


def _tells_other_number(behind: str, data: object) -> bool:
    """Whether a clause says that a field is a number, and in the data it is another one.

    Where the data are not known, every clause of that kind may do so.
    """
    told = _TOLD_NUMBER.match(behind)
    if told is None or data is None:
        return told is not None
    fields = {key.lower(): value for key, value in data.items()} if isinstance(data, dict) else {}
    value: Any = fields.get(told["name"].lower())
    return type(value) in {int, float} and not _is_about(told["number"], value)


def _is_about(said: str, value: float) -> bool:
    """Whether a number that a text says is that of the data: rounded, or in percent, thousands or millions."""
    number, unit = float(said), 10 ** -len(said.partition(".")[2])
    if not -_MOST < value < _MOST or abs(value - number) < unit:
        return True
    return number != 0 and any(abs(value * factor - number) * 2 <= unit for factor in _IN_OTHER_UNITS)


def _words_of(clause: str) -> list[str]:
    return [word.lower() for word in _WORD_OR_SIGN.findall(clause)]


def _names_a_field(words: list[str], data: object, subjects: frozenset[str]) -> bool:
    """Whether a clause says what a field of the data is, and not what it is in them."""
    values = {key.lower(): value for key, value in data.items()} if isinstance(data, dict) else {}
    return any(
        (word in values or word in subjects)
        and not _SAYS.isdisjoint(words[at + 1 : at + 4])
        and not (word in values and _says_value(words[at:], values[word]))
        for at, word in enumerate(words)
    )


def _says_value(words: list[str], value: object) -> bool:
    """Whether a value stands among words, and is not denied there."""
    if type(value) in {int, float}:
        return any(before != "not" and _number(word) == value for before, word in pairwise(words))
    said, value = f" {' '.join(words)} ", f" {' '.join(_words_of(str(value)))} "
    return value.strip() != "" and value in said and f" not{value}" not in said


def _number(word: str) -> float | None:
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return None


_ROWS = r"(?:rows?|items?|entr(?:y|ies)|records?|elements?|objects?|results?|lines?)"
_ENDS = r"[ \t]*+(?:[.!?)\]\n。）】]|\Z)"
_GOES_ON = expression(
    rf"""
    [\s`*_(\[（【#/~>,，\-]{{0,12}}+ (?:
      (?P<dots> (?:\.{{3,9}}+|…{{1,3}}+) [)\]）]? [ \t]*+ (?:\n|\Z) )
    | (?: (?:\.{{3,9}}+|…{{1,3}}+) [\s(\[（]{{0,3}} )? (?:
        (?: (?:and|plus|\+)\ ? )?
        (?: so\ on | so\ forth
          | [0-9]{{1,9}}\ (?:more|others) (?:\ {_ROWS})? (?:\ (?:omitted|not\ shown|left\ out))? (?:\ for\ brevity)?
        ) {_ENDS}
      | etc {_ENDS}
      | (?: (?<=[(\[.…]) | (?:output|list|response|results?|json)\ (?:(?:is|was|has\ been)\ )? )
        (?: truncated | continued ) (?:\ here|\ for\ brevity|\ in\ the\ next\ \w{{1,20}})? {_ENDS}
      | (?:part|batch|chunk)\ (?P<one>[0-9]{{1,4}})\ ?(?:of|/)\ ?(?!(?P=one)\b)[0-9]{{1,4}} {_ENDS}
      | (?:the\ )? (?: remaining(?:\ [0-9]{{1,9}})?\ {_ROWS} | rest(?:\ of\ the\ {_ROWS})? )\ (?:(?:are|is|were|was)\ )?
        (?:omitted|not\ shown|left\ out|follows?\ the\ same\ \w{{1,20}}) (?:\ here|\ for\ brevity)? {_ENDS}
      | (?:note\W{{1,4}})? (?:i|i\ have|i['’]ve|this|this\ list)\ only\ (?:\w{{1,20}}\ ){{0,2}}?(?:the\ )?
        first\ (?P<first>[0-9]{{1,9}})\b (?! [^.\n]{{0,80}}?\b(?:as|per|ask|asked|request|requested|want|wanted)\b )
      | (?: would\ you\ like\ me\ to | do\ you\ want\ me\ to | (?:shall|should)\ i )
        \ (?:continue|proceed|go\ on)\ with\ the\ (?: remaining(?:\ [0-9]{{1,9}})? | rest\ of\ the )\ {_ROWS} {_ENDS}
      | 还有\s?[0-9]{{1,9}}\s?[条个项行件](?:数据|记录|结果)?(?:未列出|未显示|省略)? {_ENDS}
      | (?:其余|剩余|后面|以下)的?(?:\s?[0-9]{{1,9}}\s?)?[条个项行]?(?:数据|记录|内容|部分|条目|结果)?
        [已均都从]?省?略了? {_ENDS}
    ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands at once behind a list that goes on: "... and 8 more"."""


def goes_on(text: str, end: int, data: object = None) -> bool:
    """Whether the words behind a list, or an object with one, say that it has more than it shows.

    Where the data are not known, they may hold a list.
    """
    said = _GOES_ON.match(text, end, end + _BEHIND)
    if said is None or data is None:
        return said is not None
    lists = [value for value in (data.values() if isinstance(data, dict) else [data]) if isinstance(value, list)]
    if len(lists) != 1 or (said["dots"] and lists[0] is not data):
        return False
    return said["first"] is None or int(said["first"]) == len(lists[0])
