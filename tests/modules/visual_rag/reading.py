"""What the tests of this context ask again and again: an action as JSON, as a tag, and what is read."""

import json
from typing import Any

from src.modules.visual_rag.domain.parsed_action import ActionProblem, ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action

REGION = [10, 20, 300, 400]
ON_IMAGE = {"image_id": "image_01", "region": REGION}


def reply(action: Any = "search", arguments: Any = None, answer: Any = None) -> str:  # noqa: ANN401 - also what is refused
    """Write an action as JSON; by default a search for `q`."""
    if arguments is None:
        arguments = {"query": "q"} if action == "search" else {}
    return json.dumps({"think": "t", "action": action, "arguments": arguments, "answer": answer}, ensure_ascii=False)


def tools_call(name: str = "crop", arguments: Any = ON_IMAGE) -> str:  # noqa: ANN401 - as above
    """Write a call in the legacy form."""
    return f"<tools_call>{json.dumps({'name': name, 'arguments': arguments})}</tools_call>"


def read(text: str) -> tuple[str | None, Any]:
    """Read the action of a text and its content."""
    parsed = parse_action(text)
    return parsed.action_type, parsed.content


def problem_of(text: str, *, finished: bool | None = None) -> ActionProblem:
    """Read a text that must give no action, and say why it gives none."""
    parsed = parse_action(text, finished=finished)
    assert parsed.problem, parsed
    assert parsed == ParsedAction(None, None, parsed.raw_json, None, parsed.problem, parsed.repairs, parsed.superseded)
    return parsed.problem
