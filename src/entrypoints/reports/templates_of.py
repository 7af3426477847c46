"""The templates, and what they may use. Every value is escaped automatically."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from src.entrypoints.reports.words import escape_invisible, number, report_language, said, word_of
from src.shared.domain.language import translated

_FOLDER = Path(__file__).parent / "templates"


def percent(share: float) -> str:
    """A share of one as a percentage, with no digit more than it needs."""
    return f"{share * 100:.4g}%"


def seconds(value: float) -> str:
    """Seconds as a person says them."""
    return f"{value:.1f} {said('s')}"


def _say(english: str) -> Markup:
    """A text of a template's own: it is trusted, and the blanks at its ends and its braces count."""
    return Markup(translated(english, report_language()))  # noqa: S704 - a literal of ours


def html_environment(*folders: Path) -> Environment:
    """The environment of HTML pages.

    Args:
        folders: of templates beside those of the reports here; theirs come first.
    """

    def finalize(value: object) -> object:
        return escape_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader((*folders, _FOLDER)),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["say"] = _say
    environment.filters |= {"number": number, "percent": percent, "seconds": seconds, "word": word_of}
    return environment
