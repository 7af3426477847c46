"""Arguments that stand in elements: `<search><query>x</query></search>`, `<search query="x"/>`.

Such tags are those of any markup: one counts only where its parameters are those of the tool, and a value is read only
where it ends in one place and markup would say the same as the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.expression import expression, match_end
from src.shared.infrastructure.tool_call_forms.call_objects import Parameter
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT
from src.shared.infrastructure.tool_call_forms.parameters import ParameterReader, opened_at
from src.shared.infrastructure.tool_call_forms.words import (
    CUT,
    TWICE,
    call_error,
    not_a_parameter,
    not_closed,
    two_values,
)

_SPACE = expression(r"\s*+")
_TAG = expression(r"<(?P<name>[\w:.\-]++)")
_CHILD = expression(rf"\s*+<(?P<key>[\w.\-]{{1,{NAME_LIMIT}}}+)(?:\s[^<>/]*+)?>")
_ATTRIBUTE = expression(r"\s(?P<key>[\w\-]++)\s?=\s?(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')")
_IS_MARKUP = expression(r"&(?:\w{2,8}|#\w{1,8});|<!\[CDATA\[|\A>|<\Z")
"""Text that markup would read as something else, or a sign of a tag that was damaged."""


_LINE = 200
"""Most characters in front of a tag that are looked at."""


_SHOWN = 500
"""Most characters of an element that a sentence shows."""


class Tool(NamedTuple):
    """What is known of the tool that is called.

    Attributes:
        name: as the caller names it.
        keys: the names of its parameters.
        has_none: whether it takes none; without keys it takes any otherwise.
    """

    name: str
    keys: Collection[str]
    has_none: bool


@lru_cache(maxsize=256)
def _end_tag(name: str) -> re.Pattern[str]:
    return expression(rf"\s*+</{re.escape(name)}\s*+>")


class ElementReader:
    """Reads the arguments of one call from the element that a header opens."""

    def __init__(self, text: str, header: re.Match[str], tool: Tool) -> None:
        self._text = text
        self._header = header
        self._tool = tool
        self._written = header.groupdict().get("attributes") or ""
        self._tags = _TAG.findall(header.group().replace(self._written, "")) or [""]
        self._end_tag = _end_tag(self._tags[-1])
        self._found: dict[str, Parameter] = {}

    @property
    def _is_empty(self) -> bool:
        return self._header.group().endswith("/>")

    def is_call(self) -> bool:
        """Whether the element belongs to a call: what it holds are parameters of the tool, and prose speaks of none."""
        at = match_end(_SPACE, self._text, self._header.end())
        if any(one.key in self._tool.keys for one in self._attributes()) or self._text.startswith("{", at):
            return True
        if not self._is_empty and (self.child(at) or self._begins_child(at) or opened_at(self._text, at)):
            return True
        start = self._header.start()
        is_alone = not self._text[max(0, start - _LINE) : start].rpartition("\n")[2].strip()
        is_over = at == len(self._text) or (
            self._tool.has_none and not any(self._attributes()) and (self._is_empty or self.end(at) is not None)
        )
        return is_alone and is_over

    def child(self, at: int) -> re.Match[str] | None:
        """The element of a parameter that begins at a place, white space apart."""
        found = _CHILD.match(self._text, at)
        is_known = found is not None and (
            found["key"] in self._tool.keys if self._tool.keys else not self._tool.has_none
        )
        return found if is_known else None

    def end(self, at: int) -> int | None:
        """The offset behind the end of the element, if it comes next."""
        found = self._end_tag.match(self._text, at)
        return found.end() if found else None

    def first_end(self) -> int | None:
        """The first place behind which the element may have ended."""
        found = self._is_empty or self._end_tag.search(self._text, self._header.end(), self._header.end() + _SHOWN)
        return self._header.end() if found is True else found.end() if found else None

    def read(self) -> tuple[tuple[Parameter, ...], int]:
        """The parameters of the call, and the offset behind it.

        Raises:
            LLMJsonParseError: something else stands in it, or a value may end in two places, or the text ends before.
        """
        for one in self._attributes():
            if one.key not in self._tool.keys and (self._tool.keys or self._tool.has_none):
                raise call_error(not_a_parameter(self._tool.name), self._text, one.place)
            self._add(one, one.place)
        at = self._header.end()
        while not self._is_empty and (child := self.child(at)):
            at = self._value(child)
        if not self._found and not self._is_empty and opened_at(self._text, at):
            parameters, at = ParameterReader(self._text, self._tool.name, self._tool.keys).read(at)
            self._found = {one.key: one for one in parameters}
        end = at if self._is_empty else self.end(at)
        if end is None:
            is_cut = not self._text[at:].strip() or self._begins_child(match_end(_SPACE, self._text, at))
            problem = CUT if is_cut else not_a_parameter(self._tool.name)
            raise call_error(problem, self._text, len(self._text) if is_cut else at, truncated=is_cut or None)
        return tuple(self._found.values()), end

    def _value(self, child: re.Match[str]) -> int:
        key, start = child["key"], child.end()
        end = self._text.find(f"</{key}>", start)
        if end < 0:
            raise call_error(not_closed(key, self._tool.name), self._text, child.start("key") - 1)
        behind = end + len(key) + len("</>")
        rest = match_end(_SPACE, self._text, behind)
        goes_on = self.child(behind) or self.end(behind) or rest == len(self._text) or self._begins_child(rest)
        again = self._text.find(f"</{key}>", behind)
        if again >= 0 and (not goes_on or self._ends_again(key, behind, again)):
            raise call_error(two_values(key, self._tool.name), self._text, start)
        self._add(Parameter(key, self._text[start:end], is_padded=True, place=start), child.start("key") - 1)
        return behind

    def _ends_again(self, key: str, behind: int, again: int) -> bool:
        """Whether a value may also end at a mark further on, which no mark before it opens."""
        at = again + len(key) + len("</>")
        goes_on = self.child(at) or self.end(at)
        return goes_on is not None and self._text.find(f"<{key}", behind, again) < 0

    def _begins_child(self, at: int) -> bool:
        """Whether the text ends in the first signs of another tag."""
        rest = self._text[at + 1 : at + NAME_LIMIT]
        tags = (*self._tool.keys, *(f"/{one}" for one in self._tags))
        return (
            self._text.startswith("<", at)
            and at + 1 + len(rest) == len(self._text)
            and any(one.startswith(rest.rstrip()) for one in tags)
        )

    def _attributes(self) -> Iterator[Parameter]:
        for found in _ATTRIBUTE.finditer(self._written):
            kind = "single" if found["double"] is None else "double"
            yield Parameter(found["key"], found[kind], place=self._header.start("attributes") + found.start(kind))

    def _add(self, parameter: Parameter, place: int) -> None:
        if parameter.key in self._found:
            raise call_error(TWICE, self._text, place)
        begins_again = parameter.text.startswith(f"<{parameter.key}>")
        if begins_again or _IS_MARKUP.search(parameter.text):
            raise call_error(two_values(parameter.key, self._tool.name), self._text, place)
        self._found[parameter.key] = parameter
