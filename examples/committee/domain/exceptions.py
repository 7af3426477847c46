"""The committee's exceptions.

The tree::

    AppException
    ├── DossierError                DOSSIER_INVALID: a document is no dossier
    ├── CommitteeDeadlineError      COMMITTEE_DEADLINE: no verdict in the time allowed
    ├── CommitteeInterruptedError   COMMITTEE_INTERRUPTED: somebody stopped it before its verdict
    ├── CommitteeSettingsError      COMMITTEE_SETTINGS: a setting is wrong
    ├── MarketDataError             a dossier cannot be made from a source of market data
    │   ├── MarketDataSettingsError     MARKET_DATA_SETTINGS: a package, a token or a setting is missing or wrong
    │   ├── UnknownStockError           MARKET_DATA_UNKNOWN_STOCK: there is no such stock, or nothing about it
    │   ├── DataNotOfferedError         MARKET_DATA_NOT_OFFERED: the source does not give it, asked once more or not
    │   └── MarketDataUnavailableError  MARKET_DATA_UNAVAILABLE: the source did not answer
    └── RunUnreadableError          RUN_UNREADABLE: a folder holds no result that can be read
        └── RunUnfinishedError      RUN_UNFINISHED: a run has not come to its end
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message

_SHOWN = 10
_PATH_LIMIT = 200
_SYMBOL_LIMIT = 40


class DossierError(AppException):
    """A document is no dossier.

    `details` holds, as they apply: `problems` (list of {path, problem}), `problem_count`, `position` ({line, column,
    offset}) and `key`. Values of the document are not repeated, and its names only so far.
    """

    default_code = "DOSSIER_INVALID"

    @classmethod
    def of_problems(cls, problems: list[tuple[tuple[str | int, ...], Message]], count: int) -> DossierError:
        """The error for what is wrong, each with its place.

        Args:
            problems: place and problem of each, or of the first ones.
            count: how many there are.
        """
        placed = [(json_path(loc)[:_PATH_LIMIT], problem) for loc, problem in problems]
        colon = Message("：", ": ", "：").text()
        lines = [f"- {path}{colon}{problem.text()}" for path, problem in placed[:_SHOWN]]
        rest = Message(f"另有 {count - _SHOWN} 处", f"{count - _SHOWN} more")
        more = [f"… {rest.text()}"] if count > _SHOWN else []
        head = Message(f"档案有 {count} 处需要修改", f"problems in the dossier: {count}")
        facts = [{"path": path, "problem": problem.text(Language.BOTH)} for path, problem in placed]
        return cls("\n".join([head.text(), *lines, *more]), {"problems": facts, "problem_count": count})

    @classmethod
    def unreadable(cls, reason: Message, **details: Any) -> DossierError:  # noqa: ANN401 - facts of any JSON type
        """The error for a document that is not even JSON, or cannot be opened."""
        message = Message(
            f"无法读取档案：{reason.zh}",
            f"cannot read the dossier: {reason.en}",
            f"无法读取档案：{reason.text(Language.BOTH)}",
        )
        return cls(message.text(), details)


class CommitteeDeadlineError(AppException):
    """No verdict in the time allowed; `details` holds `deadline` (seconds), `stage` and `unfinished` (agents)."""

    default_code = "COMMITTEE_DEADLINE"

    @classmethod
    def of(cls, deadline: float, stage: str, unfinished: list[str]) -> CommitteeDeadlineError:
        """The error for a stage that was still going on."""
        zh = f"{deadline} 秒内没有完成，停在 {stage} 阶段，未完成的成员：{'、'.join(unfinished) or '无'}"
        waiting = f"stopped in {stage}, unfinished: {', '.join(unfinished) or 'nobody'}"
        gloss, advice = f"no verdict within {deadline} s", "allow more time or fewer retries"
        message = Message.glossed(zh, f"{gloss}; {waiting}; {advice}", f"{gloss}; {advice}")
        return cls(message.text(), {"deadline": deadline, "stage": stage, "unfinished": unfinished})


class CommitteeInterruptedError(AppException):
    """Somebody stopped it before its verdict; `details` holds `stage` and `unfinished` (agents).

    .. versionadded:: 0.1.0
    """

    default_code = "COMMITTEE_INTERRUPTED"

    @classmethod
    def of(cls, stage: str, unfinished: list[str]) -> CommitteeInterruptedError:
        """The error for a stage that was going on, or was the last one to end."""
        zh = f"运行在 {stage} 阶段被中断，未完成的成员：{'、'.join(unfinished) or '无'}"
        gloss = "the run was interrupted"
        en = f"{gloss} in {stage}, unfinished: {', '.join(unfinished) or 'nobody'}"
        return cls(Message.glossed(zh, en, gloss).text(), {"stage": stage, "unfinished": unfinished})


class CommitteeSettingsError(AppException):
    """A setting is wrong; `details` holds `variables`, the names of the environment variables."""

    default_code = "COMMITTEE_SETTINGS"


class MarketDataError(AppException):
    """A dossier cannot be made. `details` holds, as they apply, `source` (library and function) and `reason`."""


class MarketDataSettingsError(MarketDataError):
    """A package, a token or a setting is missing or wrong; `details` may hold `variables`, `package` and `install`."""

    default_code = "MARKET_DATA_SETTINGS"


class UnknownStockError(MarketDataError):
    """There is no such stock, or the source has nothing about it up to the day asked for."""

    default_code = "MARKET_DATA_UNKNOWN_STOCK"

    @classmethod
    def no_code(cls, text: str) -> UnknownStockError:
        """The error for what is no code of an A share."""
        text = text[:_SYMBOL_LIMIT]
        zh = f"{text!r} 不是沪深京 A 股代码；例如 600519、600519.SH、sz000001"
        en = f"{text!r} is no code of an A share, such as 600519, 600519.SH, sz000001"
        return cls(Message.glossed(zh, en, "no code of an A share").text())


class DataNotOfferedError(MarketDataError):
    """The source does not give it, and would not if it were asked again: no permission, or another form."""

    default_code = "MARKET_DATA_NOT_OFFERED"


class MarketDataUnavailableError(MarketDataError):
    """The source did not answer: no connection, no answer in time, too many requests. Trying later may help."""

    default_code = "MARKET_DATA_UNAVAILABLE"


class RunUnreadableError(AppException):
    """A folder holds no result of a run that can be read; `details` holds `folder`."""

    default_code = "RUN_UNREADABLE"

    @classmethod
    def of(cls, folder: Path, reason: Message) -> RunUnreadableError:
        """The error for a folder and the reason."""
        message = Message(f"{folder}：{reason.zh}", f"{folder}: {reason.en}", f"{folder}: {reason.text(Language.BOTH)}")
        found = cls(message.text(), {"folder": str(folder)})
        found.reason = reason
        return found

    reason: Message = Message("", "")
    """Why, without the folder."""


class RunUnfinishedError(RunUnreadableError):
    """A run was broken off or is still going on; `details` holds `folder`."""

    default_code = "RUN_UNFINISHED"
