"""Which engine and which sources a run gets."""

from pathlib import Path

import pytest

from src.modules.reparsing.container import BatchJob, EngineName, batch_run
from src.modules.reparsing.infrastructure.engines import LocalEngine

JOB = BatchJob(inputs=[], folder=Path("out"), reader="module:function", arguments={}, facts={"agent": "verdict"})


def test_processes_of_this_machine_read_by_default() -> None:
    assert isinstance(batch_run(JOB).engine, LocalEngine)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_actors_of_ray_read_where_they_are_asked_for() -> None:
    engine = batch_run(BatchJob([], Path("out"), "module:function", {}, engine=EngineName.RAY)).engine
    assert type(engine).__name__ == "RayEngine"


def test_outputs_depend_on_the_facts_the_fields_and_the_format() -> None:
    options = batch_run(JOB).options
    assert (options["agent"], options["text-field"], options["format"]) == ("verdict", "text", "jsonl")
