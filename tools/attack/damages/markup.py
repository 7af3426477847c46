"""Markdown, HTML and invisible characters in and around the document."""

from __future__ import annotations

import html

from tools.attack.damages.places import (
    COLONS,
    COMMAS,
    KEYS,
    MARKS,
    SPACES,
    STRINGS,
    TEXTS,
    Damage,
    Rewrite,
    between,
    every,
    one,
    put,
    whole,
)

_INVISIBLE = ("\ufeff", "\u200b", "\u00a0", "\u3000", "\u2028", "\u00ad")


def _lines(before: str) -> Rewrite:
    return lambda text: before + text.replace("\n", "\n" + before)


def _numbered(text: str) -> str:
    return "\n".join(f"{number}: {line}" for number, line in enumerate(text.split("\n"), 1))


def _quotes_as_entities(entity: str) -> Rewrite:
    return lambda text: text.replace('"', entity)


DAMAGES = (
    Damage("bold keys", every(KEYS, between("**", "**"))),
    Damage("bold inside the quotes' place", every(KEYS, lambda text: f"**{text[1:-1]}**")),
    Damage("bold value", one(TEXTS, between("**", "**"), between("_", "_"))),
    Damage("backticks around keys", every(KEYS, between("`", "`"))),
    Damage("blockquote", whole(_lines("> "), _lines(">"))),
    Damage("bullets before members", every(KEYS, between("- ", ""), between("* ", ""))),
    Damage("lines of a diff", whole(_lines("+ "), _lines("+"))),
    Damage("lines with numbers", whole(_numbered)),
    Damage("HTML entities", whole(html.escape)),
    Damage("quotes as entities", every(STRINGS, _quotes_as_entities("&quot;"), _quotes_as_entities("&#34;"))),
    Damage("quotes as entities in one place", one(STRINGS, _quotes_as_entities("&quot;"))),
    Damage("line breaks of HTML", every(SPACES, lambda text: text.replace("\n", "<br>\n"))),
    Damage("spaces of HTML", every(SPACES, lambda text: text.replace(" ", "&nbsp;"))),
    Damage("invisible character", one(MARKS, *(between("", sign) for sign in _INVISIBLE))),
    Damage("invisible characters everywhere", every(MARKS, *(between("", sign) for sign in _INVISIBLE))),
    Damage(
        "control character between members", one(MARKS, between("", "\x00"), between("\x0b", ""), between("", "\x1b"))
    ),
    Damage("rule between members", one(COMMAS, between("", "\n---\n"), between("", "\n```\n"))),
    Damage("cells of a table", every(COLONS, put(" |"))),
)
