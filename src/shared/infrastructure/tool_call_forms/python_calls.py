"""Calls as Python writes them, `[search(query="x", limit=3)]`: their names, and their arguments as JSON.

Nothing is run. Only literals are read: strings, numbers, `True`, `False`, `None`, lists, and dicts with strings for
keys.
"""

from __future__ import annotations

import json
import re

from src.shared.domain.exceptions import LLMJsonParseError
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
_CLOSING = {"[": "]", "{": "}"}
_ESCAPE = expression(
    r"""
    \\ (?:
        (?P<known> [\\'"abfnrtv] | x[\da-fA-F]{2} | u[\da-fA-F]{4} | U000[\da-fA-F]{5} | U0010[\da-fA-F]{4}
          | [0-3]?[0-7]{1,2} )
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
    while call := _CALL.match(text, at):
        arguments, at = read_arguments(text, call.end())
        at = _closed(text, at, ")") if call["print"] else at
        calls.append(RawCall(call["name"], Span(call.start(), at), arguments))
        between = _BETWEEN_CALLS.match(text, at)
        if between is None or not _CALL.match(text, between.end()):
            break
        at = between.end()
    if not calls:
        raise call_error(NOT_LITERAL, text, at)
    return calls, _closed(text, at, "]") if in_list else at


def read_arguments(text: str, start: int) -> tuple[str, int]:
    """The arguments behind an opening bracket as JSON, and the offset behind the closing one.

    Raises:
        LLMJsonParseError: an argument is no literal with a name, or the text ends before the call.
    """
    read = _Arguments(text, start)
    return read.json(), read.at


def _closed(text: str, at: int, sign: str) -> int:
    """The offset behind a closing bracket."""
    token = TOKEN.match(text, at)
    if token is None or token["sign"] != sign:
        raise _not_literal(text, at)
    return token.end()


def _not_literal(text: str, at: int) -> LLMJsonParseError:
    is_cut = text.find(")", at) < 0
    return call_error(CUT if is_cut else NOT_LITERAL, text, at, truncated=is_cut)


class _Arguments:
    """Writes the arguments of one call as JSON, token by token."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self.at = start
        self._written: list[str] = []

    def json(self) -> str:
        """The arguments up to the closing bracket, and past it."""
        names: set[str] = set()
        while (token := self._next()).lastgroup == "word":
            if token["word"] in names:
                raise call_error(TWICE, self._text, token.start())
            self._written.append(f"{', ' if names else ''}{json.dumps(token['word'])}: ")
            names.add(token["word"])
            self._expect("=")
            self._value()
            token = self._next()
            if token["sign"] != ",":
                break
        if token["sign"] != ")":
            raise self._refusal(token)
        return "{" + "".join(self._written) + "}"

    def _value(self) -> None:
        """One literal; what closes its brackets is kept in a list, however deep they are."""
        closings: list[str] = []
        lead, is_behind = "", False
        while closings or not is_behind:
            token = self._next()
            if closings and token["sign"] == closings[-1]:  # behind a value, a comma or the opening bracket
                self._written.append(closings.pop())
                is_behind = True
            elif is_behind:
                if token["sign"] != ",":
                    raise self._refusal(token)
                lead, is_behind = ", ", False
            else:
                self._written.append(lead)
                token = self._behind_key(token) if closings and closings[-1] == "}" else token
                closing = _CLOSING.get(token["sign"])
                self._written.append(token["sign"] if closing else self._literal(token))
                if closing:
                    closings.append(closing)
                lead, is_behind = "", not closing

    def _behind_key(self, token: re.Match[str]) -> re.Match[str]:
        """What stands behind the key of a dict and its colon."""
        if not token["string"]:
            raise self._refusal(token)
        self._written.append(f"{self._literal(token)}: ")
        self._expect(":")
        return self._next()

    def _literal(self, token: re.Match[str]) -> str:
        if token["string"]:
            return json.dumps(self._string(token), ensure_ascii=False)
        if token["word"] in _CONSTANTS:
            return _CONSTANTS[token["word"]]
        if not token["number"]:
            raise self._refusal(token)
        return token["number"]

    def _string(self, token: re.Match[str]) -> str:
        """What a string says."""

        def said(escape: re.Match[str]) -> str:
            if escape["wrong"]:
                raise self._refusal(token)
            return escape.group().encode().decode("unicode_escape") if escape["known"] else escape.group()

        return _ESCAPE.sub(said, token["string"][1:-1])

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token["sign"] != sign:
            raise self._refusal(token)

    def _next(self) -> re.Match[str]:
        token = TOKEN.match(self._text, self.at)
        if token is None:
            raise _not_literal(self._text, self.at)
        self.at = token.end()
        return token

    def _refusal(self, token: re.Match[str]) -> LLMJsonParseError:
        return call_error(NOT_LITERAL, self._text, token.start())
