"""`llm-output batch --against`: an old parser beside the new one, whatever it does to its process."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # no stubs
import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.reparsing.domain import part
from tests.corpus.reading import OWN, lines_of
from tests.entrypoints.cli.harness import Ended, invoke, run
from tests.entrypoints.cli.test_batch import lines, written
from tests.thorough import at_length

PARSERS = "tests.modules.reparsing.old_parsers"
HARM = (
    *("loop", "exit", "crash", "grow", "leave", "odd", "interrupt", "speechless"),
    *("itself", "nested", "object", "none", "generator", "pollute"),
)
MANY = at_length("2", "3")
"""Workers, where more than one are asked for."""
OUTPUTS = ("parsed.jsonl", "refused.jsonl")


def compared(folder: Path) -> list[dict[str, Any]]:
    return lines(folder, "compared")


@pytest.fixture(scope="module")
def harmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with two workers over texts for which the old parser does harm, between others."""
    folder = tmp_path_factory.mktemp("harm")
    texts = [json.dumps({"do": do}) for harm in HARM for do in (harm, f"no {harm}")]
    source = written(folder / "in.jsonl", *({"text": text, "id": json.loads(text)["do"]} for text in texts))
    limits = ("--text-timeout", "1", "--text-memory", "600")
    against = ("--against", f"{PARSERS}:behave", *limits)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(part, "PART_ROWS", 8)  # parts enough for two workers
        invoke("batch", source, "--out", str(folder / "beside"), "--workers", "2", *against)
    invoke("batch", source, "--out", str(folder / "alone"))
    return folder


def test_text_without_harm_is_compared_among_those_with_it(harmed: Path) -> None:
    classes = {line["id"]: line["agreement"] for line in compared(harmed / "beside")}
    assert {classes[f"no {harm}"] for harm in HARM} == {"equal"}


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("loop", "longer than 1 seconds"),
        ("exit", "exit code 3"),
        ("crash", "SIGSEGV"),
        ("grow", "MemoryError"),
        ("none", "returned None"),
    ],
)
def test_harm_costs_the_text_that_does_it(harmed: Path, harm: str, told: str) -> None:
    (line,) = [line for line in compared(harmed / "beside") if line["id"] == harm]
    assert line["agreement"] == "only_new"
    assert told in line["old_error"]


def test_what_a_generator_gives_is_a_list(harmed: Path) -> None:
    assert [line["paths"] for line in compared(harmed / "beside") if line["id"] == "generator"] == [["$"]]


def test_large_result_is_compared_and_shown_in_an_excerpt(tmp_path: Path, out: Path) -> None:
    """A string of many megabytes."""
    source = written(tmp_path / "in.jsonl", {"text": '{"do": "large"}'}, {"text": "{}"})
    invoke("batch", source, "--out", str(out), "--against", f"{PARSERS}:behave")
    assert [line["agreement"] for line in compared(out)] == ["different", "equal"]
    assert (out / "tally.json").stat().st_size < 10_000


def test_what_it_does_to_its_own_process_harms_no_text(harmed: Path) -> None:
    assert [line["agreement"] for line in compared(harmed / "beside") if "pollute" in line["id"]] == ["equal"] * 2


