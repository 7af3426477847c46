"""`llm-output batch` with a store of outcomes: what the rates say is what the outputs say."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest

from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.rate import RateQuery, Window
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from tests.entrypoints.cli.harness import CLEAN_VERDICT, environment, invoke
from tests.entrypoints.cli.test_batch import TOUCHY, written

VERDICT = Path(CLEAN_VERDICT).read_text(encoding="utf-8")
EVERYTHING = RateQuery(Window(None, 86_400))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a store that the environment names."""
    url = f"sqlite:///{tmp_path}/outcomes.db"
    monkeypatch.setenv("OUTPUT_STORE_URL", url)
    return url


def batch(folder: Path, *rows: dict[str, Any], options: tuple[str, ...] = ()) -> str:
    """Run it over rows; what it says."""
    ended = invoke(
        "batch", written(folder / "in.jsonl", *rows), "--out", str(folder / "out"), "--workers", "1", *options
    )
    assert ended.code == 0
    return ended.stderr


def counts(url: str) -> dict[str, tuple[int, int, int]]:
    """Texts, repaired and refused ones, by agent."""
    return {
        rate.name: (rate.texts.parses, rate.texts.repaired, rate.texts.refused) for rate in read_rates(url).by_agent()
    }


def test_rows_count_under_the_label_of_their_agent(tmp_path: Path, store: str) -> None:
    batch(
        tmp_path,
        {"text": VERDICT, "agent": "verdict", "model": "m1"},
        {"text": "no", "agent": "verdict", "model": "m1"},
        {"text": "{'a': 1}", "model": "m2"},
    )
    assert counts(store) == {"裁决": (2, 0, 1), "": (1, 1, 0)}
    assert {rate.name: rate.texts.parses for rate in read_rates(store).by_model()} == {"m1": 2, "m2": 1}
    assert read_rates(store).refusals(EVERYTHING)[0].stage == "extract"


@pytest.mark.parametrize(
    ("options", "text", "labels"),
    [
        (("--agent", "verdict"), VERDICT, {"裁决"}),
        (("--dto", TOUCHY), '{"do": ""}', {"planner", "Touchy"}),
    ],
)
def test_rows_count_under_what_the_options_name(
    tmp_path: Path, store: str, options: tuple[str, ...], text: str, labels: set[str]
) -> None:
    batch(tmp_path, {"text": text, "agent": "planner"}, {"text": text}, options=options)
    assert set(counts(store)) == labels


def test_row_without_a_text_is_none_of_a_models(tmp_path: Path, store: str) -> None:
    batch(tmp_path, {"no": "text"}, {"text": "{}", "agent": "nobody"}, {"text": None}, {"text": "{}"})
    assert counts(store) == {"": (2, 0, 1)}


def test_text_that_kills_its_worker_counts_as_refused(tmp_path: Path, store: str) -> None:
    batch(tmp_path, *({"text": json.dumps({"do": do})} for do in ("", "exit", "")), options=("--dto", TOUCHY))
    assert counts(store) == {"Touchy": (3, 0, 1)}
    assert read_rates(store).refusals(EVERYTHING)[0].stage == "worker"


@pytest.mark.parametrize(("asked", "stored"), [("1", "{'a': 1}"), ("0", None)])
def test_text_is_stored_only_where_that_is_asked_for(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch, asked: str, stored: str | None
) -> None:
    monkeypatch.setenv("OUTPUT_STORE_TEXT", asked)
    batch(tmp_path, {"text": "{'a': 1}"}, {"text": "no"})
    (refusal,) = read_rates(store).refusals(EVERYTHING)
    assert refusal.text == (None if stored is None else "no")


def test_finished_run_that_is_told_again_counts_nothing_again(tmp_path: Path, store: str) -> None:
    for options in ((), ("--resume",)):
        batch(tmp_path, {"text": "{}"}, options=options)
    assert counts(store) == {"": (1, 0, 0)}


def test_store_that_cannot_be_written_costs_the_run_nothing_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OutcomeWriter, "close", partialmethod(OutcomeWriter.close, 0.1))
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("OUTPUT_STORE_URL", f"sqlite:///{tmp_path}/folder")
    said = batch(tmp_path, {"text": "{}"}, {"text": "{}"})
    assert "2 texts are not in it" in said
    assert len((tmp_path / "out/parsed.jsonl").read_bytes().splitlines()) == 2


def test_wrong_setting_of_the_store_is_told_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTPUT_STORE_URL", "nowhere")
    ended = invoke("batch", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out"))
    assert ended.code == 2
    assert not (tmp_path / "out").exists()


def test_nothing_of_the_store_is_imported_without_one(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "{}"}\n')
    program = (
        "import sys; from src.entrypoints.cli.app import app\n"
        "app(['batch', 'in.jsonl', '--out', 'out', '--workers', '1'], standalone_mode=False)\n"
        "print(*[name for name in sys.modules if name.startswith(('sqlalchemy', 'src.modules.monitoring'))])"
    )
    shown = subprocess.check_output(  # noqa: S603 - our own program
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(OUTPUT_STORE_URL=""), stderr=subprocess.DEVNULL
    )
    assert shown.strip() == b""
    assert (tmp_path / "out/parsed.jsonl").stat().st_size > 0
