"""How `llm-output batch` reads a text: the contract that the options, or the row, name. Made in each worker."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import Contract, contract_for, contract_of
from src.entrypoints.cli.options import TypeOptions
from src.modules.reparsing.domain.outcome import INPUT_STAGE, MESSAGE_LIMIT, RowOutcome, refusal_at, refusal_of
from src.modules.reparsing.domain.record import NAME_LIMIT, Record
from src.modules.reparsing.infrastructure.traits import traits_of, unknown_marks
from src.shared.domain.exceptions import AppException
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase, language
from src.shared.domain.one_line import one_line
from src.shared.domain.options import NEEDING_TYPE, ReadOptions
from src.shared.infrastructure.agents.agent_output import read_text
from src.shared.infrastructure.distribution import installed_version
from src.shared.infrastructure.json_schema.json_schema import JsonSchema

READER, DATA_READER = f"{__name__}:batch_reader", f"{__name__}:data_reader"


def reader_arguments(types: TypeOptions, options: ReadOptions) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `batch_reader` is called with in each worker, and the facts that the outputs depend on, as JSON types.

    Args:
        types: the type; the file of a schema is read here, and its content counts, not its name.
        options: how texts that have a type are read, where that is not as usual.

    Raises:
        CommandError: they name nothing, or more than one thing.
    """
    contract = contract_of(types, {"scalar": True} if types.dto and options.get("scalar") else None)
    facts: dict[str, Any] = {"language": language().value, "version": installed_version(), **options}
    if contract and isinstance(contract.dto_type, JsonSchema):
        text = json.dumps(contract.schema(), ensure_ascii=False, sort_keys=True)
        hashed = hashlib.sha256(text.encode()).hexdigest()
        return {"schema": contract.dto_type, "options": options}, {**facts, "schema": hashed}
    arguments = {name: value for name, value in (("agent", types.agent), ("dto", types.dto)) if value is not None}
    return {**arguments, "options": options}, {**facts, **arguments}


def batch_reader(
    agent: str | None = None,
    dto: str | None = None,
    schema: JsonSchema | None = None,
    options: ReadOptions | None = None,
    *,
    spans: bool = False,
) -> Callable[[Record], RowOutcome]:
    """What reads a record's text: into the type of the options, else into that of the row's agent, else into data.

    With `spans` its row says where each value stands in the text.

    Raises:
        CommandError: the options name nothing.
    """
    asked: ReadOptions = options or {}
    contract = contract_for(schema, asked) if schema else None
    if agent or dto:
        contract = contract_of(TypeOptions(agent, dto), asked)
    of_agent = cache(lambda name: contract_of(TypeOptions(name), asked))

    def read(record: Record) -> RowOutcome:
        if contract or not record.agent:
            return _read(record, contract, asked, spans=spans)
        if record.agent in AGENTS:
            return _read(record, of_agent(record.agent), asked, spans=spans)
        why = Phrase(
            "there is no agent of this name: {name!r}; name the type with --dto or --schema. The agents: {known}",
            name=one_line(record.agent, NAME_LIMIT),
            known=", ".join(AGENTS),
        )
        return refusal_at(INPUT_STAGE, why)

    return read


def data_reader() -> Callable[[Record], RowOutcome]:
    """What reads a record's text into data, whatever type its row names."""
    return lambda record: _read(record, None, {})


def _read(record: Record, contract: Contract | None, options: ReadOptions, *, spans: bool = False) -> RowOutcome:
    text, finished = record.text or "", finish_reason_of(record.finish_reason).finished
    several = {} if contract else {name: value for name, value in options.items() if name not in NEEDING_TYPE}
    try:
        parsed = read_text(text, contract, finished=finished, **several)
        data = contract.data(parsed.kept.value) if contract else parsed.value
    except AppException as error:
        return refusal_of(error, {"unknown_marks": unknown_marks(text)})
    decoded = parsed.decoded
    row = {
        "data": data,
        "repairs": [{"kind": one.kind.value, "line": one.line, "column": one.column} for one in decoded.repairs],
        "grade": decoded.grade.value,
        "left_out": [
            {
                "path": one.path,
                "line": (one.place or {}).get("line"),
                "column": (one.place or {}).get("column"),
                "message": one.error.message[:MESSAGE_LIMIT],
            }
            for one in parsed.kept.problems
        ],
    }
    if spans:
        row["spans"] = decoded.spans()
    return RowOutcome(row, traits=traits_of(text, decoded))
