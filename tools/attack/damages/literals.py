"""Numbers in other spellings, and the words of other languages."""

from __future__ import annotations

import re
from random import Random

from tools.attack.damages.places import (
    NUMBERS,
    SCALARS,
    WORDS,
    Change,
    Damage,
    Rewrite,
    containers,
    every,
    one,
    put,
    together,
    with_text,
)
from tools.attack.damages.quotes import PYTHON_STRINGS
from tools.attack.pieces import Pieces, Role

_PYTHON = {"true": "True", "false": "False", "null": "None"}
_FULL_WIDTH_DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")
_INTEGER = re.compile(r"-?\d+")
_SMALLEST_GROUPED = 1000


def _words(**spellings: str) -> Rewrite:
    return lambda text: spellings.get(text, text)


def _integer(text: str) -> int | None:
    return int(text) if _INTEGER.fullmatch(text) else None


def _grouped(sign: str) -> Rewrite:
    def rewrite(text: str) -> str:
        value = _integer(text)
        return text if value is None or abs(value) < _SMALLEST_GROUPED else f"{value:,}".replace(",", sign)

    return rewrite


def _with_sign(text: str) -> str:
    return text if text.startswith("-") else "+" + text


def _leading_point(text: str) -> str:
    return re.sub(r"^(-?)0\.(?=\d)", r"\1.", text)


def _trailing_point(text: str) -> str:
    return re.sub(r"\.0$", ".", text)


def _leading_zeros(text: str) -> str:
    return re.sub(r"^(-?)(?=\d)", r"\g<1>00", text) if _integer(text) is not None else text


def _hexadecimal(text: str) -> str:
    value = _integer(text)
    return text if value is None or value < 0 else hex(value)


def _suffixed(suffix: str) -> Rewrite:
    return lambda text: text + suffix


def left_out(*only: str) -> Change:
    """Leave out the scalar after a key, or one that is one of these; an item of a list would leave no trace."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        values = [end - 1 for each in containers(pieces) for start, end in each.items if pieces[start].role is Role.KEY]
        scalars = [at for at in values if pieces[at].role in SCALARS and pieces[at].text]
        places = [at for at in scalars if not only or pieces[at].text in only]
        return with_text(pieces, {rng.choice(places): ""}) if places else None

    return change


DAMAGES = (
    Damage("Python's words", every(WORDS, _words(**_PYTHON))),
    Damage("one word of Python's", one(WORDS, _words(**_PYTHON))),
    Damage("words in capitals", every(WORDS, str.upper)),
    Damage("undefined for null", one(WORDS, _words(null="undefined"))),
    Damage("none or nil for null", one(WORDS, _words(null="none"), _words(null="nil"))),
    Damage("Python's repr", together(every(WORDS, _words(**_PYTHON)), PYTHON_STRINGS.change)),
    Damage("null left out", left_out("null")),
    Damage("value left out", left_out()),
    Damage("word cut short", one(WORDS, lambda text: text[:-1])),
    Damage("number with a plus", one(NUMBERS, _with_sign)),
    Damage("number without its leading zero", one(NUMBERS, _leading_point)),
    Damage("number ending in a point", one(NUMBERS, _trailing_point)),
    Damage("number with underscores", one(NUMBERS, _grouped("_"))),
    Damage("number with thousands commas", one(NUMBERS, _grouped(","))),
    Damage("number with blanks", one(NUMBERS, _grouped(" "), _grouped("\u00a0"), _grouped("'"))),
    Damage("number with leading zeros", one(NUMBERS, _leading_zeros)),
    Damage("number in hexadecimal", one(NUMBERS, _hexadecimal)),
    Damage("number in full-width digits", one(NUMBERS, lambda text: text.translate(_FULL_WIDTH_DIGITS))),
    Damage(
        "number with a minus sign", one(NUMBERS, lambda text: text.replace("-", "−"), lambda t: t.replace("-", "- "))
    ),
    Damage("number with a suffix", one(NUMBERS, _suffixed("n"), _suffixed("f"), _suffixed("L"), _suffixed("d"))),
    Damage("number with a decimal comma", one(NUMBERS, lambda text: text.replace(".", ","))),
    Damage("sign for a number", one(NUMBERS, put("?"), put("..."))),
)
