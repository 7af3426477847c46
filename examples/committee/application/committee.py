"""The use case: research, then debate, then judge, for one dossier."""

from __future__ import annotations

from examples.committee.application.agent_inputs import debate_input, judge_input
from examples.committee.application.progress import ProgressPort, Stage
from examples.committee.application.result import CommitteeResult
from examples.committee.application.sitting import Sitting
from examples.committee.domain.dossier import Dossier
from examples.committee.domain.exceptions import CommitteeDeadlineError, CommitteeInterruptedError
from examples.committee.domain.priced_input import priced_warnings
from src.modules.debate.application.services.debate_service import DebateService
from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.application.agent_runs import Interruption, listening
from src.shared.domain.budget import TokenPrice
from src.shared.domain.exceptions import AppException


class Committee:
    """Runs committees; any number at a time.

    Args:
        research: asks the experts.
        debate: lets two advocates argue and settles it.
        judge: decides.
        deadline: seconds for the whole of one run; None: no bound. An agent that is asked when they are over ends by
            itself, so that nothing it has got is lost.
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

    async def run(
        self, dossier: Dossier, progress: ProgressPort | None = None, interruption: Interruption | None = None
    ) -> CommitteeResult:
        """Decide on a stock. What fails on purpose is in the result, with all that was found until then.

        Cancelling this cancels every agent; whoever watches `progress` has what was found.

        Args:
            dossier: what is known of the stock.
            progress: told of what happens, as it happens.
            interruption: ends the run as its deadline does, as soon as it is set: the result has all that was found.
        """
        interruption = interruption or Interruption()
        sitting = Sitting(dossier.stock.symbol, progress, interruption)
        try:
            with listening(sitting, seconds=self._deadline, interruption=interruption):
                await self._sit(dossier, sitting)
        except AppException as error:
            sitting.error = self._too_late(sitting) or error
        return sitting.result(self._price)

    async def _sit(self, dossier: Dossier, sitting: Sitting) -> None:
        with sitting.during(Stage.RESEARCH):
            try:
                report = sitting.research = await self._research.run(dossier)
            except TooFewExpertsError as error:
                sitting.research = error.report
                raise
            self._require_time(sitting)
        with sitting.during(Stage.DEBATE):
            debated = debate_input(report)
            sitting.arguments = await self._debate.argue(debated)
            self._require_time(sitting)
            outcome = sitting.debate = await self._debate.settle(debated, sitting.arguments)
        with sitting.during(Stage.JUDGE):
            question = judge_input(dossier, report, outcome)
            sitting.verdict = await self._judge.run(question)
            sitting.warnings = priced_warnings(sitting.verdict, question)

    def _require_time(self, sitting: Sitting) -> None:
        """Ask nobody more when the time is up, or somebody has ended the run.

        Raises:
            CommitteeDeadlineError: it is.
            CommitteeInterruptedError: the run was interrupted.
        """
        if late := self._too_late(sitting):
            raise late

    def _too_late(self, sitting: Sitting) -> AppException | None:
        """The error where agents were cut off; None where there is time left."""
        waiting = [agent.label for agent in sitting.unfinished]
        if sitting.interruption.is_set:
            return CommitteeInterruptedError.of(sitting.stage.value, waiting)
        if self._deadline is None or not sitting.is_late:
            return None
        return CommitteeDeadlineError.of(self._deadline, sitting.stage.value, waiting)
