"""The documented rules that say more than a count of edits can: named, explained, and as few as will do.

A `Reread` says that a text is read as another text; a `Decider` says which of several nearest readings stands; a
`Silence` says of which texts the reference says nothing. Each names where it is documented: a kind of repair in
`docs/reference/repairs.md`, or a promise ("the whole text is accounted for", "the nearest reading, and only one").
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple


class Reread(NamedTuple):
    """A text that stands for another one, which `instead` gives, or None where the rule does not apply."""

    name: str
    why: str
    instead: Callable[[str], str | None]


class Decider(NamedTuple):
    """A preference: of the nearest readings, as strict JSON, those with the smallest `against` are left."""

    name: str
    why: str
    against: Callable[[str], int]


class Silence(NamedTuple):
    """Texts that `covers` names are not compared."""

    name: str
    why: str
    covers: Callable[[str], bool]


_PROSE = re.compile(r"""\d+:\s | [^"“”:：,，]* (?: \(['"] )?""", re.VERBOSE)
_LETTER = re.compile(r"(?<!\w)[bfruBFRU]{1,2}[\"']")
_STARTS_NO_ESCAPE = re.compile(r"""\\(?! ["\\/bfnrt'`] | u[0-9a-fA-F]{4} )""", re.VERBOSE)


def _decoded(text: str) -> str | None:
    """The text inside a string of JSON's, with its quotes or without."""
    for string in (text, f'"{text}"' if '\\"' in text else "null"):
        try:
            value = json.loads(string, strict=False)
        except ValueError:
            continue
        if isinstance(value, str) and value.strip()[:1] in ("{", "[", '"') and value != text:
            return value
    return None


def _without_prose(text: str) -> str | None:
    """The text from its first opening bracket to its last closing one."""
    found = re.search(r"[{\[｛［](?s:.*)[}\]｝］]", text)
    if found is None or found.group() == text.strip():
        return None
    is_prose = _PROSE.fullmatch(text[: found.start()]) and _PROSE.fullmatch(text[found.end() :])
    return found.group() if is_prose else None


def _written_once(text: str) -> str | None:
    half = text[: len(text) // 2].strip()
    return half if half and text.strip() in (half + half, f"{half}\n{half}") else None


def _key_once(text: str) -> str | None:
    changed = re.sub(r'("[^"]*"\s*:\s*)\1', r"\1", text)
    return changed if changed != text else None


def _replaced(pattern: str, by: str) -> Callable[[str], str | None]:
    def instead(text: str) -> str | None:
        changed = re.sub(pattern, by, text)
        return changed if changed != text else None

    return instead


def _unquoted_lines(text: str) -> str | None:
    """The text without the mark before each of its lines."""
    for mark in ("> ", ">", "+ ", "+", "| ", "|", "- ", "# ", "// ", ">>> "):
        if all((line + " ").startswith(mark) for line in text.split("\n")):
            return "\n".join(line[len(mark) :] for line in text.split("\n"))
    return None


def _unescaped_for_html(text: str) -> str | None:
    return html.unescape(text) if re.search(r"[{\[]\s*&(?:quot|#34|#x22);", text) and '"' not in text else None


def _quoted_once(text: str) -> str | None:
    twice = re.search(r'\{\s*""(?!\s*:)[^"\n]+""\s*[:=]', text) and '"' not in text.replace('""', "")
    return text.replace('""', '"') if twice else None


def _repr_of_text(text: str) -> str | None:
    is_repr = re.search(r"'[{\[](?:[^\\']|\\[\\'])*'", text) and re.search(r"""\\(?:'|\\(?:"|u[0-9a-fA-F]{4}))""", text)
    return re.sub(r"\\([\\'])", r"\1", text) if is_repr else None


REREADS = (
    Reread("HTML", "escaped_json: JSON escaped for HTML is what a page shows", _unescaped_for_html),
    Reread("cell of CSV", "escaped_json: JSON in a cell of CSV has each quote twice", _quoted_once),
    Reread("repr of a text", "escaped_json: what Python's repr makes of JSON", _repr_of_text),
    Reread("marks before lines", "markup: a mark before every line is no part of the object", _unquoted_lines),
    Reread(
        "line breaks of HTML",
        "markup: a line break of HTML between the parts of an object is a line end",
        _replaced(r"(?<=[{\[,])(\s*)<br ?/?>|<br ?/?>(?=\s*[}\]])", r"\1 "),
    ),
    Reread(
        "bullets",
        "markup: a bullet before a member is no part of it",
        _replaced(r'(?<=[\n{\[,])(\s*)(?:[*•·]|-(?= ["{\[])) (?=["{\[\dtfn])', r"\1"),
    ),
    Reread(
        "bold",
        "markup: bold around a key or a text is no part of it",
        _replaced(r'(\*\*|__)"([^"*]*)"\1|\*\*([\w -]+)\*\*(?=\s*:)', r'"\2\3"'),
    ),
    Reread(
        "colon inside a key's quotes",
        "missing_colon: a colon that stands inside the quotes of the key before it is moved out",
        _replaced(r'(?<=[{,])(\s*)"([^":]+):"(?=\s*(?:["{\[\d\-]|true|false|null))', r'\1"\2":'),
    ),
    Reread("comment of HTML", "comment: a comment between tokens is dropped", _replaced(r"<!--[^>]*-->", " ")),
    Reread(
        "two quotes",
        "single_quote: two single quotes on each side are one double quote",
        _replaced(r"(?<!')''(?=\w)([^'\"]*)''", r'"\1"'),
    ),
    Reread(
        "quote behind a number",
        "stray_quote: a quote behind a number opened nothing",
        _replaced(r'((?:": ?|\[)-?\d+(?:\.\d+)?)"(?=\s*[,}\]])', r"\1"),
    ),
    Reread(
        "escaped quotes",
        "escaped_json: a value between escaped quotes is a string",
        _replaced(r'((?<!\\)": ?)\\"([^"\\]*)\\"', r'\1"\2"'),
    ),
    Reread("escaped JSON", "escaped_json: JSON written as a string is what the string says", _decoded),
    Reread("prose", "the whole text: words around the outermost brackets are prose", _without_prose),
    Reread("equal object", "the whole text: an object that is written twice is one", _written_once),
    Reread("repeated key", "repeated_key: a key twice before its value is written once", _key_once),
)


def _strings(value: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return [*value, *(text for each in value.values() for text in _strings(each))]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    return [value] if isinstance(value, str) else []


def _count(pattern: str) -> Callable[[str], int]:
    return lambda text: sum(len(re.findall(pattern, string)) for string in _strings(json.loads(text)))


def _keys_twice(text: str) -> int:
    twice = 0

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        twice += len(members) - len(dict(members))
        return dict(members)

    json.loads(text, object_pairs_hook=pairs)
    return twice


def _odd_quotes(text: str) -> int:
    return sum(string.count('"') % 2 for string in _strings(json.loads(text)))


def _brackets(text: str) -> int:
    return len(re.findall(r"[{}\[\]]", text)) - _count(r"[{}\[\]]")(text)


def _closed_before_the_end(text: str) -> int:
    return len(re.findall(r"[}\]]", text.rstrip("}]"))) - _count(r"[}\]]")(text)


DECIDERS = (
    Decider(
        "key inside a text",
        "the nearest reading: a quote beside a mark inside a text is the shape of a key inside a value",
        _count(r'"\s*[:,{}\[\]]|[:,{}\[\]]\s*"'),
    ),
    Decider(
        "key that stands twice", "the nearest reading: a key that would stand twice speaks against it", _keys_twice
    ),
    Decider("bracket", "surplus_bracket: one that opens or closes nothing is dropped, no other one put", _brackets),
    Decider(
        "end of the text", "missing_bracket: what a whole text leaves open is closed at its end", _closed_before_the_end
    ),
    Decider("backslash", r"bad_escape: `\'` and `\"` are quotes, not a backslash and a quote", _count(r"\\")),
    Decider("stray quote", "stray_quote: a quote beside a string's own, with no other one for a pair", _odd_quotes),
)
SILENCES = (
    Silence(
        "backslashes",
        "bad_escape: a backslash that starts no escape says how all those of its string are read",
        lambda text: _STARTS_NO_ESCAPE.search(text.replace("\\\\", "")) is not None,
    ),
    Silence("letters", "python_literal: a letter before a quote is Python's", lambda t: _LETTER.search(t) is not None),
    Silence("bars", "missing_comma: a bar between two values stands for it", lambda t: "｜" in t),
    Silence("triple quotes", "single_quote: three quotes are Python's", lambda t: "'" * 3 in t or '"' * 3 in t),
)
