"""Two versions of the parser on the same texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.attack import compare
from tools.attack.compare import Case, Difference, difference

OLD = '''
"""A parser that reads one text otherwise, refuses another, and reads a third that is no JSON."""
from src.shared.domain.exceptions import LLMJsonParseError
class _Repair:
    kind, offset, found, put = "missing_quote", 1, "", '"'
class _Decoded:
    def __init__(self, data, *repairs): self.data, self.repairs, self.grade = data, repairs, "clean"
def decode_llm_json(text, finished=None):
    if text == "crash":
        raise ValueError("no")
    if text in ("refuse", '{"a": 1'):
        raise LLMJsonParseError("x", {"stage": "repair", "json_error": "y"})
    if text == '{"b": 2}':
        raise LLMJsonParseError("x", {"stage": "repair", "json_error": "not read"})
    if text == "{'d': 4}":
        return _Decoded({"d": 4}, _Repair())
    return _Decoded({"a": 5} if text == '{"a": 1}' else {"c": 3})
'''
STREAM = '''
"""A stream that shows nothing."""
from types import SimpleNamespace
class LLMJsonStream:
    def __init__(self, dto_type): pass
    def feed(self, piece): return SimpleNamespace(data=None, complete=(), state="open")
    def close(self, finished): return None
'''
REFUSED = {"reason": "repair: x", "place": 1, "truncated": False}
READ = {"value": {"a": 1}, "repairs": [["missing_comma", 3, "", ","]], "grade": "lossless"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A tree with another parser, and this tree's errors."""
    package = tmp_path / "old/src/shared/infrastructure"
    package.mkdir(parents=True)
    (package / "llm_json.py").write_text(OLD)
    (package / "llm_stream.py").write_text(STREAM)
    domain = tmp_path / "old/src/shared/domain"
    domain.mkdir()
    for folder in (domain, package, package.parent, package.parents[1]):
        (folder / "__init__.py").touch()
    for name in ("exceptions.py", "language.py", "one_line.py"):
        (domain / name).write_text((compare.ROOT / "src/shared/domain" / name).read_text())
    return tmp_path / "old"


def texts(folder: Path, *lines: str) -> Path:
    file = folder / "texts.jsonl"
    rows = [{"id": f"t{at}", "text": text, "expected": {"b": 2}} for at, text in enumerate(lines)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_differences_are_told_by_kind(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = texts(tmp_path, '{"a": 1}', '{"b": 2}', '{"c": 3}', "no object", "refuse", "{'d': 4}", "crash", '{"a": 1')
    assert compare.main([str(old), str(file)]) == 1
    lines = {line.strip() for line in capsys.readouterr().out.splitlines()}
    assert lines >= {
        "1  clean → clean: t0",
        "1  repair: not read: t1",
        "1  extract: no JSON object in the text: t3",
        "1  repair: y → extract: no JSON object in the text: t4",
        "1  −missing_quote +single_quote: t5",
        "1  old: ValueError: no: t6",
        "1  known value: old refused, new equal",
    }
    assert 'old  {"a": 5}' not in lines
    assert {" ".join(line.split()) for line in lines} >= {
        "same value 1",
        "refusal to value 1",
        "value to refusal 1",
        "texts, known, old 8 0 0.00% 3 37.50% 4 50.00% 0 0.00% 1 12.50%",
        "texts, known, new 8 1 12.50% 4 50.00% 3 37.50% 0 0.00% 0 0.00%",
    }


def test_all_of_a_kind_are_listed_as_json(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = texts(tmp_path, '{"a": 1}', '{"b": 2}', '{"c": 3}')
    compare.main([str(old), str(file), "--list", "refusal to value"])
    (listed,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (listed["id"], listed["expected"], listed["new"]["value"]) == ("t1", {"b": 2}, {"b": 2})


def test_streams_are_compared_by_what_they_show(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare.main([str(old), "--streams", "5"])
    assert "stream shows more" in capsys.readouterr().out


def test_same_values_are_no_failure(tmp_path: Path) -> None:
    assert compare.main([str(compare.ROOT), str(texts(tmp_path, '{"a": 1}', "x")), "--attack", "5"]) == 0


@pytest.mark.parametrize(
    ("old_row", "new_row", "kind", "detail"),
    [
        (REFUSED, REFUSED, "same refusal", ""),
        (REFUSED, {**REFUSED, "reason": "extract: x"}, "reason", "repair: x → extract: x"),
        (REFUSED, {**REFUSED, "place": 2}, "place", "repair: x"),
        (REFUSED, {**REFUSED, "truncated": True}, "truncated", "repair: x"),
        (READ, {**READ, "grade": "guessed"}, "grade", "lossless → guessed"),
        (READ, {**READ, "repairs": [["missing_comma", 4, "", ","]]}, "repairs", "places or order"),
        (READ, {**READ, "repairs": [["missing_comma", 3, " ", ","]]}, "repairs", "found or put"),
        (READ, {**READ, "value": {"a": 1.0}}, "other value", "lossless → lossless"),
        (READ, {"crashed": "ValueError: x"}, "crash", "ValueError: x"),
    ],
)
def test_first_difference_is_the_kind(old_row: dict[str, Any], new_row: dict[str, Any], kind: str, detail: str) -> None:
    assert difference(old_row, new_row) == (kind, detail)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"a": "on"}, "same stream"),
        ({"a": "one"}, "stream shows more"),
        ({"a": "on", "b": []}, "stream shows more"),
        ({"a": "o"}, "stream shows less"),
        (None, "stream shows less"),
        ({"a": "x"}, "stream shows otherwise"),
    ],
)
def test_snapshots_differ_by_how_much_they_show(data: object, kind: str) -> None:
    old, new = ({"shown": [[shown, [], "open"]], "end": None} for shown in ({"a": "on"}, data))
    assert difference(old, new) == (kind, "")


def test_streams_that_show_the_same_may_end_otherwise() -> None:
    old: dict[str, Any] = {"shown": [[None, [], "open"]], "end": None}
    new = {**old, "end": REFUSED}
    found = Difference(*difference(old, new), Case("streams", "s", {"text": "x"}), old, new)
    assert (found.kind, found.detail) == ("stream is complete or ends otherwise", "its end")
    assert "repair: x" in compare.report([found], 1)


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        compare.main([".", "nowhere.jsonl"])
    assert "files that are there" in capsys.readouterr().err
