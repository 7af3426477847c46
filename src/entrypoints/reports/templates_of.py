"""The templates, and what they may use. Every value is escaped automatically."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from src.entrypoints.reports.labels import said
from src.entrypoints.reports.repair_words import repair_word
from src.entrypoints.reports.text import markdown, number, shown

_FOLDER = Path(__file__).parent / "templates"


def percent(share: float) -> str:
    """A share of one as a percentage, with no digit more than it needs."""
    return f"{share * 100:.4g}%"


def seconds(value: float) -> str:
    """Seconds as a person says them."""
    return f"{value:.1f} {said('秒', 's')}"


def _say(zh: str, en: str) -> Markup:
    """A text of a template's own: it is trusted, and the blanks at its ends count."""
    return Markup(said(zh, en))  # noqa: S704 - a literal of ours


def _environment(harmless: Callable[[str], str], *, autoescape: bool) -> Environment:
    def finalize(value: object) -> object:
        return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=autoescape,  # noqa: S701 - off for Markdown alone, where `harmless` escapes
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["say"] = _say
    environment.filters |= {
        "number": number,
        "percent": percent,
        "repair_word": repair_word,
        "seconds": seconds,
    }
    return environment


HTML = _environment(shown, autoescape=True)
MARKDOWN = _environment(markdown, autoescape=False)
