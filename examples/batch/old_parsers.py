"""Parsers as many code bases have them, for `--against`: a regular expression for the fence, `json.loads`, defaults.

They are what to migrate from. `parse_valuation` is the second copy of the same few lines, as the ninth would be.
"""

import json
import re
from dataclasses import dataclass
from typing import Any


class OldParseError(Exception):
    """What callers of the old parsers catch."""


@dataclass
class TechnicalResult:
    """What the old technical parser returns."""

    signal: str
    confidence: float
    summary_reasoning: str
    key_technical_levels: dict[str, float]
    risk_warning: str
    narrative_report: str = ""


def parse_technical(raw: str) -> TechnicalResult:
    """Read a technical analyst's answer. A missing signal counts as neutral."""
    text = re.sub(r"<think>.*?</think>", "", raw, flags=re.DOTALL)
    text = re.sub(r"```(?:json)?", "", text)
    try:
        data = json.loads(text[text.find("{") : text.rfind("}") + 1])
        return TechnicalResult(
            signal=data.get("signal", "NEUTRAL"),
            confidence=data.get("confidence", 0.5),
            summary_reasoning=data["summary_reasoning"],
            key_technical_levels=data["key_technical_levels"],
            risk_warning=data.get("risk_warning", ""),
            narrative_report=data.get("narrative_report", ""),
        )
    except (ValueError, KeyError) as error:
        message = f"technical: {error}"
        raise OldParseError(message) from error


def parse_valuation(raw: str) -> dict[str, Any]:
    """Read a valuation modeler's answer. The verdict's Chinese gloss is cut off."""
    match = re.search(r"```(?:json)?(.*?)```", raw, flags=re.DOTALL)
    text = match[1] if match else raw
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError as error:
        message = f"valuation: {error}"
        raise OldParseError(message) from error
    data["valuation_verdict"] = data.get("valuation_verdict", "Fair").split(" ")[0]
    data.setdefault("narrative_report", "")
    return data


def parse(raw: str, agent: str) -> object:
    """Any of them, by the agent's name: what one run over a log of several agents asks."""
    return {"technical_analyst": parse_technical, "valuation_modeler": parse_valuation}[agent](raw)
