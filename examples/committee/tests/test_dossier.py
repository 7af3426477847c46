"""A dossier is one JSON document; what is wrong with it is said where it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from examples.committee.dossier import Dossier, DossierError, load_dossier
from src.shared.domain.language import VARIABLE
from tests.modules.inputs import DOSSIER_FILE

EXAMPLE: dict[str, Any] = json.loads(DOSSIER_FILE.read_text(encoding="utf-8"))
STOCK = {"symbol": "688999.SH", "name": "临溪传感（虚构）", "as_of": "2025-11-21"}


def refusal(folder: Path, document: object) -> str:
    file = folder / "dossier.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    with pytest.raises(DossierError) as caught:
        load_dossier(file)
    return caught.value.message


def test_shipped_example_is_read_whole_and_says_that_it_is_fictional() -> None:
    assert load_dossier(DOSSIER_FILE).model_dump(mode="json", exclude_unset=True) == EXAMPLE
    assert "虚构" in EXAMPLE["note"]


def test_stock_alone_is_a_dossier() -> None:
    assert Dossier.model_validate({"version": 1, "stock": STOCK}).technical is None


def test_every_field_has_a_description_and_others_are_refused() -> None:
    schema = Dossier.model_json_schema()
    models = [schema, *schema["$defs"].values()]
    assert all(model["additionalProperties"] is False for model in models)
    assert all(field.get("description") for model in models for field in model["properties"].values())


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("zh", ["档案有 2 处需要修改", "  - $.technical.close: 数值太小", "  - $.technicel: 没有这一项"]),
        ("en", ["problems in the dossier: 2", "  - $.technical.close: too small", "  - $.technicel: no such field"]),
    ],
)
def test_every_problem_is_told_with_its_place(
    language: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, language)
    wrong = {"version": 1, "stock": STOCK, "technical": {"close": 0}, "technicel": {}}
    assert refusal(tmp_path, wrong).splitlines() == lines


def test_file_that_is_no_json_or_not_there_is_refused(tmp_path: Path) -> None:
    assert "json_invalid" in refusal(tmp_path, '{"version": ')
    with pytest.raises(DossierError, match=r"none\.json"):
        load_dossier(tmp_path / "none.json")
