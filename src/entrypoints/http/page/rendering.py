"""What the page is made of: its templates, its files, and its words in each language."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from src.entrypoints.agents import agent_word
from src.entrypoints.http.page.words import EN, ZH
from src.entrypoints.reports.words import repair_word, shown
from src.shared.domain.language import Language
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
    made.filters |= {"agent_word": agent_word, "as_it_is": _as_it_is, "kind_word": _kind_word}
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


@dataclass(frozen=True)
class Asset:
    """One file.

    Attributes:
        name: with a part that changes with the content.
        content: its bytes.
        media_type: with the encoding of a text.
    """

    name: str
    content: bytes
    media_type: str

    @classmethod
    def of(cls, path: Path) -> Asset:
        """The file at a path."""
        content = path.read_bytes()
        media_type = mimetypes.types_map[path.suffix]
        digest = hashlib.sha256(content).hexdigest()[:_HASH]
        return cls(f"{path.stem}.{digest}{path.suffix}", content, f"{media_type}; charset=utf-8")

    @cached_property
    def packed(self) -> bytes | None:
        """The same as gzip has it; None where that is not worth it."""
        return gzip.compress(self.content, mtime=0) if len(self.content) > _SMALL else None


class Assets:
    """All of them, by the names under which they are asked for."""

    def __init__(self) -> None:
        """Read them."""
        paths = [REPORT, *sorted(path for path in STATIC.rglob("*") if path.suffix in {".css", ".js"})]
        by_file = {path.name: Asset.of(path) for path in paths}
        self.names = {file: asset.name for file, asset in by_file.items()}
        self._by_name = {asset.name: asset for asset in by_file.values()}

    def named(self, name: str) -> Asset | None:
        """The file with this name; None where there is none."""
        return self._by_name.get(name)


PARAMETER = "lang"
EXAMPLE = "example"
"""The parameter that names the text that stands in the box."""
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


WORDS: Final[dict[Language, dict[str, str]]] = {Language.ZH: ZH, Language.EN: EN}
"""A key is what a template or the page's script asks for; `{}` in a text is filled with a number or a name."""
