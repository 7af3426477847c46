"""Texts that were JSON once: with parts deleted, inserted, swapped, escaped, or with nothing of JSON at all."""

import json

from hypothesis import strategies as st

from tests.properties.damages import DAMAGES
from tests.properties.json_texts import AWKWARD, json_texts, objects

JUNK = (
    *AWKWARD, "“", "”", "/*", "*/", "+", "=", "1", "+1", ".5", "1_000", "undefined", "-Infinity", "abc", '"a": ',
    "'a': ", "｛", '\\"', "\\times ", "\ud800",
)  # fmt: skip

small_text = st.text(alphabet="ab 中,:{}[]\"'\\\n", max_size=6)
small_json = json_texts(objects(small_text))


@st.composite
def styled_json(draw: st.DrawFn) -> str:
    """Draw an object with one of the lossless damages."""
    damage = DAMAGES[draw(st.sampled_from(sorted(DAMAGES)))]
    texts = list(damage.texts(draw(damage.values)))
    return draw(st.sampled_from(texts)) if texts else "{}"


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """Draw a text and change it in up to four places."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        change = draw(st.sampled_from(["delete", "cut", "insert", "swap", "double"]))
        match change:
            case "delete":
                text = text[:start] + text[start + 1 + (end - start) % 3 :]
            case "cut":
                text = text[: max(start, end)]
            case "insert":
                text = text[:start] + draw(st.sampled_from(JUNK)) + text[start:]
            case "swap":
                text = text[:start] + text[start + 1 : start + 2] + text[start : start + 1] + text[start + 2 :]
            case _:
                text = text[:start] + text[start:end] * 2 + text[end:]
    return text


soup = st.lists(st.sampled_from(JUNK), max_size=25).map("".join)
escaped = small_json.map(lambda text: json.dumps(text)[1:-1])
broken_json = mutated(small_json | styled_json()) | mutated(escaped)
any_text = st.text() | soup | broken_json
