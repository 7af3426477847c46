"""Settings of the committee, by environment: `COMMITTEE_LEAST_EXPERTS` and so on; `.env` is read too."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from examples.committee.domain.exceptions import CommitteeSettingsError
from examples.committee.domain.steps import STEPS
from src.shared.application.prompted_agent import AskOptions
from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.language import Message
from src.shared.infrastructure.llm.provider_errors import needs_extra

with needs_extra():
    from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "COMMITTEE_"

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class CommitteeSettings(BaseSettings):
    """How a committee works. Each field is the environment variable `COMMITTEE_` and its name in upper case.

    Attributes:
        least_experts: how many experts must answer; 1 to 5, default 3.
        deadline: seconds for the whole, default 900.
        temperature: of all agents, 0 to 2, default 0.3.
        max_tokens: most tokens of one answer; default none of ours.
        max_retries: re-asks of one agent; 0 to 10, default as `LLM_BUDGET_RETRIES`, which is 2.
        agent_seconds: seconds for one agent with its re-asks; default a quarter of the deadline, since four agents
            are asked one after another: one that hangs leaves time for the others.
        prompt_price: what a million tokens read cost; default not known.
        completion_price: what a million tokens written cost; given with `prompt_price` or not at all.
        currency: of both prices, default CNY.

    Raises:
        CommitteeSettingsError: a variable is wrong; names it.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    least_experts: int = Field(3, ge=1, le=5)
    deadline: Seconds = 900.0
    temperature: float = Field(0.3, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    max_retries: int | None = Field(None, ge=0, le=10)
    agent_seconds: Seconds | None = None
    prompt_price: Money | None = None
    completion_price: Money | None = None
    currency: str = Field("CNY", min_length=1)

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields, or options of pydantic-settings such as _env_file
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _wrong(error) from None

    @model_validator(mode="after")
    def _both_prices_or_none(self) -> CommitteeSettings:
        if (self.prompt_price is None) != (self.completion_price is None):
            message = "prompt_price and completion_price are given together or not at all"
            raise ValueError(message)
        return self

    def options(self, budget: Budget | None = None) -> AskOptions:
        """How the agents ask, within a budget for each; the committee's own bounds win over it."""
        given = budget or Budget()
        own = given.bounded(max_retries=self.max_retries, max_seconds=self.agent_seconds)
        if self.agent_seconds is None:
            own = own.within(self.deadline / STEPS)
        return AskOptions(self.temperature, self.max_tokens, own)

    def price(self) -> TokenPrice | None:
        """What tokens cost; None where that is not known."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        return TokenPrice(self.prompt_price, self.completion_price, self.currency)


def _wrong(error: ValidationError) -> CommitteeSettingsError:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    named = [(_variable(problem["loc"]), problem["msg"]) for problem in problems]
    zh = f"委员会的环境变量有误：{'；'.join(f'{variable}：{text}' for variable, text in named)}"
    en = f"settings are wrong: {'; '.join(f'{variable}: {text}' for variable, text in named)}"
    advice = "correct these environment variables"
    message = Message.glossed(zh, f"{en}; {advice}", f"settings are wrong; {advice}")
    return CommitteeSettingsError(message.text(), {"variables": [variable for variable, _ in named]})


def _variable(loc: tuple[int | str, ...]) -> str:
    return PREFIX + (str(loc[0]).upper() if loc else "*")
