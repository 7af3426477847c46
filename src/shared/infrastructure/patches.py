r"""Damage undone everywhere at once, by substitutions that prove themselves: the short way for damaged text.

A substitution does not know what is in a string and what is not. So each of these is made such that the strict
decoder refuses the patched text if one of its places was inside a string: a quote that is put there ends the string,
and what follows it cannot follow a string; a line end that is put there is a control character, which strings must
not hold. Text that the decoder accepts has been patched outside its strings only, and is what the long way would have
made of it. Where the proof fails, nothing is lost but time.

Where it fails because the same slip also stands inside a string, or quotes stand there, the lexer of regular damage
(`reader/regular.py`) goes through the text token by token. Each expression here starts with one fixed character
instead, so that the engine skips what is undamaged at the speed of a search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import TypeAlias

from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.budget import Work
from src.shared.infrastructure.reader.cursor import EDITS_FLOOR
from src.shared.infrastructure.reader.edits import EditedText, counted
from src.shared.infrastructure.reader.patterns import OPENING
from src.shared.infrastructure.reader.regular import RegularDamage

Kinds: TypeAlias = Counter[RepairKind]
Patch: TypeAlias = Callable[[str], tuple[str, Kinds]]

_W = r"[ \t\n\r]*+"
_CLOSED = rf"(?={_W}[,:}}\]，：｝］])"
_WORD = r"([A-Za-z_$][\w$]*+)"
CHARACTERS_PER_KEY = 8
"""Most keys without quotes that are patched: so many characters for each, beyond the first `EDITS_FLOOR`."""
_MARK = "\n"
"""White space between tokens, refused inside a string."""


def _token(opening: str, closing: str) -> re.Pattern[str]:
    """A string in other quotes; none that starts with what could follow the end of a string, which proves nothing."""
    text = repeated(rf"[^\s,:}}\]，：｝］{opening}{closing}\"\\][^{opening}{closing}\"\\\n]*+", "?")
    return re.compile(rf"{opening}(?<=[\[{{,:\s｛［，：]{opening})({text}){closing}{_CLOSED}")


_SINGLE = _token("'", "'")
_CURLY = _token("“", "”")
_ALL_CURLY = re.compile("“([^“”]*+)”")
_KEY_AFTER_COMMA = re.compile(rf",{_W}{_WORD}{_W}:")
_KEY_AFTER_BRACE = re.compile(rf"\{{{_W}{_WORD}{_W}:")
_QUOTE = re.compile(r'"(?<!\\")')
_CONTINUED = re.compile(r"\\[\x00-\x1f]")
_TRAILING_COMMA = re.compile(rf",(?={_W}[}}\]])")
_FULL_WIDTH_TRAILING_COMMA = re.compile(rf"，{_W}[}}\]｝］]")
_LITERALS = {
    json: re.compile(rf"{python}(?<=[\[,:\s]{python})(?={_W}[,}}\]])")
    for json, python in {"true": "True", "false": "False", "null": "None"}.items()
}
_WIDE_SIGNS = ("｛", "［", "｝", "］", '"，', '"：', "”，", "”：")
_FULL_WIDTH = dict(zip("｛｝［］，：", "{}[],:", strict=True))


def single_quotes(text: str) -> tuple[str, Kinds]:
    """`'…'`; where no other quote is in the text, each of them delimits, or the decoder says no."""
    if '"' not in text and "\\" not in text:
        return text.replace("'", '"'), Counter({RepairKind.SINGLE_QUOTE: text.count("'") // 2})
    return _requoted(text, _SINGLE, RepairKind.SINGLE_QUOTE) if "'" in text else (text, Counter())


def smart_quotes(text: str) -> tuple[str, Kinds]:
    """`“…”` among other quotes."""
    return _requoted(text, _CURLY, RepairKind.SMART_QUOTE) if "“" in text and '"' in text else (text, Counter())


def full_width(text: str) -> tuple[str, Kinds]:
    """`｛｝［］，：` between strings; in a text without plain quotes the strings are those in `“…”`."""
    kinds: Kinds = Counter()
    plain = '"' in text
    if '\\"' in text or "\\”" in text or (plain and not any(sign in text for sign in _WIDE_SIGNS)):
        return text, kinds  # behind a backslash nothing is proved: what is between strings has to be known here
    parts = text.split('"') if plain else _ALL_CURLY.split(text)
    kinds[RepairKind.SMART_QUOTE] = 0 if plain else len(parts) // 2
    between = '"'.join(parts[::2])
    if _FULL_WIDTH_TRAILING_COMMA.search(between):
        return text, Counter()  # one slip with two names: for the reader
    for wide, narrow in _FULL_WIDTH.items():
        if wide in between:
            kinds[RepairKind.FULL_WIDTH_PUNCTUATION] += between.count(wide)
            between = between.replace(wide, narrow)
    parts[::2] = between.split('"')
    return '"'.join(parts), +kinds


def unquoted_keys(text: str) -> tuple[str, Kinds]:
    """`key:` after a comma or a brace; not where keys are so dense that their copies would take too much memory."""
    if text.count(":") > EDITS_FLOOR + len(text) // CHARACTERS_PER_KEY:
        return text, Counter()
    count = 0
    for expression, before in ((_KEY_AFTER_COMMA, ","), (_KEY_AFTER_BRACE, "{")):
        parts = expression.split(text)
        parts[1::2] = [f'{before}"{key}":' for key in parts[1::2]]
        count += len(parts) // 2
        text = "".join(parts)
    return text, Counter({RepairKind.UNQUOTED_KEY: count})


def control_characters(text: str) -> tuple[str, Kinds]:
    """Line ends and tabs inside strings; but not behind a backslash, which would take what is put there for its own."""
    if "\\" in text and _CONTINUED.search(text):
        return text, Counter()
    parts = _QUOTE.split(text) if '\\"' in text else text.split('"')
    count = 0
    for at in range(1, len(parts), 2):
        part = parts[at]
        if "\n" in part or "\t" in part or "\r" in part:
            parts[at] = part.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
            count += len(parts[at]) - len(part)
    return '"'.join(parts), Counter({RepairKind.CONTROL_CHARACTER: count})


def trailing_commas(text: str) -> tuple[str, Kinds]:
    """A comma before a closing bracket."""
    text, count = _TRAILING_COMMA.subn(_MARK, text)
    return text, Counter({RepairKind.TRAILING_COMMA: count})


def literals(text: str) -> tuple[str, Kinds]:
    """`True`, `False`, `None`."""
    count = 0
    for literal, expression in _LITERALS.items():
        text, found = expression.subn(_MARK + literal, text)
        count += found
    return text, Counter({RepairKind.PYTHON_LITERAL: count})


def any_regular(text: str) -> tuple[str, Kinds]:
    """What the lexer of regular damage sees, quotes inside strings too; not proved, but what the long way takes."""
    damage = RegularDamage(text, 0, Work(len(text)))
    damage.read_to(len(text))
    if text[damage.reached :].strip() or not OPENING.match(text.lstrip()):
        return text, Counter()
    return EditedText(text, 0, len(text), damage.edits).text, counted(damage.edits)


def _requoted(text: str, token: re.Pattern[str], kind: RepairKind) -> tuple[str, Kinds]:
    parts = token.split(text)
    return '"'.join(parts), Counter({kind: len(parts) // 2})


_ORDER: tuple[Patch, ...] = (
    single_quotes,
    smart_quotes,
    full_width,
    unquoted_keys,
    any_regular,
    control_characters,
    trailing_commas,
    literals,
)
"""Delimiters first: control characters are looked for between them, and before `_MARK` puts more of them."""

_REQUOTING = frozenset({single_quotes, smart_quotes, full_width})
_CURES: dict[str, tuple[Patch, ...]] = {
    "trailing comma": (trailing_commas, any_regular),
    "key must be a string": (single_quotes, unquoted_keys, smart_quotes, full_width, any_regular),
    "expected value": (single_quotes, literals, smart_quotes, full_width, any_regular),
    "expected ident": (literals, any_regular),
    "expected `": (full_width, any_regular),
    "control character": (control_characters, any_regular),
}
"""What may undo the damage, by how Pydantic's JSON decoder begins to say what it met."""


