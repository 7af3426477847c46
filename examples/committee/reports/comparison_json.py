"""A comparison as plain JSON values; what is not known is null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from examples.committee.domain.run_comparison import tracked
from examples.committee.domain.run_record import RecordedExpert, RecordedRun
from examples.committee.reports.comparison_view import Column, ComparisonView
from examples.committee.reports.ladder import value_range
from examples.committee.reports.recorded_facts import asked_in, refused_in, repairs_in
from examples.committee.reports.recorded_prices import prices_of
from src.shared.domain.exceptions import json_path

VERSION: Final = 1
"""Of this form; raised when a key changes its meaning or goes."""


def comparison_data(view: ComparisonView) -> dict[str, Any]:
    """The comparison: `docs/how-to/run-the-committee.md` describes each key."""
    runs = [column.run for column in view.columns]
    return {
        "version": VERSION,
        "stocks": list(dict.fromkeys(run.symbol for run in runs)),
        "runs": [_run(column, runs) for column in view.columns],
    }


def _run(column: Column, runs: list[RecordedRun]) -> dict[str, Any]:
    run, before = column.run, column.before
    return {
        "folder": str(run.folder),
        "symbol": run.symbol or None,
        "name": run.name or None,
        "as_of": run.as_of.isoformat() if run.as_of else None,
        "created": run.created.isoformat() if run.created else None,
        **_facts(run),
        "failed_in": run.record.failed_in,
        "error": run.record.error.model_dump() if run.record.error else None,
        "effort": _effort(run),
        "absent": list(run.absent),
        "unread": list(run.unread),
        "compared_with": runs.index(before) if before else None,
        "changes": list(_changes(before, run)) if before else [],
    }


def _facts(run: RecordedRun) -> dict[str, Any]:
    """What is compared."""
    record = run.record
    verdict = record.verdict
    return {
        "verdict": verdict.model_dump(exclude={"reasoning", "risk_warnings"}) if verdict else None,
        "prices": _prices(run),
        "experts": {expert.name: _expert(expert) for expert in record.experts},
        "debate": _debate(run),
        "risks": [one.risk for one in record.debate.risk_matrix] if record.debate else None,
        "risk_warnings": list(verdict.risk_warnings) if verdict else None,
        "warnings": [one.code or one.en for one in record.warnings] if verdict else None,
        "unfinished": list(record.unfinished),
        "missing_data": record.missing_data,
    }


def _prices(run: RecordedRun) -> dict[str, Any]:
    found = prices_of(run)
    low, high = (*value_range(found.view), None, None)[:2]
    return {
        "currency": run.dossier.stock.currency if run.dossier else None,
        "price": found.view.price,
        "support": list(found.view.support),
        "resistance": list(found.view.resistance),
        "value_low": low,
        "value_high": high,
        "stop": list(found.stop),
        "target": list(found.target),
    }


def _expert(expert: RecordedExpert) -> dict[str, Any] | None:
    if expert.opinion is None:
        return None
    result = expert.result
    scored = result.dimension_analyses if result else []
    return {
        "signal": expert.opinion.signal,
        "confidence": expert.opinion.confidence,
        "financial_score": result.financial_score if result else None,
        "dimensions": {one.dimension: one.score for one in scored if one.score is not None},
    }


def _debate(run: RecordedRun) -> dict[str, Any] | None:
    cases, debate = run.record.cases, run.record.debate
    if cases is None and debate is None:
        return None
    return {
        "direction": debate.direction if debate else None,
        "confidence": debate.confidence if debate else None,
        "bull_confidence": cases.bull.confidence if cases and cases.bull else None,
        "bear_confidence": cases.bear.confidence if cases and cases.bear else None,
    }


def _effort(run: RecordedRun) -> dict[str, Any]:
    totals = run.record.totals
    return {
        "calls": totals.calls if totals else None,
        "asked": asked_in(run),
        "refused": refused_in(run),
        "repaired": repairs_in(run),
        "tokens": totals.tokens.model_dump() if totals and totals.tokens else None,
        "cost": totals.cost if totals else None,
        "currency": totals.currency if totals else None,
        "seconds": totals.seconds if totals else None,
        "complete": totals.complete if totals else None,
    }


def _changes(before: RecordedRun, run: RecordedRun) -> Iterator[dict[str, Any]]:
    """Each value that differs, by its JSON path in a run; of a list of texts what is new, reworded and gone."""
    then, now = dict(_leaves(_facts(before), ())), dict(_leaves(_facts(run), ()))
    for place in dict.fromkeys((*then, *now)):
        earlier, later = then.get(place), now.get(place)
        if earlier == later:
            continue
        change: dict[str, Any] = {"path": json_path(place), "before": earlier, "now": later}
        if place[0] in _LISTS and isinstance(earlier, list) and isinstance(later, list):
            found = tracked(earlier, later)
            change["entries"] = [
                {"text": one.text, "state": one.state, "earlier": one.earlier or None} for one in found.entries
            ]
            change["gone"] = list(found.gone)
        yield change


_LISTS: Final = ("risks", "risk_warnings")


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value that is no object, with its place; an object that is not there is one, too."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    else:
        yield path, value
