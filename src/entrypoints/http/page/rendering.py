"""What the page is made of: its templates, its files, and its words in each language."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from jinja2 import Environment
from markupsafe import escape

from src.entrypoints.agents import agent_word
from src.entrypoints.http.page.explaining import MOST_NOTES, MOST_REPAIRS, MOST_TEXT
from src.entrypoints.http.page.overview import (
    BARS,
    EXCERPT,
    MOST_OF_ONE,
    MOST_TEXTS,
    ROWS,
    level,
    name_shown,
    outcomes,
    ranked_rates,
)
from src.entrypoints.reports.batch.drawing import bar
from src.entrypoints.reports.batch.words import grouped, share
from src.entrypoints.reports.templates_of import html_environment
from src.entrypoints.reports.words import shown, word_of
from src.modules.monitoring.domain.rate import time_of
from src.shared.domain.language import Language, translated
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

_KINDS = frozenset(RepairKind)


def _kind_word(kind: str) -> str:
    """What a kind of repair is called; one of another version has no word."""
    return word_of(RepairKind(kind).words) if kind in _KINDS else ""


@cache
def environment() -> Environment:
    """The templates, and what they may use besides the reports' filters."""
    made = html_environment(Path(__file__).parent / "templates")
    made.filters |= {
        "agent_word": agent_word,
        "as_it_is": escape,  # what a reader is to send again: escaped and not changed
        "bar": bar,
        "clock": lambda moment: f"{time_of(moment):%m-%d %H:%M:%S}",
        "grouped": grouped,
        "iso": lambda moment: f"{time_of(moment):%Y-%m-%dT%H:%M:%SZ}",
        "kind_word": _kind_word,
        "level": level,
        "name": name_shown,
        "one_line": one_line,
        "outcomes": outcomes,
        "ranked_rates": ranked_rates,
        "share": share,
        "visible": shown,
    }
    made.globals |= {
        "excerpt": EXCERPT,
        "most_bars": BARS,
        "most_notes": MOST_NOTES,
        "most_of_one": MOST_OF_ONE,
        "most_repairs": MOST_REPAIRS,
        "most_rows": ROWS,
        "most_text": MOST_TEXT,
        "most_texts": MOST_TEXTS,
    }
    return made


_ORDER = {
    "title": "Order",
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "quantity": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["item", "quantity"],
}


@cache
def ugly_texts() -> dict[str, dict[str, str]]:
    """The texts of the README by their names: each with its title in `en` and `zh` and the `schema` it is read into."""
    found = json.loads((Path(__file__).parent / "ugly_texts.json").read_text(encoding="utf-8"))
    for one in found:
        schema = {"type": "array", "items": _ORDER} if one.pop("is_list", False) else _ORDER
        one["schema"] = json.dumps(schema, indent=2)
    return {one["name"]: one for one in found}


STATIC = Path(__file__).parent / "static"
REPORT = Path(__file__).parents[2] / "reports" / "templates" / "report.css"
"""The style of the reports, which is the page's as well."""
_SMALL = 1_000
_HASH = 12


class Asset:
    """One file.

    Attributes:
        name: with a part that changes with the content.
        content: its bytes.
        media_type: with the encoding of a text.
    """

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        digest = hashlib.sha256(self.content).hexdigest()[:_HASH]
        self.name = f"{path.stem}.{digest}{path.suffix}"
        self.media_type = f"{mimetypes.types_map[path.suffix]}; charset=utf-8"

    @cached_property
    def packed(self) -> bytes | None:
        """The same as gzip has it; None where that is not worth it."""
        return gzip.compress(self.content, mtime=0) if len(self.content) > _SMALL else None


def read_assets() -> dict[str, Asset]:
    """All of them, by the names of their files."""
    paths = [REPORT, *sorted(path for path in STATIC.rglob("*") if path.suffix in {".css", ".js"})]
    return {path.name: Asset(path) for path in paths}


PARAMETER = "lang"
EXAMPLE = "example"
"""The parameter that names the text that stands in the box."""
COOKIE = "llm_output_lang"
TAGS = {Language.ZH: "zh-CN", Language.EN: "en"}
"""What `lang` says of each."""
_MOST = 1_000


def own_name(language: Language) -> str:
    """What a language is called in itself."""
    return "English" if language is Language.EN else translated("Chinese", language)


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


WORDS: Final = {
    "title": "Model output watch",
    "window_1h": "Last hour",
    "window_24h": "Last 24 hours",
    "window_7d": "Last 7 days",
    "window_30d": "Last 30 days",
    "agent": "Agent",
    "model": "Model",
    "all": "All",
    "scope_agent": "agent",
    "scope_model": "model",
    "summary": "Summary",
    "texts": "Texts",
    "clean": "Clean",
    "repaired": "Repaired",
    "model_repaired": "Model-repaired",
    "refused": "Refused",
    "repair_rate": "Asked the repair agent",
    "level": "Level",
    "level_normal": "normal",
    "level_warning": "warning",
    "level_alarm": "alarm",
    "level_recovery": "recovery",
    "level_few": "too few texts",
    "over_time": "Rates over time",
    "threshold_warning": "5% warning",
    "threshold_alarm": "10% alarm",
    "time": "Time",
    "step_60": "1 minute",
    "step_900": "15 minutes",
    "step_3600": "1 hour",
    "step_14400": "4 hours",
    "no_name": "(no name)",
    "stage": "Stage",
    "length": "Length",
    "finished_unknown": "not known",
    "finished_yes": "yes, the text is whole",
    "finished_no": "no, it was cut off",
    "characters": "{} characters",
    "state_acted": "acted",
    "state_nothing_to_do": "nothing to do",
    "state_not_needed": "not needed",
    "state_refused": "refused",
    "state_not_reached": "not reached",
    "stage_empty": "blank text",
    "stage_think": "drop reasoning",
    "stage_fence": "take the code block",
    "stage_tool_call": "a tool's call",
    "stage_control_chars": "escape control characters",
    "stage_strict": "strict JSON",
    "stage_extract": "find the object in prose",
    "stage_repair": "repair the syntax",
    "stage_root": "check the root",
    "stage_normalize": "run the hooks",
    "stage_validate": "validate as the type",
    "action_chosen": "chosen",
    "action_dropped": "dropped",
    "action_recognised": "recognised",
    "root_object": "an object",
    "root_array": "an array",
    "more": "{} more",
    "left_out": "{} more characters are not shown.",
}
"""Words that a template asks for by a name that it works out, or more than once."""


@cache
def words_in(language: Language) -> dict[str, str]:
    """Those words in one language, by their names."""
    return {name: translated(english, language) for name, english in WORDS.items()}
