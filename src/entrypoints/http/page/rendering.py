"""The templates of the page. Every value is escaped, and what would hide or turn other text is made visible."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from src.entrypoints.reports.repair_words import repair_word
from src.entrypoints.reports.text import shown
from src.shared.domain.repair import RepairKind

_KINDS = frozenset(RepairKind)


def _finalized(value: object) -> object:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _kind_word(kind: str) -> str:
    """What a kind of repair is called; one of another version has no word."""
    return repair_word(kind) if kind in _KINDS else ""


def _as_it_is(text: str) -> Markup:
    """A text escaped and not changed: what a reader is to send again."""
    return escape(text)


def environment() -> Environment:
    """The templates, and what they may use."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"as_it_is": _as_it_is, "kind_word": _kind_word}
    return made