def test_new_parser_reads_as_it_does_alone(harmed: Path) -> None:
    for name in OUTPUTS:
        assert (harmed / "beside" / name).read_bytes() == (harmed / "alone" / name).read_bytes()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """The corpus beside strict JSON, many parts long."""
    folder = tmp_path_factory.mktemp("own")
    rows = [{"text": row["text"]} for row in lines_of("outputs.jsonl", folder=OWN)] * at_length(1, 6)
    source = written(folder / "in.jsonl", *rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(part, "PART_ROWS", at_length(20, 200))
        for workers in ("1", MANY):
            arguments = ("--out", str(folder / workers), "--workers", workers, "--against", f"{PARSERS}:decode")
            ended = invoke("batch", source, *arguments)
    return ended, folder


def test_large_run_has_each_row_once_and_is_the_same_for_any_number_of_workers(own: tuple[Ended, Path]) -> None:
    rows = [json.loads(line) for name in OUTPUTS for line in (own[1] / "1" / name).read_bytes().splitlines()]
    numbers = sorted(int(row["place"].rpartition(":")[2]) for row in rows)
    assert numbers == list(range(1, len(compared(own[1] / "1")) + 1))
    for name in (*OUTPUTS, "compared.jsonl"):
        assert (own[1] / "1" / name).read_bytes() == (own[1] / MANY / name).read_bytes()


def test_tally_counts_what_the_lines_say(own: tuple[Ended, Path]) -> None:
    rows = compared(own[1] / "1")
    comparisons = [json.loads((own[1] / workers / "tally.json").read_bytes())["comparison"] for workers in ("1", MANY)]
    assert comparisons[0] == comparisons[1]
    assert comparisons[0]["classes"] == Counter(line["agreement"] for line in rows)
    assert set(comparisons[0]["classes"]) >= {"equal", "only_new", "neither"}


def test_model_of_the_old_parser_is_compared_by_alias(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = written(tmp_path / "in.jsonl", {"text": '{"outside": "1.50"}'})
    (tmp_path / "old_shop.py").write_text(
        f"from {PARSERS} import Model\ndef parse(text):\n    return Model(inside='1.50')\n"
    )
    invoke("batch", source, "--out", str(out), "--against", "old_shop:parse")
    assert [line["agreement"] for line in compared(out)] == ["equal"]


def test_what_it_prints_is_in_no_output(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", *({"text": '{"a": 1}'} for _ in range(3)))
    ended = run("batch", source, "--out", str(out), "--against", f"{PARSERS}:loud")
    assert [line["agreement"] for line in compared(out)] == ["equal"] * 3
    assert (ended.stdout, "err err" in ended.stderr) == ("", False)


def test_old_parser_may_live_in_a_package_of_our_name(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/__init__.py").write_text("")
    (tmp_path / "src/parsers.py").write_text("import json\ndef parse(text):\n    return json.loads(text)\n")
    source = written(tmp_path / "in.jsonl", {"text": "{}"}, {"text": '{"a": 1,}'})
    invoke("batch", source, "--out", str(out), "--against", "src.parsers:parse")
    assert [line["agreement"] for line in compared(out)] == ["equal", "only_new"]


@pytest.mark.parametrize(
    ("function", "told"), [("nowhere:parse", "no module nowhere"), (f"{PARSERS}:of_two", "with a text alone")]
)
def test_parser_that_cannot_be_asked_is_told_before_anything_is_written(
    tmp_path: Path, out: Path, function: str, told: str
) -> None:
    ended = invoke("batch", written(tmp_path / "in.jsonl", {"text": "{}"}), "--out", str(out), "--against", function)
    assert ended.code == ExitCode.USAGE
    assert told in " ".join(ended.stderr.split())
    assert not out.exists()


def test_run_goes_on_with_the_same_old_parser_only(tmp_path: Path, out: Path) -> None:
    command = ("batch", written(tmp_path / "in.jsonl", {"text": "{}"}), "--out", str(out))
    invoke(*command, "--against", f"{PARSERS}:decode")
    ended = invoke(*command, "--against", f"{PARSERS}:behave", "--resume")
    assert ended.code == ExitCode.USAGE
    assert "against is" in " ".join(ended.stderr.split())


def test_comparison_as_parquet(tmp_path: Path, out: Path) -> None:
    source = written(tmp_path / "in.jsonl", {"text": "{}", "id": "a"}, {"text": "[1,", "id": "b"})
    invoke("batch", source, "--out", str(out), "--against", f"{PARSERS}:decode", "--format", "parquet")
    rows = pq.read_table(out / "compared.parquet").to_pylist()
    assert [(row["id"], row["agreement"], row["paths"]) for row in rows] == [("a", "equal", []), ("b", "neither", [])]
