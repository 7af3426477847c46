"""What to do about a refusal, by its stage and its reason. The first row that fits is the one."""

from __future__ import annotations

from typing import Final, NamedTuple

from src.entrypoints.reports.words import word_of
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, WORKER_STAGE
from src.shared.domain import parse_reasons as parser
from src.shared.domain.language import Message, Phrase


class _Row(NamedTuple):
    """A refusal of this stage, where one is named, whose reason has these words in it."""

    stage: str
    words: str
    advice: Message


_CUT: Final = Phrase(
    "Raise the model's token limit, or ask for shorter answers. If the rows hold the finish reason, name "
    "its field with --finish-field: where the model stopped by itself, missing brackets are closed."
)
_ONE_OBJECT: Final = Phrase(
    "Ask in the prompt for the final JSON object alone, without drafts, examples or other data beside "
    "it. If a text is meant to hold several records, ask for an array and name a list type with --dto."
)
_REASONING: Final = Phrase(
    "The model ran out of length while reasoning, or wrote no answer: raise the token limit, or lower "
    "the reasoning effort."
)
_AMBIGUOUS: Final = Phrase(
    "Two readings are left, and the wrong one would change a value. Use the provider's JSON mode, or "
    "have the model write it again with the feedback of its row in refused."
)
_BOUND: Final = Phrase(
    "A bound of the parser is reached. Look at the example: mostly such a text repeats itself, or is long and no JSON."
)
_TEXT_FIELD: Final = Phrase(
    "The text is in another field: name it with --text-field; dots lead inside, as in choices.0.message.content."
)
_EXPORT: Final = Phrase("The row itself is broken: mend or export the input again, and run into a new folder.")
_OWN_CODE: Final = Phrase(
    "Code of the type, or a library it calls, fails: `llm-output parse` on the example's text alone shows it again."
)
_MEMORY: Final = Phrase(
    "Give it more memory with --text-memory; where the machine has no more, have fewer processes read with --workers."
)
_CALL: Final = Phrase(
    "The model wrote tool calls as text: read them with read_tool_calls; where an answer is wanted, "
    "offer no tools, or say so in the prompt."
)
_GRADE: Final = Phrase(
    "The result is less sure than --accept takes: message names the grade and its cause; take more with "
    "--accept, or have the model write it anew."
)
_TIME: Final = Phrase("It was not read within its time: give it more, or find the prompt that such texts answer.")
_ROWS: Final = (
    _Row("", parser.TRUNCATED.en, _CUT),
    _Row("", parser.CUT_OFF.en, _CUT),
    _Row("", parser.ROWS_WITHOUT_END.en, _CUT),
    _Row("", parser.WRAPPING_FITS.en, _AMBIGUOUS),
    _Row("", parser.SEVERAL_OBJECTS.en, _ONE_OBJECT),
    _Row("", parser.PART_OF_MORE.en, _ONE_OBJECT),
    _Row("", parser.RIVAL.en, _ONE_OBJECT),
    _Row("", parser.ONLY_ASIDE.en, _ONE_OBJECT),
    _Row("", parser.RETRACTED.en, _ONE_OBJECT),
    _Row(
        "",
        parser.NO_OBJECT.en,
        Phrase(
            "The model wrote no JSON: look at the example; mostly it declined, asked back or answered in prose. "
            "Ask for JSON alone in the prompt, or use the provider's JSON mode."
        ),
    ),
    *(_Row("", reason.en, _AMBIGUOUS) for reason in parser.TWO_READ),
    *(_Row("", reason.en, _BOUND) for reason in (parser.TOO_DAMAGED, parser.TOO_DEEP, parser.NUMBER_TOO_LONG)),
    _Row("think", "", _REASONING),
    _Row("", parser.HOLDS_CALL.en, _CALL),
    _Row("tool_call", "", _CALL),
    _Row("accept", "", _GRADE),
    _Row("timeout", "", _TIME),
    _Row(
        "empty",
        "",
        Phrase(
            "The model wrote no text: look for a content filter, a tool call, or the finish reason. If the text "
            "is in another field, name it with --text-field."
        ),
    ),
    _Row(
        "root",
        "",
        Phrase(
            "The root is not the one the type is read from: name a type that fits with --dto, such as Items = "
            "list[Item], or ask for the right root in the prompt."
        ),
    ),
    _Row(
        "normalize",
        "",
        Phrase(
            "The normalizer itself fails, which is a mistake of the program: `llm-output parse` on the example's "
            "text alone shows it again."
        ),
    ),
    _Row(
        "validate",
        "",
        Phrase(
            "Many texts differ from the type in the same place: if they may, widen the type; if not, describe "
            "the field in the prompt, or have the model write it again with the feedback of its row in refused."
        ),
    ),
    _Row(
        "",
        "something was left out",
        Phrase("The model left something out: ask for every item in full, and leave enough length for it."),
    ),
    _Row(INPUT_STAGE, "there is no field", _TEXT_FIELD),
    _Row(INPUT_STAGE, "holds no text", _TEXT_FIELD),
    _Row(
        INPUT_STAGE,
        "there is no agent of this name",
        Phrase(
            "Name the type with --dto, or the agent with --agent; if its name is in another field, name that "
            "with --agent-field."
        ),
    ),
    _Row(
        INPUT_STAGE,
        "not UTF-8",
        Phrase("Convert the input to UTF-8, and run into a new folder."),
    ),
    _Row(INPUT_STAGE, "", _EXPORT),
    _Row(
        WORKER_STAGE,
        "took longer",
        Phrase(
            "Give it more time with --text-timeout; if it still takes longer, code of the type mostly does not end."
        ),
    ),
    _Row(WORKER_STAGE, "memory", _MEMORY),
    _Row(WORKER_STAGE, "MemoryError", _MEMORY),
    _Row(
        WORKER_STAGE,
        "was killed",
        Phrase(
            "Mostly the system was out of memory, or a library that the type calls crashed: have fewer processes "
            "read with --workers; `llm-output parse` on the example's text alone shows it again."
        ),
    ),
    _Row(WORKER_STAGE, "", _OWN_CODE),
    _Row(
        OUTPUT_STAGE,
        "",
        Phrase(
            "The type writes a value that JSON cannot hold: use another type for the field, or write a "
            "field_serializer."
        ),
    ),
    _Row(
        "",
        "",
        Phrase(
            "This damage cannot be undone without a guess: have the model write it again with the feedback of "
            "its row in refused, or use the provider's JSON mode."
        ),
    ),
)


def advice_for(stage: str, reason: str) -> str:
    """What to do about texts that were refused at a stage for a reason."""
    return next(word_of(row.advice) for row in _ROWS if row.stage in ("", stage) and row.words in reason)
