"""The visual RAG agent's parser: the JSON form first, then the legacy tags, then none.

Source: specifications "JSON Output Format Adaptation" (requirements and design).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from src.modules.visual_rag.domain.parsed_action import ParsedAction, ProblemKind, no_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.reply import (
    find_observation,
    find_reply,
    is_mention,
    strip_end_marks,
)
from src.shared.domain.language import Phrase
from src.shared.domain.options import Finished, known_end
from src.shared.domain.repair import how_often
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write

LABEL = "视觉检索"
"""The agent's title, written as `context_label`."""


def extract_json_response(text: str) -> str | None:
    """The JSON object with the four required fields (think, action, arguments, answer), its text unchanged.

    It may stand anywhere in the text: in a fence, in prose, after reasoning. What is returned is JSON as any decoder
    reads it. None where there is no such object, and also where the object is damaged: to repair it would change its
    text. `parse_action` reads a damaged one, and gives its text in `raw_json`.
    """
    own = _find(_check_text(text)).raw_json
    with suppress(ValueError):
        return own if own is not None and isinstance(json.loads(own), dict) else None
    return None


def parse_action(text: str, *, finished: Finished = None, last_image: str | None = None) -> ParsedAction:
    """Read the action in a model's text: as JSON, failing that as a legacy tag; it never fails.

    JSON comes first: an object with the four fields is the action, valid or not, whatever tags stand beside it. The
    text reads the same with an end-of-sequence token at its end.

    Args:
        text: the text as the model gave it.
        finished: True: the model is known to have ended on its own or at a stop sequence (finish reason `stop`), so
            that a last tag that was not closed is whole (a stop sequence is not part of the text). False: it was cut
            off, and there is no action, whatever the text looks like. None: nobody knows, and a text that does not
            show its end is no action.
        last_image: the id of the image that the model was shown last, which `<bbox>[x1, y1, x2, y2]</bbox>` crops;
            without one that tag is no action.

    Raises:
        TypeError: `text` is not a string.
    """
    finished = known_end(finished)
    parsed = _find(_check_text(text), finished=finished, last_image=last_image)
    if finished is False:
        message = Phrase("the answer was cut off before it was whole; write it again")
        parsed = replace(no_action(ProblemKind.TRUNCATED, message), kept=parsed.kept)
    _log(parsed, text)
    return parsed


def parse_actions(texts: Iterable[str], *, finished: Finished = None) -> list[ParsedAction]:
    """`parse_action` for a batch, in its order.

    Raises:
        TypeError: `texts` is one string, or one of them is not a string.
    """
    end = known_end(finished)
    return [parse_action(text, finished=end) for text in _check_batch(texts)]


def postprocess_predictions(
    predictions: Iterable[str], *, finished: Finished = None
) -> tuple[list[str | None], list[Any]]:
    """The actions of a batch and their contents, as two lists.

    An action is `search`, `crop`, `ocr` or `answer`, its content the query, the arguments or the answer; both are None
    where a text gives no action. `parse_actions` also says why.

    Raises:
        TypeError: as for `parse_actions`.
    """
    parsed = parse_actions(predictions, finished=finished)
    return [one.action_type and one.action_type.value for one in parsed], [one.content for one in parsed]


def postprocess_responses(responses: Iterable[str], eos_token: str, *, finished: Finished = None) -> list[str]:
    """What of each response is kept in the conversation, with the EOS token appended.

    The JSON object's own text; failing that the reasoning and the tag of the action; failing that the whole response.
    What `parse_action` reads from a response it also reads from what is kept of it, with the same `finished`. A
    response that ends in an EOS token, this one or another, is kept like the same response without.

    Raises:
        TypeError: `responses` is one string, or one of them is not a string.
    """
    texts = (_check_text(text).rstrip().removesuffix(eos_token) for text in _check_batch(responses))
    end = known_end(finished)
    return [_find(text, finished=end).kept + eos_token for text in texts]


def _find(text: str, *, finished: bool | None = None, last_image: str | None = None) -> ParsedAction:
    """The action of the reply or of the tag, whatever mark ends the text, or the reason why there is neither.

    Where the model invents an observation its turn ends: an action before it counts, and nothing behind it does.
    """
    turn = strip_end_marks(text)
    reply = find_reply(turn, finished=finished)
    at = find_observation(reply.reading)
    found = None
    if at is not None:  # it shows the end of what stands before it
        before = find_reply(strip_end_marks(turn[:at]), finished=True, after=reply.reading)
        found = before.action(last_image, needs_closing=True)
        if not found.kept and found.problem and found.problem.kind is ProblemKind.UNREADABLE:
            message = Phrase(
                "the result of a tool, or the user's words, are not yours to write: "
                "write one action and wait for its result"
            )
            is_no_observation = is_mention(reply.reading.text, at)
            found = None if is_no_observation else no_action(ProblemKind.INVENTED, message, offset=at)
    found = found or reply.action(last_image)
    return replace(found, kept=found.kept or turn)


def _log(parsed: ParsedAction, text: str) -> None:
    """Write `visual_rag_no_action` or `llm_json_repaired`, where there is something to say."""

    def facts() -> dict[str, Any]:
        label, length, limit = {"context_label": LABEL}, {"raw_length": len(text)}, excerpt_limit()
        if not parsed.problem:
            kinds = sorted({repair.kind.value for repair in parsed.repairs})
            return {**label, **length, "repairs": kinds, "repair_count": how_often(parsed.repairs).total()}
        problem = {"problem": parsed.problem.kind.value, "error": excerpt(parsed.problem.message, limit)}
        return {**label, **problem, **length, "excerpt": excerpt(text, limit)}

    if parsed.problem:
        write("warning", "visual_rag_no_action", facts)
    elif parsed.repairs:
        write("info", "llm_json_repaired", facts)


def _check_text(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a text must be str, not {type(text).__name__}"
    raise TypeError(message)


def _check_batch(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        message = "a batch must be a list of texts, not one str; write [text]"
        raise TypeError(message)
    return texts
