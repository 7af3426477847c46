"""What single agents read and refuse, beside the rules of every field: the rows of `spellings.toml`."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.modules.agent_contract import Place, Value, replaced, value_at
from tests.modules.all_contracts import CONTRACTS

AGENTS = {contract.agent: contract for contract in CONTRACTS}
ROWS: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").with_stem("spellings").read_text("utf-8")
)["row"]
SEVERAL = [row for row in ROWS if "changes" in row]


@pytest.mark.parametrize(
    ("agent", "place", "written", "read"),
    [(row["agent"], tuple(row["place"]), *pair) for row in ROWS for pair in row.get("reads", ())],
)
def test_spelling_is_read(agent: str, place: Place, written: Value, read: Value) -> None:
    """Scenario: 有特有归一化的 Agent（如 valuation_modeler）."""
    answer = replaced(AGENTS[agent].answer, place, written)
    before = copy.deepcopy(answer)
    for normalizer in AGENTS[agent].output.normalizers:  # none alters the object that it was given
        normalizer(answer)
    assert (value_at(AGENTS[agent].read(answer).model_dump(), place), answer) == (read, before)


@pytest.mark.parametrize(
    ("agent", "place", "written"),
    [(row["agent"], tuple(row["place"]), one) for row in ROWS for one in row.get("refuses", ())],
)
def test_spelling_that_needs_a_guess_is_an_error_that_names_its_place(agent: str, place: Place, written: Value) -> None:
    assert AGENTS[agent].refusal(replaced(AGENTS[agent].answer, place, written)) == {place}


@pytest.mark.parametrize("row", SEVERAL, ids=lambda row: f"{row['agent']}: {', '.join(row['changes'])}")
def test_several_fields_are_read_or_named_at_once(row: dict[str, Any]) -> None:
    contract = AGENTS[row["agent"]]
    answer = contract.answer | row["changes"]
    if "names" in row:
        assert contract.refusal(answer) == set(map(tuple, row["names"]))
    else:
        assert contract.read(answer).model_dump() == answer | row.get("gives", {})
