"""The use case: research, then debate, then judge, for one dossier."""

from __future__ import annotations

import asyncio

from src.committee.application.handover import debate_input, judge_input
from src.committee.application.progress import ProgressPort, Stage
from src.committee.application.result import CommitteeResult
from src.committee.application.sitting import Sitting
from src.committee.domain.dossier import Dossier
from src.committee.domain.exceptions import CommitteeDeadlineError
from src.modules.debate.application.public import DebateService
from src.modules.judge.application.public import JudgeService, warnings_about
from src.modules.research.application.public import ResearchService, TooFewExpertsError
from src.shared.application.agent_runs import listening
from src.shared.domain.exceptions import AppException
from src.shared.domain.token_price import TokenPrice


class Committee:
    """Runs committees; any number at a time.

    Args:
        research: asks the experts.
        debate: lets two advocates argue and settles it.
        judge: decides.
        deadline: seconds for the whole of one run; None: no bound.
        price: what tokens cost; None: no cost is given.
    """

    def __init__(
        self,
        research: ResearchService,
        debate: DebateService,
        judge: JudgeService,
        *,
        deadline: float | None = None,
        price: TokenPrice | None = None,
    ) -> None:
        self._research = research
        self._debate = debate
        self._judge = judge
        self._deadline = deadline
        self._price = price

    async def run(self, dossier: Dossier, progress: ProgressPort | None = None) -> CommitteeResult:
        """Decide on a stock. What fails on purpose is in the result, with all that was found until then.

        Cancelling this cancels every agent; whoever watches `progress` has what was found.
        """
        sitting = Sitting(dossier.stock.symbol, progress)
        try:
            async with asyncio.timeout(self._deadline) as timeout:
                with listening(sitting):
                    await self._sit(dossier, sitting)
        except AppException as error:
            sitting.error = error
        except TimeoutError:
            if not timeout.expired() or self._deadline is None:
                raise
            sitting.error = CommitteeDeadlineError.of(self._deadline, sitting.stage.value, sitting.unfinished)
        return sitting.result(self._price)

    async def _sit(self, dossier: Dossier, sitting: Sitting) -> None:
        with sitting.during(Stage.RESEARCH):
            try:
                report = sitting.research = await self._research.run(dossier)
            except TooFewExpertsError as error:
                sitting.research = error.report
                raise
        with sitting.during(Stage.DEBATE):
            debated = debate_input(report)
            sitting.arguments = await self._debate.argue(debated)
            outcome = sitting.debate = await self._debate.settle(debated, sitting.arguments)
        with sitting.during(Stage.JUDGE):
            question = judge_input(report, outcome)
            sitting.verdict = await self._judge.run(question)
            sitting.warnings = warnings_about(sitting.verdict, question)
