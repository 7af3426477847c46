"""Calls as Python writes them, `[search(query="x", limit=3)]`: their names, and their arguments as JSON.

Nothing is run. Only literals are read: strings, numbers, `True`, `False`, `None`, lists, and dicts with strings for
keys.
"""

from __future__ import annotations

import json
import re

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms.call_objects import RawCall
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT
from src.shared.infrastructure.tool_call_forms.words import CUT, NOT_LITERAL, TWICE, call_error

_IN_DOUBLE = repeated(r'\\[^\n][^"\\\n]*+')
_IN_SINGLE = repeated(r"\\[^\n][^'\\\n]*+")
TOKEN = expression(
    rf"""
    \s*+ (?:
        (?P<string> "(?!"") [^"\\\n]*+ {_IN_DOUBLE} " | '(?!'') [^'\\\n]*+ {_IN_SINGLE} ' )
      | (?P<number> [-+]? (?: 0(?![\d_xXoObB]) | [1-9]\d*+ | (?=\.\d) ) (?: \.\d*+ )? (?: [eE][-+]?\d++ )? (?![\w.]) )
      | (?P<word> [^\W\d]\w*+ )
      | (?P<sign> [\[\]{{}}():,=] )
    )
    """,
    re.VERBOSE,
)
_OPENED = expression(r"\s*+\[?+")
_PRINT = repeated(r"(?P<print>print\s?\()", "?")
_CALL = expression(rf"\s*+{_PRINT}\s*+(?P<name>[^\W\d][\w.\-]{{0,{NAME_LIMIT}}}+)\s?\(")
_BETWEEN_CALLS = expression(r"[ \t]*+(?:[,;]\s*+|\r?\n\s*+)")
_CONSTANTS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ESCAPE = expression(
    r"""
    \\ (?:
        (?P<known> [\\'"abfnrtv] | x[\da-fA-F]{2} | u[\da-fA-F]{4} | U000[\da-fA-F]{5} | U0010[\da-fA-F]{4}
          | [0-3][0-7]{0,2} | [4-7][0-7]?(?![0-7]) )
      | (?P<wrong> [xuUN4-7] )
      | .
    )
    """,
    re.DOTALL | re.VERBOSE,
)
"""An escape; a backslash before anything else is text, as in Python."""


def read_python_calls(text: str, start: int) -> tuple[list[RawCall], int]:
    """The calls that stand in a list, or one behind the other, from an offset on, and the offset behind them.

    Raises:
        LLMJsonParseError: an argument is no literal with a name, or the text ends before the call.
    """
    at = match_end(_OPENED, text, start)
    in_list = text.endswith("[", start, at)
    calls: list[RawCall] = []
    following = _CALL.match(text, at)
    while call := following:
        arguments, at = read_arguments(text, call.end())
        at = _token(text, at, closing=")").end() if call["print"] else at
        calls.append(RawCall(call["name"], Span(call.start(), at), arguments))
        between = _BETWEEN_CALLS.match(text, at)
        following = _CALL.match(text, between.end()) if between else None
    if not calls:
        raise call_error(NOT_LITERAL, text, at)
    return calls, _token(text, at, closing="]").end() if in_list else at


def read_arguments(text: str, start: int) -> tuple[str, int]:
    """The arguments behind an opening bracket as JSON, and the offset behind the closing one.

    What its brackets are is kept in a list, however deep they are.

    Raises:
        LLMJsonParseError: an argument is no literal with a name, or the text ends before the call.
    """
    written, names, inside = ["{"], set[str](), ["("]
    at, lead, is_behind = start, "", False
    while inside:
        token = _token(text, at)
        at, bracket = token.end(), inside[-1]
        if token["sign"] == _CLOSING[bracket]:  # behind a value, a comma or the opening bracket
            written.append("]" if inside.pop() == "[" else "}")
            is_behind = True
        elif is_behind:
            _check(token, token["sign"] == ",")
            lead, is_behind = ", ", False
        else:
            written.append(lead)
            if bracket != "[":
                key = token["word" if bracket == "(" else "string"]
                if key in names:
                    raise call_error(TWICE, text, token.start())
                _check(token, key)
                if bracket == "(":
                    names.add(key)
                written.append(f"{_literal(token) if token['string'] else json.dumps(key)}: ")
                assigned = _token(text, at)
                _check(assigned, assigned["sign"] == ("=" if bracket == "(" else ":"))
                token = _token(text, assigned.end())
                at = token.end()
            is_behind = token["sign"] not in {"[", "{"}
            written.append(_literal(token) if is_behind else token["sign"])
            inside += [] if is_behind else [token["sign"]]
            lead = ""
    return "".join(written), at


def _token(text: str, at: int, *, closing: str = "") -> re.Match[str]:
    """What stands at a place: anything, or a closing bracket."""
    token = TOKEN.match(text, at)
    if token is None or (closing and token["sign"] != closing):
        is_cut = text.find(")", at) < 0
        raise call_error(CUT if is_cut else NOT_LITERAL, text, at, truncated=is_cut)
    return token


def _check(token: re.Match[str], is_right: object) -> None:
    if not is_right:
        raise call_error(NOT_LITERAL, token.string, token.start())


def _literal(token: re.Match[str]) -> str:
    """A literal as JSON."""

    def text(escape: re.Match[str]) -> str:
        _check(token, not escape["wrong"])
        return escape.group().encode().decode("unicode_escape") if escape["known"] else escape.group()

    if token["string"]:
        return json.dumps(_ESCAPE.sub(text, token["string"][1:-1]), ensure_ascii=False)
    written: str = token["number"] or _CONSTANTS.get(token["word"], "")
    _check(token, written)
    return written