class Patching:
    """A damaged text on its way to JSON: each refusal of the decoder names the next patch to try.

    Attributes:
        text: the text with every patch so far.
        kinds: how often each repair was made in it.
    """

    def __init__(self, raw: str) -> None:
        self.text = raw
        self.kinds: Kinds = Counter()
        self._raw = raw
        self._tried: set[Patch] = set()
        self._useful: tuple[Patch, ...] = ()

    def undo(self, refusal: str) -> bool:
        """Patch what the decoder refused; False where no patch, or none that was not tried yet, is for that."""
        if not self._tried and "\\" in self._raw and ANY_COMMAND.search(self._raw):
            return False  # the reader tells LaTeX from escapes
        cures = chain.from_iterable(patches for start, patches in _CURES.items() if refusal.startswith(start))
        return any(self._try(patch) for patch in cures if patch not in self._tried)

    def _try(self, patch: Patch) -> bool:
        if patch is control_characters and _REQUOTING.intersection(self._useful):
            return False  # a line end may also be where a string lost its quote: that is for the reader
        self._tried.add(patch)
        useful = tuple(some for some in _ORDER if some is patch or some in self._useful)
        if patch is any_regular:
            self._tried.update(set(_ORDER) - {control_characters})
            useful = (patch,)
        done = self._useful if useful[:-1] == self._useful else ()
        text, kinds = (self.text, self.kinds) if done else (self._raw, Counter[RepairKind]())
        for each in useful[len(done) :]:
            text, found = each(text)
            kinds = kinds + found
        if text == self.text:
            return False
        self.text, self.kinds, self._useful = text, kinds, useful
        return True
