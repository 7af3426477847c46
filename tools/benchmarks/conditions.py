"""The conditions a text arrives in: how it is wrapped and damaged, and the value a careful reader takes from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from tools.benchmarks.documents import Document, clean_text
from tools.benchmarks.writing import Damage, Token, retouch, write

REFUSE: Final = "refuse"
"""Expected where the text does not hold the whole answer."""

Case = tuple[str, Document | str]
"""The text, and the expected value or `REFUSE`."""

FEW = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """A name for the tables, what it is in words, and the maker of a text from a document."""

    name: str
    meaning: str
    make: Callable[[Document], Case]


def conditions() -> tuple[Condition, ...]:
    """Return every condition, in the order of the tables."""
    wrapped = (
        Condition("clean", "JSON and nothing else", _wrap("{}")),
        Condition("fenced", "in a ```json fence", _wrap("```json\n{}\n```")),
        Condition(
            "think + fence", "after a reasoning block, in a fence", _wrap(f"<think>{_THOUGHT}</think>\n{_FENCED}")
        ),
        Condition(
            "think with a draft + fence",
            "the reasoning block holds another whole, valid answer",
            lambda document: (_think_with_draft(document) + _fence(clean_text(document)), document),
        ),
        Condition("prose", "a sentence before and after", _wrap(f"{_INTRO}\n\n{{}}\n\n{_OUTRO}")),
        Condition("prose with brackets", "the sentences hold [ ] and { }", _wrap(f"{_BRACKETS}\n\n{{}}\n\n{_AFTER}")),
    )
    damaged = tuple(
        Condition(f"{name} {where}", f"{meaning}, {where}", make(places))
        for name, meaning, make in _DAMAGED
        for where, places in (("everywhere", None), ("in 3 places", FEW))
    )
    return (*wrapped, *damaged, Condition("truncated", "cut off inside a string: must be refused", _truncated))


_THOUGHT = (
    "用户需要一份研报。先看盈利能力，再看现金流与估值。The margin is stable and cash covers the dividend, so the "
    "rating should be positive. 注意不要遗漏风险提示。"
)
_INTRO = "好的，以下是根据最新财报整理的分析结果。Here is the report you asked for:"
_OUTRO = "以上仅供参考，不构成投资建议。Let me know if you need anything else."
_BRACKETS = "Following the template {company, rating} and the tables [2] and [3], 结论如下（详见[附录{A}]）:"
_AFTER = "Sources: [1] annual report, [2] call transcript {Q3}. 如需调整请告知。"
_FENCED = "```json\n{}\n```"


def _fence(text: str) -> str:
    return _FENCED.replace("{}", text)


def _wrap(frame: str) -> Callable[[Document], Case]:
    head, tail = frame.split("{}")
    return lambda document: (head + clean_text(document) + tail, document)


def _think_with_draft(document: Document) -> str:
    draft = {**document, "rating": "卖出", "target_price": 12.0, "sections": document["sections"][:1]}
    return f"<think>{_THOUGHT} Draft:\n{clean_text(draft)}\n重新考虑后，评级应上调。</think>\n"


def several_wrapped(document: Document, text: str) -> str:
    """A text in a fence, behind reasoning with a draft of its document, with prose around the fence."""
    return f"{_think_with_draft(document)}{_INTRO}\n\n{_fence(text)}\n\n{_OUTRO}"


def _truncated(document: Document) -> Case:
    text = clean_text(document)
    start = text.rindex('"claim": "') + len('"claim": "')
    return text[: start + 12], REFUSE


def _raw(token: Token) -> str:
    """Write a string with its line breaks as they are."""
    return token.text.replace("\\n", "\n")


def _unescaped(token: Token) -> str:
    return token.text.replace('\\"', '"')


def _single(token: Token) -> str:
    return "'" + _unescaped(token)[1:-1] + "'"


def _curly(token: Token) -> str:
    return "“" + token.text[1:-1] + "”"


def _full_width(token: Token) -> str:
    return token.text.translate({ord(ascii_): wide for ascii_, wide in zip("{}[],:", "｛｝［］，：", strict=True)})


def _python_literal(token: Token) -> str:
    return repr(token.value)


def _is_word(token: Token) -> bool:
    return token.value is None or isinstance(token.value, bool)


def _add_line_break(text: str, _number: int) -> str:
    middle = len(text) // 2
    return text[:middle] + "\n" + text[middle:]


def _add_quotes(text: str, number: int) -> str:
    """Put a quoted word into the text: before a word, before a comma, or at the end."""
    middle = text.find(" ", len(text) // 2) + 1 or len(text) // 2
    chinese = text[0] > "\x7f"
    word = '"护城河"' if chinese else '"moat"'
    forms = (
        text[:middle] + word + (text[middle:] if chinese else " " + text[middle:]),
        text[:middle] + word + ("，" if chinese else ", ") + text[middle:],
        text + word if chinese else f"{text} {word}",
    )
    return forms[number % len(forms)]


_RAW_BREAKS = Damage("string", _raw, lambda token: "\n" in token.value)
_RAW_QUOTES = Damage("string", _unescaped, lambda token: '"' in token.value)


def _line_breaks(places: int | None) -> Callable[[Document], Case]:
    return lambda document: _both(retouch(document, _add_line_break, places), (_RAW_BREAKS,))


def _inner_quotes(places: int | None) -> Callable[[Document], Case]:
    return lambda document: _both(retouch(document, _add_quotes, places), (_RAW_QUOTES,))


def _plain(*damages: Damage) -> Callable[[int | None], Callable[[Document], Case]]:
    """Make a condition of damages that leave the document as it is; few places are dealt out to them in turn."""

    def make(places: int | None) -> Callable[[Document], Case]:
        if places is None:
            return lambda document: _both(document, damages)
        shares = [places // len(damages) + (turn < places % len(damages)) for turn in range(len(damages))]
        placed = tuple(replace(damage, places=share) for damage, share in zip(damages, shares, strict=True) if share)
        return lambda document: _both(document, placed)

    return make


def _both(document: Document, damages: tuple[Damage, ...]) -> Case:
    return write(document, damages), document


_BARE_KEYS = Damage("key", lambda token: str(token.value))
_TRAILING_COMMA = Damage("end", lambda _: ",")


def _several(places: int | None) -> Callable[[Document], Case]:
    """Reasoning, prose and a fence around a text with raw line breaks, bare keys, trailing commas, Python's words."""
    one = None if places is None else 1
    damages = (
        _RAW_BREAKS,
        replace(_BARE_KEYS, places=one),
        replace(_TRAILING_COMMA, places=one),
        Damage("scalar", _python_literal, _is_word, places=one),
    )

    def make(document: Document) -> Case:
        text, expected = _both(retouch(document, _add_line_break, one), damages)
        return several_wrapped(document, text), expected

    return make


_DAMAGED: tuple[tuple[str, str, Callable[[int | None], Callable[[Document], Case]]], ...] = (
    ("literal newlines", "line breaks inside strings, not escaped", _line_breaks),
    ("trailing commas", "a comma before a closing bracket", _plain(_TRAILING_COMMA)),
    ("single quotes", "'…' for \"…\"", _plain(Damage("string", _single), Damage("key", _single))),
    ("unquoted keys", "keys without quotes", _plain(_BARE_KEYS)),
    ("unescaped inner quotes", "quoted words inside strings, not escaped", _inner_quotes),
    (
        "full-width",
        "“…” ，： ｛｝［］ as JSON's own punctuation",
        _plain(
            Damage("string", _curly),
            Damage("comma", _full_width),
            Damage("colon", _full_width),
            Damage("key", _curly),
            Damage("open", _full_width),
            Damage("close", _full_width),
        ),
    ),
    ("several at once", "reasoning with a draft, prose, fence, line breaks, bare keys, commas, None/True", _several),
)
