"""What the page is made of: its templates and its files, and in which language its reader wants it."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment
from markupsafe import escape

from src.entrypoints.agents import agent_word
from src.entrypoints.http.page import explaining, overview
from src.entrypoints.reports.batch.drawing import bar
from src.entrypoints.reports.batch.words import grouped, share
from src.entrypoints.reports.templates_of import html_environment
from src.entrypoints.reports.words import escape_invisible, word_of
from src.modules.monitoring.domain.rate import time_of
from src.shared.domain.language import Language, translated
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

_KIND_WORDS = {kind.value: kind.words for kind in RepairKind}


@cache
def environment() -> Environment:
    """The templates, and what they may use besides the reports' filters."""
    made = html_environment(Path(__file__).parent / "templates")
    named = (
        agent_word,
        bar,
        grouped,
        one_line,
        overview.counts_by_outcome,
        overview.level,
        overview.ranked_rates,
        share,
    )
    made.filters |= {
        **{function.__name__: function for function in named},
        "as_it_is": escape,  # what a reader is to send again: escaped and not changed
        "clock": lambda moment: f"{time_of(moment):%m-%d %H:%M:%S}",
        "iso": lambda moment: f"{time_of(moment):%Y-%m-%dT%H:%M:%SZ}",
        "kind_word": lambda kind: word_of(_KIND_WORDS[kind]) if kind in _KIND_WORDS else "",  # of another version
        "name": overview.displayed_name,
        "visible": escape_invisible,
    }
    made.globals |= {
        "excerpt": overview.EXCERPT,
        "most_bars": overview.BARS,
        "most_notes": explaining.MOST_NOTES,
        "most_of_one": overview.MOST_OF_ONE,
        "most_repairs": explaining.MOST_REPAIRS,
        "most_rows": overview.ROWS,
        "most_text": explaining.MOST_TEXT,
        "most_texts": overview.MOST_TEXTS,
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
    texts = json.loads((Path(__file__).parent / "ugly_texts.json").read_text(encoding="utf-8"))
    for one in texts:
        schema = {"type": "array", "items": _ORDER} if one.pop("is_list", False) else _ORDER
        one["schema"] = json.dumps(schema, indent=2)
    return {one["name"]: one for one in texts}


STATIC = Path(__file__).parent / "static"
REPORT = Path(__file__).parents[2] / "reports" / "templates" / "report.css"
"""The style of the reports, which is the page's as well."""
_HASH = 12


class Asset(NamedTuple):
    """One file.

    Attributes:
        name: with a part that changes with the content.
        content: its bytes.
        packed: the same as gzip has it.
        media_type: with the encoding of a text.
    """

    name: str
    content: bytes
    packed: bytes
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """All files, by the names that they have here."""
    found = {}
    for path in (REPORT, *sorted(path for path in STATIC.rglob("*") if path.suffix in {".css", ".js"})):
        content = path.read_bytes()
        name = f"{path.stem}.{hashlib.sha256(content).hexdigest()[:_HASH]}{path.suffix}"
        media_type = f"{mimetypes.types_map[path.suffix]}; charset=utf-8"
        found[path.name] = Asset(name, content, gzip.compress(content, mtime=0), media_type)
    return found


PARAMETER = "lang"
COOKIE = "llm_output_lang"
TAGS = {Language.ZH: "zh-CN", Language.EN: "en"}
"""What `lang` says of each language of the page."""
_LONGEST_HEADER = 1_000
_RANGE = re.compile(r"(?:^|,)\s*+([A-Za-z]++)[-\w]*+\s*+(?:;\s*+q=([01](?:\.\d*+)?)\s*+)?(?=,|$)")
"""A language of `Accept-Language` and its weight, if it has one; what is written otherwise is passed over."""


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
    for chosen in (query.get(PARAMETER), cookies.get(COOKIE)):
        if chosen in TAGS:
            return Language(chosen)
    weights = dict.fromkeys(TAGS, 0.0)
    for name, weight in _RANGE.findall(accepted[:_LONGEST_HEADER]):
        if name.lower() in TAGS:
            language = Language(name.lower())
            weights[language] = max(weights[language], float(weight or 1))
    if any(weights.values()):
        return max(weights, key=lambda language: weights[language])
    return Language.EN if accepted.strip() else Language.ZH  # some third language
