"""Parameters between tags, such as `<parameter=city>Paris</parameter>`."""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT
from src.shared.infrastructure.tool_call_forms.raw_call import Parameter
from src.shared.infrastructure.tool_call_forms.words import CUT, TWICE, TWO_VALUES, call_error

OPENED = expression(
    rf"""
    \s*+ (?:
        <parameter= (?P<padded> [^<>\n=]{{1,{NAME_LIMIT}}}+ ) >  # Qwen3-Coder, Seed-OSS
      | < (?:｜DSML｜)? parameter [ ]++ name=" (?P<key> [^"<>\n]{{1,{NAME_LIMIT}}}+ ) "
        (?: [ ]++ string=" (?P<string> true | false ) " )? [ ]*+ >  # MiniMax M2, DeepSeek 3.2
      | <arg_key> (?P<listed> [^<>]{{1,{NAME_LIMIT}}}+ ) </arg_key> \s*+ <arg_value>  # GLM
    )
    """,
    re.VERBOSE,
)
EDGE = expression(
    r"""
      (?P<closed> </parameter> | </｜DSML｜parameter> | </arg_value> )
    | <parameter= | < (?:｜DSML｜)? (?:parameter|invoke) [ ] name= | <arg_key> | <arg_value> | <function=
    """,
    re.VERBOSE,
)
"""Where a value ends, or another begins although it has not ended."""


class Parameters(NamedTuple):
    """What was read, and the offset behind it."""

    parameters: tuple[Parameter, ...]
    end: int


def read_parameters(text: str, start: int) -> Parameters:
    """The parameters that stand one behind the other from an offset on.

    Raises:
        LLMJsonParseError: a value does not end, or may end in two places, or one of them stands there twice.
    """
    found: dict[str, Parameter] = {}
    at = start
    while opened := OPENED.match(text, at):
        edge = EDGE.search(text, opened.end())
        if edge is None:
            raise call_error(CUT, text, len(text), truncated=True)
        if not edge["closed"]:
            raise call_error(TWO_VALUES, text, edge.start())
        key = (opened["padded"] or opened["key"] or opened["listed"]).strip()
        if key in found:
            raise call_error(TWICE, text, opened.start())
        is_text = opened["string"] == "true" if opened["string"] else None
        value = text[opened.end() : edge.start()]
        found[key] = Parameter(key, value, is_padded=opened["padded"] is not None, is_text=is_text)
        at = edge.end()
    return Parameters(tuple(found.values()), at)
