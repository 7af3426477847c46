"""The whole document as the content of something else: a string, a call, an assignment."""

from __future__ import annotations

import json

from tools.attack.damages.places import Damage, between, whole


def _encoded(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _encoded_in_ascii(text: str) -> str:
    return json.dumps(text)


def _escaped(text: str) -> str:
    return _encoded(text)[1:-1]


def _escaped_in_ascii(text: str) -> str:
    return _encoded_in_ascii(text)[1:-1]


def _quotes_escaped(text: str) -> str:
    return text.replace('"', '\\"')


def _encoded_twice(text: str) -> str:
    return _encoded(_encoded(text))


DAMAGES = (
    Damage("encoded as a string", whole(_encoded)),
    Damage("encoded as a string of ASCII", whole(_encoded_in_ascii)),
    Damage("encoded twice", whole(_encoded_twice)),
    Damage("escaped, without outer quotes", whole(_escaped)),
    Damage("escaped in ASCII, without outer quotes", whole(_escaped_in_ascii)),
    Damage("only the quotes escaped", whole(_quotes_escaped)),
    Damage("only the quotes escaped, in quotes", whole(lambda text: f'"{_quotes_escaped(text)}"')),
    Damage("in quotes, nothing escaped", whole(between('"', '"'), between("'", "'"), between("`", "`"))),
    Damage("Python's repr of the text", whole(repr)),
    Damage("Python's repr of the bytes", whole(lambda text: repr(text.encode()))),
    Damage(
        "assigned to a name",
        whole(between("result = ", ";"), between("const answer = ", "")),
    ),
    Damage("argument of a call", whole(between("report(", ")"), between("json.loads('", "')"))),
    Damage("written twice", whole(lambda text: text + "\n" + text, lambda text: text + text)),
    Damage("word of the language in front", whole(between("json\n", ""), between("JSON ", ""))),
)
