"""The conflict resolver: what it is asked about, and its adapter."""

from __future__ import annotations

from pydantic import BaseModel, Field

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.infrastructure.agents.resolution.output_parser import OUTPUT
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.prompt_files import load_prompts


class ResolutionTask(BaseModel):
    """What the conflict resolver is asked about."""

    symbol: str = Field(description="证券代码")
    bull: BullArgument | None
    bear: BearArgument | None


class ResolutionAdapter(PromptedAgent[ResolutionTask, ResolutionResult]):
    """The conflict resolver behind `ResolutionPort`.

    Raises:
        PromptError: the prompts do not fit `ResolutionTask`.
    """

    def __init__(self, llm: TypedLLM, options: AskOptions | None = None) -> None:
        super().__init__(llm, OUTPUT, load_prompts(__name__, ResolutionTask), options)

    async def resolve(self, symbol: str, bull: BullArgument | None, bear: BearArgument | None) -> ResolutionResult:
        """Settle the debate; a case that is None is told as missing.

        Raises:
            AppException: no usable answer came.
        """
        return (await self.ask(ResolutionTask(symbol=symbol, bull=bull, bear=bear))).result
