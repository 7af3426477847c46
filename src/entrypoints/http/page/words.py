"""The page's words, one table for each language, with the same keys."""

from __future__ import annotations

from typing import Final

from src.entrypoints.http.page.words_en import EN
from src.entrypoints.http.page.words_zh import ZH
from src.shared.domain.language import Language

WORDS: Final[dict[Language, dict[str, str]]] = {Language.ZH: ZH, Language.EN: EN}
"""A key is what a template or the page's script asks for; `{}` in a text is filled with a number or a name."""
