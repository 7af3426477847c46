"""Which run a folder holds, and how another one differs."""

import pytest

from src.modules.reparsing.domain.ports import Manifest

RUN = Manifest([{"name": "a.jsonl", "size": 5, "first": "x"}], {"agent": "verdict", "format": "jsonl"})


def test_same_run_differs_in_nothing() -> None:
    assert RUN.differences(Manifest(list(RUN.inputs), dict(RUN.options))) == []


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (Manifest([], RUN.options), "inputs -, not a.jsonl"),
        (Manifest([{"name": "b.jsonl"}], RUN.options), "inputs b.jsonl, not a.jsonl"),
        (Manifest([{"name": "a.jsonl", "size": 6, "first": "x"}], RUN.options), "a.jsonl changed (size)"),
        (Manifest(RUN.inputs, {"agent": "verdict", "format": "parquet"}), "format is 'parquet', not 'jsonl'"),
        (Manifest(RUN.inputs, {"agent": "verdict", "format": "jsonl", "dto": "m:C"}), "dto is 'm:C', not None"),
    ],
)
def test_difference_is_named(other: Manifest, told: str) -> None:
    assert [message.en for message in RUN.differences(other)] == [told]
