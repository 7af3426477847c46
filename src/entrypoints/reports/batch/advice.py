"""What to do about a refusal, by its stage and its reason."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from itertools import chain
from typing import Final

from src.entrypoints.reports.words import word_of
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, WORKER_STAGE
from src.shared.domain import parse_reasons as parser
from src.shared.domain.language import Message, Phrase

_BY_REASON: Final[Mapping[tuple[parser.Reason, ...], Message]] = {
    (parser.TRUNCATED, parser.CUT_OFF, parser.ROWS_WITHOUT_END, parser.MAY_GO_ON): Phrase(
        "Raise the model's token limit, or ask for shorter answers. If the rows hold the finish reason, name "
        "its field with --finish-field: where the model stopped by itself, missing brackets are closed."
    ),
    (parser.WRAPPING_FITS, *parser.TWO_READ): Phrase(
        "Two readings are left, and the wrong one would change a value. Use the provider's JSON mode, or "
        "have the model write it again with the feedback of its row in refused."
    ),
    (parser.SEVERAL_OBJECTS, parser.PART_OF_MORE, parser.RIVAL, parser.ONLY_ASIDE, parser.RETRACTED): Phrase(
        "Ask in the prompt for the final JSON object alone, without drafts, examples or other data beside "
        "it. If a text is meant to hold several records, ask for an array and name a list type with --dto."
    ),
    (parser.NO_OBJECT,): Phrase(
        "The model wrote no JSON: look at the example; mostly it declined, asked back or answered in prose. "
        "Ask for JSON alone in the prompt, or use the provider's JSON mode."
    ),
    (parser.NO_SCALAR, parser.NOT_STATED, parser.SEVERAL_ANSWERS): Phrase(
        "The text does not end in one plain answer: ask in the prompt for the value alone, or for a last line "
        "`Answer: VALUE`."
    ),
    (parser.ECHO,): Phrase(
        "The model wrote the prompt's template or instruction back: show a filled example in the prompt, or use the "
        "provider's JSON mode."
    ),
    (parser.TOO_DAMAGED, parser.TOO_DEEP, parser.NUMBER_TOO_LONG): Phrase(
        "A bound of the parser is reached. Look at the example: mostly such a text repeats itself, or is long and no "
        "JSON."
    ),
}
_CALL: Final = Phrase(
    "The model wrote tool calls as text: read them with read_tool_calls; where an answer is wanted, "
    "offer no tools, or say so in the prompt."
)
_TEXT_FIELD: Final = Phrase(
    "The text is in another field: name it with --text-field; dots lead inside, as in choices.0.message.content."
)
_MEMORY: Final = Phrase(
    "Give it more memory with --text-memory; where the machine has no more, have fewer processes read with --workers."
)
_BY_STAGE: Final[Mapping[str, Message]] = {
    "think: *": Phrase(
        "The model ran out of length while reasoning, or wrote no answer: raise the token limit, or lower "
        "the reasoning effort."
    ),
    f"*: *{parser.HOLDS_CALL.en}*": _CALL,
    "tool_call: *": _CALL,
    f"{parser.ACCEPT}: *": Phrase(
        "The result is less sure than --accept takes: message names the grade and its cause; take more with "
        "--accept, or have the model write it anew."
    ),
    f"{parser.TIMEOUT}: *": Phrase(
        "It was not read within its time: give it more, or find the prompt that such texts answer."
    ),
    "empty: *": Phrase(
        "The model wrote no text: look for a content filter, a tool call, or the finish reason. If the text "
        "is in another field, name it with --text-field."
    ),
    "root: *": Phrase(
        "The root is not the one the type is read from: name a type that fits with --dto, such as Items = "
        "list[Item], or ask for the right root in the prompt."
    ),
    "normalize: *": Phrase(
        "The normalizer itself fails, which is a mistake of the program: `llm-output parse` on the example's "
        "text alone shows it again."
    ),
    "validate: *": Phrase(
        "Many texts differ from the type in the same place: if they may, widen the type; if not, describe "
        "the field in the prompt, or have the model write it again with the feedback of its row in refused."
    ),
    "*: *something was left out*": Phrase(
        "The model left something out: ask for every item in full, and leave enough length for it."
    ),
    f"{INPUT_STAGE}: *there is no field*": _TEXT_FIELD,
    f"{INPUT_STAGE}: *holds no text*": _TEXT_FIELD,
    f"{INPUT_STAGE}: *there is no agent of this name*": Phrase(
        "Name the type with --dto, or the agent with --agent; if its name is in another field, name that "
        "with --agent-field."
    ),
    f"{INPUT_STAGE}: *not UTF-8*": Phrase("Convert the input to UTF-8, and run into a new folder."),
    f"{INPUT_STAGE}: *": Phrase("The row itself is broken: mend or export the input again, and run into a new folder."),
    f"{WORKER_STAGE}: *took longer*": Phrase(
        "Give it more time with --text-timeout; if it still takes longer, code of the type mostly does not end."
    ),
    f"{WORKER_STAGE}: *memory*": _MEMORY,
    f"{WORKER_STAGE}: *MemoryError*": _MEMORY,
    f"{WORKER_STAGE}: *was killed*": Phrase(
        "Mostly the system was out of memory, or a library that the type calls crashed: have fewer processes "
        "read with --workers; `llm-output parse` on the example's text alone shows it again."
    ),
    f"{WORKER_STAGE}: *": Phrase(
        "Code of the type, or a library it calls, fails: `llm-output parse` on the example's text alone shows it again."
    ),
    f"{OUTPUT_STAGE}: *": Phrase(
        "The type writes a value that JSON cannot hold: use another type for the field, or write a field_serializer."
    ),
    "*": Phrase(
        "This damage cannot be undone without a guess: have the model write it again with the feedback of "
        "its row in refused, or use the provider's JSON mode."
    ),
}
"""By how stage and reason are written together. The first row that fits is the one."""


def advice_for(stage: str, reason: str) -> str:
    """What to do about texts that were refused at a stage for a reason."""
    by_reason = (advice for reasons, advice in _BY_REASON.items() if any(one.en in reason for one in reasons))
    by_stage = (advice for written, advice in _BY_STAGE.items() if fnmatchcase(f"{stage}: {reason}", written))
    return word_of(next(chain(by_reason, by_stage)))
