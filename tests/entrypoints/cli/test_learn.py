"""`llm-output learn`: what stored outputs are like, for each model, with shares, examples and rows to paste."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.reports.learned import MOST_KINDS, Learned
from src.shared.infrastructure.text_traits import Traits, traits_of
from src.shared.infrastructure.tool_call_forms.marks import WITH_MARKS
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Grammar, Notation
from tests.entrypoints.cli.harness import invoke

TEXTS: list[dict[str, Any]] = [
    {"model": "m1", "text": "<think>hm</think>\n```json\n{'a': 1,}\n```", "finish_reason": "stop"},
    {"model": "m1", "text": 'Here: {"a": 1}. Done.'},
    {"model": "m2", "text": '<tool_call>\n{"name": "f", "arguments": {"n": "x"}}\n</tool_call>'},
    {"model": "m2", "text": '<musing>let me see</musing>\n{"a": 1}'},
    {"model": "m2", "text": '<|do|>{"name": "f", "arguments": {}}<|/do|>'},
    {"model": "m2", "text": '<reply>{"a": "<b>x</b> <foo>"}</reply> <lone> <br>'},
    {"text": '{"a": 1'},
    {"text": None},
    {"other": 1},
]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(text) + "\n" for text in TEXTS), encoding="utf-8")
    return path


def test_shares_and_an_example_are_told_for_each_model(stored: Path) -> None:
    learned = json.loads(invoke("learn", str(stored)).stdout)
    m1 = learned["models"]["m1"]

    assert (learned["texts"], learned["unreadable"], list(learned["models"])) == (8, 1, ["m2", "-", "m1"])
    assert {name: seen["share"] for name, seen in m1["wrappings"].items()} == {
        "fence:json": 0.5, "prose": 0.5, "reasoning": 0.5,
    }  # fmt: skip
    assert m1["reasoning"]["<think>"]["example"]["excerpt"].startswith("<think>hm</think>")
    assert m1["reasoning"]["<think>"]["example"]["place"].endswith(":1")
    assert list(m1["dialect"]) == list(m1["repairs"]) == ["single_quote", "trailing_comma"]
    assert learned["models"]["m2"]["calls"]["Hermes"]["texts"] == 1
    assert list(learned["models"]["-"]["outcome"]) == ["refused:empty", "refused:repair"]
    assert sorted(learned["models"]["m2"]["unknown"]) == [
        "<lone>",
        "<musing>…</musing>",
        "<reply>…</reply>",
        "<|do|>…<|/do|>",
    ]


def test_folder_gets_the_page_the_json_and_the_rows(stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "learned"
    ended = invoke("learn", str(stored), "--out", str(out), "--sample", "9")
    page = (out / "learned.html").read_text(encoding="utf-8")

    assert ended.code == 0
    assert "&lt;musing&gt;" in page
    assert "<musing>" not in page
    assert json.loads((out / "learned.json").read_text(encoding="utf-8"))["texts"] == 8
    assert "'musing'," in (out / "rows.txt").read_text(encoding="utf-8")


def test_row_that_is_to_be_pasted_is_a_row(stored: Path) -> None:
    rows = json.loads(invoke("learn", str(stored)).stdout)["rows"]
    (pasted,) = [line for line in rows.splitlines() if line.startswith("Notation(")]
    row = eval(pasted.rstrip(","), {"Notation": Notation, "Grammar": Grammar})  # noqa: S307 - our own line

    assert isinstance(row, Notation)
    assert row.wraps == (("<|do|>", "<|/do|>"),)
    assert "# <reply>…</reply> stands around an answer" in rows


@pytest.mark.parametrize("row", NOTATIONS, ids=lambda row: row.name)
def test_every_notation_is_told_by_its_example(row: Notation) -> None:
    found = traits_of(row.example).calls

    assert not found or row.name in found[0] or row not in WITH_MARKS
    assert found or not (row.wraps or any(call[0] in "<[" for call in row.calls)) or row.needs_a_tool or row.may_be_bare


@pytest.mark.parametrize(
    ("text", "wrappings"),
    [
        ('{"a": 1}', ("none",)),
        ('```\n{"a": 1}\n```', ("fence",)),
        ('~~~JSON\n{"a": 1}\n~~~', ("fence:json",)),
        ('<answer>{"a": 1}</answer>', ("none",)),
        ("no object", ("prose",)),
    ],
)
def test_wrapping_is_what_stands_around_the_answer(text: str, wrappings: tuple[str, ...]) -> None:
    assert traits_of(text).wrappings == wrappings


def test_only_so_many_different_things_are_kept() -> None:
    learned = Learned()
    for at in range(MOST_KINDS + 5):
        traits = Traits("clean", (), (), (), (), {}, (f"<x{at}>",))
        learned.add(None, f"<x{at}>", str(at), traits)

    assert learned.json()["models"]["-"]["unknown"]["…"]["texts"] == 5
    assert learned.rows() == ""
