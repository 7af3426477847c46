"""The valuation modeler's rule of its own: a verdict with its Chinese gloss is the English verdict."""

from typing import Any

from src.modules.research.domain.dtos.valuation_dtos import ValuationVerdict

_GLOSSES: dict[ValuationVerdict, str] = {"Undervalued": "低估", "Fair": "合理", "Overvalued": "高估"}

_ENGLISH: dict[str, ValuationVerdict] = {
    spelling: verdict
    for verdict, gloss in _GLOSSES.items()
    for spelling in (verdict, f"{verdict}({gloss})", f"{verdict} ({gloss})")
}

_ASCII_BRACKETS = str.maketrans("（）", "()")


def normalize_verdict(data: dict[str, Any]) -> dict[str, Any]:
    """Map `"Fair (合理)"` and its two siblings in `valuation_verdict` to `"Fair"`.

    Brackets may be full-width, spaces may stand around. Anything else stays as it is, and so does a gloss
    that contradicts its verdict.
    """
    verdict = data.get("valuation_verdict")
    if not isinstance(verdict, str):
        return data
    english = _ENGLISH.get(verdict.translate(_ASCII_BRACKETS).strip())
    return data | {"valuation_verdict": english} if english else data
