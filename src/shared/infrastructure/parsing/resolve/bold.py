"""Keys and values in bold: the Markdown around them is removed."""

from __future__ import annotations

import re

from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.patterns import BOLD_KEY_AT, NUMBER
from src.shared.infrastructure.parsing.resolve.gaps import complete
from src.shared.infrastructure.parsing.resolve.keys import key_is_read
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.states import State

_TEXT = repeated(r"""[^\"\\\x00-\x1f*]++|\\[\"\\/nrt]""")
_BOLD_VALUE = re.compile(rf"(?P<mark>\*\*|__)\"{_TEXT}\"(?P=mark)|\*\*(?:{NUMBER}|true|false|null)\*\*(?=\s*+[,}}\]])")


def bold_key(s: Search, state: State, _: str) -> bool:
    """`**"a"**: 1`, `**a**: 1`."""
    found = BOLD_KEY_AT.match(s.text, state.at)
    if found is None:
        return False
    end = found.end("bold")
    name = s.text[state.at + 2 : end - 2]
    bare = not name.startswith('"')
    read = state.edit(state.at, 2, '"' * bare, K.MARKUP).edit(end - 2, 2, '"' * bare, None, cost=0)
    key_is_read(s, read.but(at=end), name.strip('"'), bare=bare)
    return True


def bold_value(s: Search, state: State, _: str) -> bool:
    """`**"x"**`, `**1**`."""
    found = _BOLD_VALUE.match(s.text, state.at)
    if found is None or (s.asked.latex and "\\" in found.group()):
        return False
    complete(s, state.edit(state.at, 2, "", K.MARKUP).edit(found.end() - 2, 2, "", None, cost=0).but(at=found.end()))
    return True
