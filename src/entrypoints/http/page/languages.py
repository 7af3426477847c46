"""Which language a reader of the page is answered in."""

from __future__ import annotations

from collections.abc import Mapping

from src.shared.domain.language import Language

PARAMETER = "lang"
COOKIE = "llm_output_lang"
TAGS = {Language.ZH: "zh-CN", Language.EN: "en"}
"""What `lang` says of each."""
_MOST = 1_000


def language_of(query: Mapping[str, str], cookies: Mapping[str, str], accepted: str) -> Language:
    """The language that the reader has chosen, else one that the browser asks for, else Chinese.

    Args:
        query: parameters of the request; `lang` chooses.
        cookies: what was chosen before.
        accepted: the header `Accept-Language` (RFC 9110, 12.5.4); empty where there is none.
    """
    return _known(query.get(PARAMETER)) or _known(cookies.get(COOKIE)) or _negotiated(accepted)


def _known(value: str | None) -> Language | None:
    return next((language for language in TAGS if language == value), None)


def _negotiated(accepted: str) -> Language:
    weights = dict.fromkeys(TAGS, 0.0)
    for part in accepted[:_MOST].split(","):
        tag, _, parameters = part.strip().partition(";")
        language = _known(tag.strip().partition("-")[0].lower())
        if language:
            weights[language] = max(weights[language], _weight(parameters))
    best = max(weights, key=lambda language: weights[language])
    if weights[best]:
        return best
    return Language.EN if accepted.strip() else Language.ZH  # some third language


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
