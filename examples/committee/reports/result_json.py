"""A committee's result as plain JSON values; what is not known is null."""

from __future__ import annotations

from typing import Any

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.domain.run_record import VERSION
from examples.committee.reports.effort import AgentEffort, efforts_of
from examples.committee.reports.missing import missing_in
from src.modules.debate.domain.dtos.debate_outcome import DebateArguments
from src.modules.research.domain.dtos.expert_result import ExpertReport
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.llm import TokenUsage


def result_data(dossier: Dossier, result: CommitteeResult) -> dict[str, Any]:
    """The result: `docs/how-to/run-the-committee.md` describes each key."""
    return {
        "version": VERSION,
        "symbol": result.symbol,
        "name": dossier.stock.name,
        "as_of": dossier.stock.as_of.isoformat(),
        "verdict": result.verdict.model_dump(mode="json") if result.verdict else None,
        "warnings": [
            {"code": warning.rule, "zh": warning.message.zh, "en": warning.message.en} for warning in result.warnings
        ],
        "failed_in": result.failed_in,
        "error": _error(result.error),
        "arguments": _arguments(result.arguments),
        "debate": result.debate.model_dump(mode="json") if result.debate else None,
        "experts": [_expert(expert) for expert in result.research.experts] if result.research else [],
        "missing_data": {section.title.zh: [field.zh for field in section.fields] for section in missing_in(dossier)},
        "agents": [_effort(effort) for effort in efforts_of(result)],
        "unfinished": [agent.name for agent in result.unfinished],
        "totals": _totals(result),
    }


def _arguments(found: DebateArguments | None) -> dict[str, Any] | None:
    if found is None:
        return None
    sides = {"bull": found.bull, "bear": found.bear}
    return {
        **{side: case.model_dump(mode="json") if case else None for side, case in sides.items()},
        "missing": {name: _error(error) for name, error in found.failures.items()},
    }


def _expert(report: ExpertReport) -> dict[str, Any]:
    found = report.result
    return {
        "name": report.name,
        "label": report.label,
        "opinion": found.opinion().model_dump(mode="json") if found else None,
        "result": found.model_dump(mode="json") if found else None,
        "error": _error(report.error),
    }


def _effort(effort: AgentEffort) -> dict[str, Any]:
    return {
        "name": effort.name,
        "label": effort.label,
        "answered": effort.answered,
        "asked": effort.asked,
        "replies": effort.replies,
        "refused": list(effort.refused),
        "repaired": dict(effort.repaired),
        "by_repair_agent": effort.by_repair_agent,
        "models": list(effort.models),
        "tokens": _tokens(effort.usage),
        "seconds": round(effort.seconds, 3),
    }


def _totals(result: CommitteeResult) -> dict[str, Any]:
    totals = result.totals
    return {
        "calls": totals.calls,
        "tokens": _tokens(totals.usage),
        "seconds": round(totals.seconds, 3),
        "cost": totals.cost,
        "currency": totals.currency or None,
        "complete": totals.complete,
    }


def _tokens(usage: TokenUsage) -> dict[str, int] | None:
    if not usage.total_tokens:
        return None
    return {
        "prompt": usage.prompt_tokens,
        "completion": usage.completion_tokens,
        "reasoning": usage.reasoning_tokens,
        "cached": usage.cached_tokens,
        "estimated": usage.is_estimated,
    }


def _error(error: AppException | None) -> dict[str, Any] | None:
    return {"code": error.code, "message": error.message} if error else None
