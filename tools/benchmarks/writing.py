"""Writes a document the way a careless model does: a token list of clean JSON, and damages that rewrite tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from tools.benchmarks.documents import Document

Kind = Literal["key", "string", "scalar", "open", "close", "end", "comma", "colon", "space"]
"""`end` is the empty place after a container's last member, where a trailing comma stands."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text and, for a key, a string or a scalar, the value it stands for."""

    kind: Kind
    text: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Damage:
    """One way of writing tokens wrongly.

    Attributes:
        kind: the tokens it rewrites.
        write: the damaged text of a token.
        applies: the tokens of that kind it can be seen on.
        places: how many of them, spread over the text; None for all.
    """

    kind: Kind
    write: Callable[[Token], str]
    applies: Callable[[Token], bool] = lambda _: True
    places: int | None = None


def write(document: Document, damages: tuple[Damage, ...]) -> str:
    """Return the document's text with every damage done to it."""
    return "".join(token.text for token in rewritten(tokens(document, "\n"), damages))


def rewritten(clean: Iterable[Token], damages: tuple[Damage, ...]) -> list[Token]:
    """Return the tokens with every damage done to them."""
    made = list(clean)
    for damage in damages:
        sites = [at for at, token in enumerate(made) if token.kind == damage.kind and damage.applies(token)]
        for at in spread(sites, damage.places):
            made[at] = replace(made[at], text=damage.write(made[at]))
    return made


def spread(sites: list[int], places: int | None) -> list[int]:
    """Choose `places` of the sites, evenly over the text; all of them for None."""
    if places is None or places >= len(sites):
        return sites
    return [sites[(2 * number + 1) * len(sites) // (2 * places)] for number in range(places)]


def retouch(document: Document, change: Callable[[str, int], str], places: int | None) -> Document:
    """Return a copy in which `change(text, number)` was applied to prose strings, all or spread over the document."""
    total = sum(1 for token in tokens(document, "") if token.kind == "string" and _is_prose(token.value))
    chosen = set(spread(list(range(total)), places))
    numbers = iter(range(total))

    def visit(value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            return {key: visit(member) for key, member in value.items()}
        if isinstance(value, list):
            return [visit(item) for item in value]
        if isinstance(value, str) and _is_prose(value):
            number = next(numbers)
            return change(value, number) if number in chosen else value
        return value

    copy: Document = visit(document)
    return copy


def _is_prose(text: str) -> bool:
    return len(text) > 24  # noqa: PLR2004 - codes, tags and headings are shorter, sentences longer


def tokens(value: Any, indent: str) -> Iterator[Token]:  # noqa: ANN401 - any JSON value
    """Write a value as JSON whose lines begin with `indent`, token by token."""
    if isinstance(value, dict | list):
        yield from _container(value, indent)
    else:
        kind: Kind = "string" if isinstance(value, str) else "scalar"
        yield Token(kind, json.dumps(value, ensure_ascii=False), value)


def _container(value: dict[str, Any] | list[Any], indent: str) -> Iterator[Token]:
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    members = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
    inner = indent + "  "
    yield Token("open", opening)
    for number, (key, member) in enumerate(members):
        if number:
            yield Token("comma", ",")
        yield Token("space", inner)
        if key is not None:
            yield Token("key", json.dumps(key, ensure_ascii=False), key)
            yield Token("colon", ":")
            yield Token("space", " ")
        yield from tokens(member, inner)
    if members:
        yield Token("end", "")
        yield Token("space", indent)
    yield Token("close", closing)
