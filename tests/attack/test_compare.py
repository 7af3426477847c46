"""Two versions of the parser on the same texts."""

import json
from pathlib import Path

import pytest

from attack import compare

OLD = '''
"""A parser that reads one text otherwise, refuses another, and reads a third that is no JSON."""
from src.shared.domain.exceptions import LLMJsonParseError
class _Decoded:
    def __init__(self, data): self.data = data
def decode_llm_json(text):
    if text == "refuse":
        raise LLMJsonParseError("x", {"json_error": "y"})
    if text == '{"b": 2}':
        raise LLMJsonParseError("x", {"json_error": "not read"})
    return _Decoded({"a": 5} if text == '{"a": 1}' else {"c": 3})
'''


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A tree with another parser, and this tree's errors."""
    package = tmp_path / "old/src/shared/infrastructure"
    package.mkdir(parents=True)
    (package / "llm_json.py").write_text(OLD)
    domain = tmp_path / "old/src/shared/domain"
    domain.mkdir()
    for folder in (domain, package, package.parent, package.parents[1]):
        (folder / "__init__.py").touch()
    for name in ("exceptions.py", "language.py", "one_line.py"):
        (domain / name).write_text((compare.ROOT / "src/shared/domain" / name).read_text())
    return tmp_path / "old"


def texts(folder: Path, *lines: str) -> Path:
    file = folder / "texts.jsonl"
    file.write_text("".join(json.dumps({"id": f"t{at}", "text": text}) + "\n" for at, text in enumerate(lines)))
    return file


def test_differences_are_told_by_reason(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = texts(tmp_path, '{"a": 1}', '{"b": 2}', '{"c": 3}', "no object", "refuse")
    assert compare.main([str(old), str(file)]) == 1
    assert {line.strip() for line in capsys.readouterr().out.splitlines()} == {
        "1  another value: t0",
        "1  read now, was refused: not read: t1",
        "1  same value",
        "1  refused: no JSON object in the text (was read): t3",
        "1  refused for another reason: t4",
    }


def test_same_values_are_no_failure(tmp_path: Path) -> None:
    assert compare.main([str(compare.ROOT), str(texts(tmp_path, '{"a": 1}', "x"))]) == 0


def test_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        compare.main(["somewhere", "nowhere.jsonl"])
    assert "files that are there" in capsys.readouterr().err
