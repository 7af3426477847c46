"""The repair agent's log event: one line for every repair, accepted or refused."""

from __future__ import annotations

from src.shared.domain.difference import Difference
from src.shared.domain.ports.repairs import RepairAttempted
from src.shared.infrastructure.parse_log import excerpt, excerpt_limit


class RepairLog:
    """Writes `llm_json_repair_agent`: INFO for an accepted answer, WARNING for a refused one.

    The difference quotes a few characters of both texts; the bound on excerpts holds for it, too.
    """

    def repair_attempted(self, event: RepairAttempted) -> None:
        """Write one line."""
        import structlog  # noqa: PLC0415 - structlog imports rich where it is installed

        logger = structlog.get_logger(__name__)
        write = logger.info if event.accepted else logger.warning
        write(
            "llm_json_repair_agent",
            accepted=event.accepted,
            code=event.code,
            before_chars=event.before_chars,
            after_chars=event.after_chars,
            damage=list(event.damage),
            difference=_facts(event.difference),
            model=event.model,
            prompt_tokens=event.usage.prompt_tokens,
            completion_tokens=event.usage.completion_tokens,
            latency=event.latency,
        )


def _facts(difference: Difference | None) -> dict[str, str | int] | None:
    if difference is None:
        return None
    limit = excerpt_limit()
    facts = difference.facts()
    return facts | {key: excerpt(str(facts[key]), limit) for key in ("path", "found", "answered")}
