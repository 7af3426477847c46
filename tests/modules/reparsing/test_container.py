"""Which engine and which sources a run gets."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from src.modules.reparsing.container import BatchJob, EngineName, batch_run

JOB = BatchJob(inputs=[], folder=Path("out"), reader="module:function", arguments={}, facts={"agent": "verdict"})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("name", "engine"), [("local", "read_locally"), ("ray", "read_with_ray")])
def test_engine_is_the_one_that_is_asked_for(name: EngineName, engine: str) -> None:
    made: Any = batch_run(replace(JOB, engine=name)).engine
    assert made.func.__name__ == engine


def test_outputs_depend_on_the_facts_the_fields_and_the_format() -> None:
    options = batch_run(JOB).options
    assert (options["agent"], options["text-field"], options["format"]) == ("verdict", "text", "jsonl")
