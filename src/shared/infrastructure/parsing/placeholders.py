"""What stands in place of a value in a template: told at first sight, since clean texts are asked, too."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from pydantic import BaseModel

from src.shared.domain.expression import expression

PLACEHOLDER_LIMIT = 300
"""Most characters of a placeholder."""
ELLIPSES = frozenset({"...", "…", "……"})
WORDS_OF_TYPES = {
    **dict.fromkeys(("string", "str"), "string"),
    **dict.fromkeys(("number", "integer", "int", "float", "decimal"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    "object": "object",
    "null": "null",
}
"""How a template writes each type of JSON."""
BRACKETS = {"<": ">", "{": "}", "[": "]", "$": "}", "＜": "＞", "【": "】"}
_FILL = ("your", "insert", "enter", "provide", "fill in", "replace with")
_DO = ("add", "write", "put")
ASKS = expression(
    rf"""
      (?: {"|".join(_FILL).replace(" ", "[ ]")} ) (?![a-z])
    | (?: {"|".join(_DO)} ) [ _] (?: your | the | an? ) (?![a-z])  # `Add task` is a task
    """,
    re.IGNORECASE | re.VERBOSE,
)
PLACED = expression(r"\b(?:goes |comes )?here\W{0,3}\Z", re.IGNORECASE)
PREFIX = 3
_PLACES = tuple(f"{word}{end}" for word in ("here", "Here", "HERE") for end in ("", ".", "!", "…", "..."))
STARTS = frozenset(
    written
    for word in ("", *ELLIPSES, *_FILL, *_DO, *WORDS_OF_TYPES)
    for written in (word[:PREFIX], word[:PREFIX].capitalize(), word[:PREFIX].upper())
)
"""How what is a placeholder at first sight begins, but for brackets."""
END, LAST = "ere", slice(-7, None)
"""What the last characters hold of one that ends in `here`."""
_CHOICE = expression(r"[/|]| or ")
_HOLDERS = (BaseModel, dict, list, tuple, set, frozenset)
_MOST_HOLDERS = 1_000
"""Most objects and lists looked into: a validator may have put a value into itself."""


def is_number(value: object) -> bool:
    """Whether a value is a number that no template has for any."""
    return (type(value) is int or type(value) is float) and value != 0


def is_text(text: str) -> bool:
    """Whether a text is no placeholder at first sight, descriptions apart."""
    return text[:PREFIX] not in STARTS and text[:1] not in BRACKETS and not text.endswith(_PLACES)


def may_be_template(value: object, described: Collection[str], *, is_refused: bool = False) -> bool:
    """Whether nothing in a value is an answer's at first sight, of lists the first element and the last.

    Args:
        value: what was made of a text, or decoded JSON.
        described: descriptions of fields.
        is_refused: whether it does not satisfy the type; then choices may be written with words, too.
    """
    waiting = [value]
    for holder in waiting:
        for one in _inside(holder):
            if isinstance(one, str):
                is_choice = is_refused and len(one) <= PLACEHOLDER_LIMIT and _CHOICE.search(one)
                if is_text(one) and one not in described and not is_choice:
                    return False
            elif isinstance(one, _HOLDERS) or hasattr(one, "__dataclass_fields__"):
                waiting.append(one)
            elif is_number(one) or not (one is None or one is False or type(one) in {int, float}):
                return False
        if len(waiting) > _MOST_HOLDERS:
            break
    return True


def _inside(value: Any) -> Iterable[object]:  # noqa: ANN401 - any value
    """What a value was made of: the fields that were set of a model, the values of an object, two items of a list.

    Nothing is seen of what is none of these: a validator may make anything of an answer.
    """
    if isinstance(value, BaseModel):
        set_now = value.model_fields_set
        return (one for name, one in value.__dict__.items() if name in set_now)
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple)):
        return (value[0], value[-1]) if value else ()
    if isinstance(value, (set, frozenset)):
        return islice(value, 2)
    fields = getattr(value, "__dataclass_fields__", {}).items()
    return (one for name, field in fields if (one := getattr(value, name)) is not field.default)
