"""The committee's templates: for HTML, and for Markdown, where a model's text never acts as markup."""

from __future__ import annotations

import re
from pathlib import Path

from src.entrypoints.reports.templates_of import environment, html_environment
from src.entrypoints.reports.words import shown

_FOLDER = Path(__file__).parent / "templates"
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")
_LINE_MARK = re.compile(r"^(?:[#+\-=]|\d{1,9}(?=[.)](?:\s|$)))")


def markdown(text: str) -> str:
    """The text as one line of Markdown that reads as it stands: no markup, HTML or table cell of it takes effect."""
    line = _MARKDOWN.sub(r"\\\1", " ".join(shown(text).split()))
    return _LINE_MARK.sub(_without_meaning, line)


def _without_meaning(match: re.Match[str]) -> str:
    """What would begin a heading or a list, with its first character as an entity."""
    mark = match.group()
    return f"&#{ord(mark[0])};{mark[1:]}"


HTML = html_environment(_FOLDER)
MARKDOWN = environment(markdown, _FOLDER, autoescape=False)
