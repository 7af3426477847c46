"""What the outputs of each model are like: shares with examples, marks that are not known, and rows to paste."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from src.entrypoints.reports.templates_of import HTML
from src.entrypoints.reports.words import said
from src.shared.domain.expression import repeated
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.text_traits import Traits

EXAMPLE_LIMIT = 120
"""Most characters of a text that an example shows."""
MOST_KINDS = 200
"""Most different things of one kind that are kept of a model; further ones are counted as `…`."""
ASPECTS = {
    "outcome": Message("结果", "outcome"),
    "wrappings": Message("包装", "wrapping"),
    "dialect": Message("写法", "way of writing"),
    "reasoning": Message("推理标记", "mark of reasoning"),
    "calls": Message("工具调用格式", "notation of calls"),
    "repairs": Message("修复", "repair"),
    "unknown": Message("未知标记", "mark that is not known"),
}
"""What is counted, in the order in which it is shown."""
NAMELESS = "-"
"""What stands for a model that has no name."""


@dataclass
class Seen:
    """How many texts of a model have something, and one of them: its place, and how it begins there."""

    texts: int = 0
    place: str = ""
    excerpt: str = ""


@dataclass
class ModelTraits:
    """What the texts of one model are like, by aspect."""

    texts: int = 0
    aspects: dict[str, dict[str, Seen]] = field(default_factory=lambda: {name: {} for name in ASPECTS})

    def add(self, traits: Traits, text: str, place: str) -> None:
        """Count a text."""
        self.texts += 1
        for aspect, seen in self.aspects.items():
            found = getattr(traits, aspect)
            for name in dict.fromkeys([found] if isinstance(found, str) else found):
                known = seen.setdefault(name if name in seen or len(seen) < MOST_KINDS else "…", Seen())
                known.texts += 1
                if known.texts == 1:
                    known.place, known.excerpt = place, _excerpt(text, name)

    def json(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "texts": self.texts,
            **{
                aspect: {
                    name: {
                        "texts": one.texts,
                        "share": round(one.texts / self.texts, 4),
                        "example": {"place": one.place, "excerpt": one.excerpt},
                    }
                    for name, one in sorted(seen.items(), key=lambda pair: (-pair[1].texts, pair[0]))
                }
                for aspect, seen in self.aspects.items()
            },
        }


def _excerpt(text: str, name: str) -> str:
    at = max(0, text.find(name.partition("…")[0]))
    return one_line(text[max(0, at - EXAMPLE_LIMIT // 4) :], EXAMPLE_LIMIT)


@dataclass
class Learned:
    """What the texts of all models are like."""

    models: dict[str, ModelTraits] = field(default_factory=dict)
    unreadable: int = 0
    behind: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, model: str | None, text: str, place: str, traits: Traits) -> None:
        """Count a text."""
        self.models.setdefault(model or NAMELESS, ModelTraits()).add(traits, text, place)
        for mark in traits.unknown[:MOST_KINDS]:
            if len(self.behind) < MOST_KINDS or mark in self.behind:
                self.behind.setdefault(mark, Counter())[_behind(text, mark.partition("…")[0])] += 1

    def json(self) -> dict[str, Any]:
        """As JSON types: the models with most texts first."""
        models = sorted(self.models.items(), key=lambda pair: (-pair[1].texts, pair[0]))
        return {
            "texts": sum(model.texts for model in self.models.values()),
            "unreadable": self.unreadable,
            "models": {name: model.json() for name, model in models},
            "rows": self.rows(),
        }

    def rows(self) -> str:
        """The rows for the marks that are not known, to be pasted where a comment says; empty where there are none."""
        return "\n".join(filter(None, (_row(mark, found) for mark, found in sorted(self.behind.items()))))

    def page(self) -> str:
        """A page of its own: it takes nothing from elsewhere."""
        title = said("模型输出的特征", "What the outputs of models are like")
        return HTML.get_template("learned.html.j2").render(
            title=title, learned=self.json(), aspects={name: said.text() for name, said in ASPECTS.items()}
        )


_CALL = re.compile(r'\s*+\[?+\s*+\{\s*+"(?:name|function|tool)"')
_JSON = re.compile(r"\s*+" + repeated(r"```\w*+\s*+", "?") + r"[{\[]")
_NAME = re.compile(r"[\w.:-]++")


def _behind(text: str, mark: str) -> str:
    """What follows a mark: a `call`, some `json`, or a `text`."""
    at = text.find(mark) + len(mark)
    return "call" if _CALL.match(text, at) else "json" if _JSON.match(text, at) else "text"


def _row(pair: str, behind: Counter[str]) -> str:
    """What to paste for two marks, by what stands between them most often; empty for one without its partner."""
    opening, _, closing = pair.partition("…")
    follows = behind.most_common(1)[0][0]
    if not closing:
        return ""
    if follows == "json":
        return f"# {pair} stands around an answer, which is read as it is: no row is needed"
    name = "".join(_NAME.findall(opening))
    if follows == "text":
        return (
            f"# a word of REASONING_WORDS in src/shared/domain/reasoning.py, if {pair} is reasoning:\n{name.lower()!r},"
        )
    example = f'{opening}{{"name": "f", "arguments": {{"n": "x"}}}}{closing}'
    wraps = f"wraps=(({opening!r}, {closing!r}),)"
    return (
        "# a row of NOTATIONS in src/shared/infrastructure/tool_call_forms/notations.py:\n"
        f"Notation({name!r}, 'MODELS', Grammar.CALL_OBJECTS, {example!r}, {wraps}),"
    )
