"""The visual RAG agent's parser: the JSON form first, then the legacy tags, then none.

Source: specifications "JSON Output Format Adaptation" (requirements and design).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.problems import stopped, unreadable
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_log import log_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.elements import TagError
from src.modules.visual_rag.infrastructure.agents.visual_rag.json_reply import FoundReply, find_reply
from src.modules.visual_rag.infrastructure.agents.visual_rag.legacy_tags import LegacyAction, find_tags


def extract_json_response(text: str) -> str | None:
    """The JSON object with the four required fields (think, action, arguments, answer), its text unchanged.

    It may stand anywhere in the text: in a fence, in prose, after reasoning. What is returned is JSON as any decoder
    reads it. None where there is no such object, and also where the object is damaged: to repair it would change its
    text. `parse_action` reads a damaged one, and gives its text in `raw_json`.
    """
    found = find_reply(_checked(text), finished=None)
    return found.text if isinstance(found, FoundReply) and found.is_json else None


def parse_action(text: str, *, finished: bool | None = None) -> ParsedAction:
    """Read the action in a model's text: as JSON, failing that as a legacy tag; it never fails.

    JSON comes first: an object with the four fields is the action, valid or not, whatever tags stand beside it.

    Args:
        text: the text as the model gave it.
        finished: True: the model is known to have ended on its own or at a stop sequence (finish reason `stop`), so
            that a last tag that was not closed is whole (a stop sequence is not part of the text). False: it was cut
            off, and there is no action, whatever the text looks like. None: nobody knows, and a text that does not
            show its end is no action.

    Raises:
        TypeError: `text` is not a string.
    """
    found = ParsedAction.invalid(stopped()) if finished is False else _find(_checked(text), finished=finished)
    parsed = found if isinstance(found, ParsedAction) else found.action()
    log_action(parsed, text)
    return parsed


def parse_actions(texts: Iterable[str], *, finished: bool | None = None) -> list[ParsedAction]:
    """`parse_action` for a batch, in its order.

    Raises:
        TypeError: `texts` is one string, or one of them is not a string.
    """
    return [parse_action(text, finished=finished) for text in _batch(texts)]


def postprocess_predictions(
    predictions: Iterable[str], *, finished: bool | None = None
) -> tuple[list[str | None], list[Any]]:
    """The actions of a batch and their contents, as two lists.

    An action is `search`, `crop`, `ocr` or `answer`, its content the query, the arguments or the answer; both are None
    where a text gives no action. `parse_actions` also says why.

    Raises:
        TypeError: as for `parse_actions`.
    """
    parsed = parse_actions(predictions, finished=finished)
    return [one.action_type and one.action_type.value for one in parsed], [one.content for one in parsed]


def postprocess_responses(responses: Iterable[str], eos_token: str, *, finished: bool | None = None) -> list[str]:
    """What of each response is kept in the conversation, with the EOS token appended.

    The JSON object's own text; failing that the reasoning and the tag of the action; failing that the whole response.
    What `parse_action` reads from a response it also reads from what is kept of it, the EOS token apart, with the same
    `finished`.

    Raises:
        TypeError: `responses` is one string, or one of them is not a string.
    """
    return [_kept(text, finished=finished).removesuffix(eos_token) + eos_token for text in _batch(responses)]


def _kept(text: str, *, finished: bool | None) -> str:
    found = _find(_checked(text), finished=finished)
    if isinstance(found, FoundReply):
        return found.text
    return found.tags if isinstance(found, LegacyAction) else text


def _find(text: str, *, finished: bool | None) -> FoundReply | LegacyAction | ParsedAction:
    """The reply or the tag; a `ParsedAction` with the reason where there is neither."""
    reply = find_reply(text, finished=finished)
    if isinstance(reply, FoundReply):
        return reply
    try:
        tags = None if reply.is_final else find_tags(reply.state)
    except TagError as error:
        return ParsedAction.invalid(error.problem)
    return tags or ParsedAction.invalid(unreadable(reply.error, several=reply.is_ambiguous))


def _checked(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a text must be str, not {type(text).__name__}"
    raise TypeError(message)


def _batch(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        message = "a batch must be a list of texts, not one str; write [text]"
        raise TypeError(message)
    return texts
