"""The committee's exceptions.

The tree::

    AppException
    ├── DossierError                DOSSIER_INVALID: a document is no dossier
    ├── CommitteeDeadlineError      COMMITTEE_DEADLINE: no verdict in the time allowed
    └── CommitteeSettingsError      COMMITTEE_SETTINGS: a setting is wrong
"""

from __future__ import annotations

from typing import Any

from src.shared.domain.exceptions import AppException, json_path

_SHOWN = 10
_PATH_LIMIT = 200


class DossierError(AppException):
    """A document is no dossier.

    `details` holds, as they apply: `problems` (list of {path, problem}), `problem_count`, `position` ({line, column,
    offset}) and `key`. Values of the document are not repeated, and its names only so far.
    """

    default_code = "DOSSIER_INVALID"

    @classmethod
    def of_problems(cls, problems: list[tuple[tuple[str | int, ...], str]], count: int) -> DossierError:
        """The error for what is wrong, each with its place.

        Args:
            problems: place and problem of each, or of the first ones.
            count: how many there are.
        """
        facts = [{"path": json_path(loc)[:_PATH_LIMIT], "problem": problem} for loc, problem in problems]
        lines = [f"- {fact['path']}：{fact['problem']}" for fact in facts[:_SHOWN]]
        more = [f"… 另有 {count - _SHOWN} 处 ({count - _SHOWN} more)"] if count > _SHOWN else []
        head = f"档案有 {count} 处需要修改 (problems in the dossier: {count})"
        return cls("\n".join([head, *lines, *more]), {"problems": facts, "problem_count": count})

    @classmethod
    def unreadable(cls, reason: str, **details: Any) -> DossierError:  # noqa: ANN401 - facts of any JSON type
        """The error for a document that is not even JSON, or cannot be opened."""
        return cls(f"无法读取档案：{reason}", details)


class CommitteeDeadlineError(AppException):
    """No verdict in the time allowed; `details` holds `deadline` (seconds), `stage` and `unfinished` (agents)."""

    default_code = "COMMITTEE_DEADLINE"

    @classmethod
    def of(cls, deadline: float, stage: str, unfinished: list[str]) -> CommitteeDeadlineError:
        """The error for a stage that was still going on."""
        waiting = "、".join(unfinished) or "无"
        message = (
            f"{deadline} 秒内没有完成，停在 {stage} 阶段，未完成的成员：{waiting} "
            f"(no verdict within {deadline} s; allow more time or fewer retries)"
        )
        return cls(message, {"deadline": deadline, "stage": stage, "unfinished": unfinished})


class CommitteeSettingsError(AppException):
    """A setting is wrong; `details` holds `variables`, the names of the environment variables."""

    default_code = "COMMITTEE_SETTINGS"
