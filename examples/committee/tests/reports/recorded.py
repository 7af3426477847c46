"""Runs that have sat and are read again from what they left, to be put side by side."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from examples.committee.domain.dossier import Dossier
from examples.committee.domain.run_record import RecordedRun, record_of
from examples.committee.reports.result_json import result_data
from examples.committee.tests.reports.runs import DOSSIER, sat
from tests.shared.routed_llm import Answer

Change = Callable[[dict[str, Any]], None]


async def data_of(**scripts: Answer | list[Answer]) -> dict[str, Any]:
    """What `result.json` holds of a committee whose agents all answer well, but for these."""
    data: dict[str, Any] = json.loads(json.dumps(result_data(DOSSIER, await sat(**scripts))))
    return data


def recorded(data: dict[str, Any], change: Change = lambda _data: None, *, folder: str = "run") -> RecordedRun:
    """A run with this result, changed; its dossier has the result's date."""
    own = copy.deepcopy(data)
    change(own)
    record, absent, unread = record_of(own)
    created = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return RecordedRun(Path(folder), record, absent, unread, DOSSIER, created, has_report=True)


def earlier(data: dict[str, Any], change: Change = lambda _data: None) -> RecordedRun:
    """The run of three months before, changed."""

    def older(own: dict[str, Any]) -> None:
        own["as_of"] = "2025-08-20"
        change(own)

    return recorded(data, older, folder="before")


def with_close(run: RecordedRun, close: float) -> RecordedRun:
    """The run with another last price in its dossier."""
    assert DOSSIER.technical
    dossier: Dossier = DOSSIER.model_copy(update={"technical": DOSSIER.technical.model_copy(update={"close": close})})
    return replace(run, dossier=dossier)
