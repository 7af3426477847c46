"""Why a text is not JSON, as far as the whole parser speaks of it; `details["json_error"]` holds the English text."""

from __future__ import annotations

from src.shared.domain.language import Phrase


class Reason(Phrase):
    """Why a text is not JSON: part of a sentence."""


ACCEPT = "accept"
"""What errors call the check of the grade; it comes behind all stages."""
TIMEOUT = "timeout"
"""What errors call the end of a call's own time, wherever it comes."""

NO_OBJECT = Reason("no JSON object in the text")
ROUND_BRACKETS = Reason("a value in round brackets is no JSON; an object is written {{…}}, a list […]")
UNCLOSED_THINK = Reason("a reasoning block is never closed; nothing inside it is an answer")
ONLY_THINK = Reason("nothing follows the reasoning block")
SEVERAL_OBJECTS = Reason("several different objects, none marked as the answer")
WRAPPING_FITS = Reason("the object and what it wraps both satisfy the type, and either may be the answer")
PART_OF_MORE = Reason("the object stands inside something larger that cannot be read")
RIVAL = Reason("something outside the object looks like data, cannot be read, and may be the answer")
ONLY_ASIDE = Reason(
    "the only object is headed as an example, a format, a draft or reasoning, or the words before it deny it"
)
ECHO = Reason("this repeats the template or the instruction of the prompt; answer with values in its place")
RETRACTED = Reason("the words behind the object take it back")
NO_SCALAR = Reason("the text is not one value of the type alone, and does not name one as its answer at its end")
NOT_STATED = Reason("the words before the answer do not plainly state it")
SEVERAL_ANSWERS = Reason("the text names several answers, or speaks of another value where it names one")
MAY_GO_ON = Reason(
    "this word may go on here, as another value or as prose; pass finished=True if the model stopped by itself"
)
HOLDS_CALL = Reason("the text holds a tool call, which is no answer; read_tool_calls reads it")
ROWS_WITHOUT_END = Reason(
    "rows without the brackets of a list may go on here; pass finished=True if the model stopped by itself"
)
TRUNCATED = Reason("the text is cut off here")
CUT_OFF = Reason("the model was cut off before it had finished")
TOO_DEEP = Reason("nested too deeply")
NUMBER_TOO_LONG = Reason("an integer with too many digits")
TOO_DAMAGED = Reason("too much damage")
TWO_ESCAPE_READINGS = Reason("the backslashes of this string can be read in two ways")
ESCAPED_UNREADABLE = Reason("the JSON that was escaped as a string is not one whole object")
TWO_READINGS = Reason("the text can be read in two ways here")
TWO_NUMBERS = Reason("the comma here may separate thousands")
NUMBER_OR_TEXT = Reason("this may be a number or a literal in another spelling, or a text")
COMMENT_OR_STRUCTURE = Reason("a comment with a closing bracket may end in two places")
COMMENT_OR_ELEMENT = Reason("what looks like a comment may be content without its quotes")

TWO_READ = frozenset(
    {TWO_READINGS, TWO_NUMBERS, NUMBER_OR_TEXT, COMMENT_OR_STRUCTURE, COMMENT_OR_ELEMENT, TWO_ESCAPE_READINGS}
)
"""Where a text has two readings, so that whoever mends it has to guess which one was meant."""
