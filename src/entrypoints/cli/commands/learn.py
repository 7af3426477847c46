"""`llm-output learn`."""

from __future__ import annotations

import os
from pathlib import Path

from src.entrypoints.cli.batch_reader import DATA_READER
from src.entrypoints.cli.batch_view import batch_progress
from src.entrypoints.cli.commands.batch import (
    FinishFieldOption,
    InputsArgument,
    ModelFieldOption,
    SampleOption,
    TextFieldOption,
    WorkersOption,
)
from src.entrypoints.cli.options import command
from src.entrypoints.cli.plain_output import json_text, write_stdout
from src.entrypoints.reports.batch.summary import writing_data
from src.modules.reparsing.container import BatchJob, count_inputs
from src.modules.reparsing.domain.outcome import INPUT_STAGE
from src.modules.reparsing.domain.record import FieldNames

EXAMPLES = (
    "llm-output learn answers.jsonl",
    "llm-output learn logs/2026-*.jsonl.gz --text-field completion --model-field model --sample 10000",
)
_NAMES = FieldNames()


@command()
def learn(
    inputs: InputsArgument,
    *,
    text_field: TextFieldOption = _NAMES.text,
    model_field: ModelFieldOption = _NAMES.model,
    finish_field: FinishFieldOption = _NAMES.finish_reason,
    workers: WorkersOption = None,
    sample: SampleOption = None,
) -> None:
    """Say how models write their outputs.

    For each model, as JSON: what stands around its answers, its ways of writing JSON, and the marks in its texts that
    nothing here knows, each with the texts that have it. Texts are read without a type, and nothing is written. The
    summary of `llm-output batch` has the same of its texts.
    """
    names = FieldNames(text=text_field, model=model_field, finish_reason=finish_field)
    job = BatchJob(inputs, Path(), DATA_READER, {}, names, workers=workers or os.cpu_count() or 1, sample=sample)
    with batch_progress(live=True) as stopwatch:
        tally = count_inputs(job, stopwatch)
    unreadable = tally.stages[INPUT_STAGE]
    numbers = {"texts": tally.counts["texts"] - unreadable, "unreadable": unreadable, "models": writing_data(tally)}
    write_stdout(json_text(numbers))
