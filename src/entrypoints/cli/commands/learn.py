"""`llm-output learn`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli.commands.batch import (
    FinishFieldOption,
    InputsArgument,
    ModelFieldOption,
    SampleOption,
    TextFieldOption,
)
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout
from src.modules.reparsing.container import records_of
from src.modules.reparsing.domain.record import FieldNames

EXAMPLES = (
    "llm-output learn answers.jsonl --out learned",
    "llm-output learn logs/2026-*.jsonl.gz --text-field completion --model-field model --sample 10000",
)
_NAMES = FieldNames()

FolderOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Where learned.html, learned.json and rows.txt go; without it the JSON goes to stdout.",
        show_default=False,
    ),
]


@guarded
def learn(
    inputs: InputsArgument,
    *,
    out: FolderOption = None,
    text_field: TextFieldOption = _NAMES.text,
    model_field: ModelFieldOption = _NAMES.model,
    finish_field: FinishFieldOption = _NAMES.finish_reason,
    sample: SampleOption = None,
) -> None:
    """Say what stored outputs of models are like.

    For each model: what stands around its answers, how they are written, its marks of reasoning and its notations of
    calls, and which repairs they take, with shares and examples. Marks that nothing here knows are listed, with the
    rows that would make them known.
    """
    from src.entrypoints.reports.learned import Learned  # noqa: PLC0415 - the templates
    from src.shared.domain.finish_reasons import finish_reason_of  # noqa: PLC0415 - as above
    from src.shared.infrastructure.text_traits import traits_of  # noqa: PLC0415 - it imports every stage

    learned = Learned()
    names = FieldNames(text=text_field, model=model_field, finish_reason=finish_field)
    for record in records_of(inputs, names, sample):
        if record is None:
            learned.unreadable += 1
            continue
        text = record.text or ""
        finished = finish_reason_of(record.finish_reason).finished
        learned.add(record.model, text, record.place, traits_of(text, finished=finished))
    if out is None:
        write_stdout(json_text(learned.json()))
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / "learned.html").write_text(learned.page(), encoding="utf-8")
    (out / "learned.json").write_text(json_text(learned.json()) + "\n", encoding="utf-8")
    (out / "rows.txt").write_text(learned.rows() + "\n", encoding="utf-8")
    write_stdout(spoken(f"特征已写入 {out}", f"What was learned: {out}"))
