"""What the words behind an object say of it: that it is taken back, or that a list goes on behind its end."""

from __future__ import annotations

import re
from itertools import dropwhile, pairwise, takewhile
from typing import Any

from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.signs import OPENERS
from src.shared.infrastructure.parsing.headings import CLAUSE_END

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
_IS = frozenset("which that this it that's it's is was would will be have been looks seems".split())
_IS_CLEARLY = _IS | {"a", "clearly", "definitely", "simply", "just", "obviously", "totally"}
_WRONG = frozenset(["wrong", "incorrect", "mistaken", "mistake"])
_RIGHT = frozenset("right correct valid the my what".split())
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
_DROPS = frozenset("scratch strike disregard ignore forget".split())
_ABOVE = frozenset("the this that it above previous answer result json output object value response".split())
_BEHIND_ABOVE = frozenset(["", "and", "i", "it", "it's", "its", "here", "as", "because", "since"])
"""What may follow "ignore the above": a mail that may be ignored "if you did not ask" is none, nor is a warning."""
_OBJECTS = frozenset(["the", "above", "json", "object", "result"])
"""Not "answer": a grade may say of the answer above that it is wrong."""
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
    if _WRONG_AT_ONCE.match(beside) or _is_wrong(_words_of(on_its_line)):
        return True
    if corrects := _CORRECTS.match(behind):
        said = CLAUSE_END.split(behind[corrects.end() :].strip(_BEFORE_WORDS))[0]
        return said[:1] not in _NO_WORDS and (data is None or _says_what(said, data, _SUBJECTS))
    begins = match_end(_INTERJECTIONS, behind, 0)
    words = [*_words_of(CLAUSE_END.split(behind[begins:])[0]), "", ""]
    is_own = _admits(words) or (words[:2] == ["i", "take"] and "back" in words)
    if is_own or _drops(words, data) or _is_wrong_above(words) or _tells_other_number(behind, data):
        return True
    if begins == 0:
        return False
    is_told = (words[0], words[1]) in _MAKES or _SHOULD_BE.search(" ".join(words)) is not None
    return is_told or _is_wrong(words) or data is None or _names_a_field(words, data, frozenset())


def _drops(words: list[str], data: object) -> bool:
    """Whether a clause says to ignore what is above, or a field."""
    words = words[words[0] == "please" :]
    above = [*takewhile(_ABOVE.__contains__, words[1:])] if words[0] in _DROPS else []
    if not above:
        return False
    behind = words[len(above) + 1]
    return data is None or behind in _BEHIND_ABOVE or (isinstance(data, dict) and behind in map(str.lower, data))


def _admits(words: list[str]) -> bool:
    """Whether a clause admits a mistake that was made in this answer."""
    return words[0] == "i" and _ADMITS.match(" ".join(words)) is not None and _NOT_HERE.isdisjoint(words)


def _is_wrong_above(words: list[str]) -> bool:
    """Whether a clause says that the object above is wrong."""
    subject = [*takewhile(_OBJECTS.__contains__, words)]
    if "above" not in subject:
        return False
    rest = [*dropwhile(_IS_CLEARLY.__contains__, words[len(subject) :]), "", ""]
    return rest[0] in _WRONG or (rest[0] == "not" and rest[1] in {"right", "correct", "valid"})


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


def _says_what(said: str, data: object, subjects: frozenset[str]) -> bool:
    """Whether a correction is a value alone, or says what a field or the whole is."""
    words = _words_of(said)
    is_value = len(words) <= _VALUE_ALONE and len(said) <= _VALUE_LIMIT
    return is_value or _SAYS_IN_CHINESE.search(said) is not None or _names_a_field(words, data, subjects)


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


def _is_wrong(words: list[str]) -> bool:
    """Whether a clause that begins behind an object says that it is wrong, or not right."""
    if not words or words[0] not in _IS:
        return False
    rest = [*dropwhile(_IS_CLEARLY.__contains__, words), "", ""]
    return rest[0] in _WRONG or (rest[0] == "not" and rest[1] in _RIGHT)


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
