"""The two advocates' results."""

from pydantic import Field

from src.shared.domain.fields import AgentResult, Confidence, Direction


class Argument(AgentResult):
    """What both advocates' cases have in common."""

    direction: Direction = Field(description="Direction the advocate comes out for.")
    confidence: Confidence
    core_thesis: str = Field(description="The case in a sentence or two.")
    supporting_arguments: list[str] = Field(description="What the case rests on; may be empty.")


class BullArgument(Argument):
    """The case for the stock."""

    acknowledged_risks: list[str] = Field(description="Risks the bull concedes; may be empty.")
    price_catalysts: list[str] = Field(description="What could lift the price; may be empty.")


class BearArgument(Argument):
    """The case against the stock."""

    acknowledged_strengths: list[str] = Field(description="Strengths the bear concedes; may be empty.")
    risk_triggers: list[str] = Field(description="What could set the risks off; may be empty.")
