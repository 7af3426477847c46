"""`--explain`: what every stage did, in the order of `STAGES`, with the text around each repair."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.explain_rows import (
    failed,
    not_needed,
    not_reached,
    note_line,
    nothing_to_do,
    print_placed_repairs,
    print_rows,
    type_facts,
)
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.reports.stages import StageReport, StageState, stages_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect, stage_names


def explain_result(console: Console, text: str, contract: Contract | None, decoded: DecodedJson[Any]) -> None:
    """Print the stages of a text that was parsed."""
    _explain(console, text, contract, _Evidence(decoded.notes, decoded.repairs))


def explain_failure(
    console: Console, text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None
) -> None:
    """Print the stages of a text up to the one that failed; the error itself says the rest."""
    dto_type, normalizers, root = (
        (contract.dto_type, contract.normalizers, None) if contract else (None, (), error.details.get("root"))
    )
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished, root=root)
    _explain(console, text, contract, _Evidence(reading.notes, reading.repairs), refusing=error.details["stage"])


class _Evidence(NamedTuple):
    notes: tuple[Note, ...]
    repairs: tuple[Repair, ...]


def _explain(
    console: Console, text: str, contract: Contract | None, evidence: _Evidence, refusing: str | None = None
) -> None:
    facts = {"empty": spoken(f"{len(text):,} 个字符", f"{len(text):,} characters")} | type_facts(contract)
    lines = LineIndex(text)
    for stage in stages_of(evidence.notes, refusing):
        print_rows(console, stage_names(refusing), stage.name, _rows(stage, text, lines, facts))
        if stage.is_deciding:
            print_placed_repairs(console, text, evidence.repairs)


def _rows(stage: StageReport, text: str, lines: LineIndex, facts: dict[str, str]) -> list[Text]:
    rows = [note_line(note, text, lines) for note in stage.notes]
    if stage.state is StageState.NOT_REACHED:
        return [not_reached()]
    if stage.state is StageState.REFUSED:
        return [*rows, failed()]
    if not rows and stage.name in facts:
        return [Text(facts[stage.name])]
    return rows or [nothing_to_do() if stage.state is StageState.NOTHING_TO_DO else not_needed()]
