"""Why a text is not JSON, as far as the whole parser speaks of it; `details["json_error"]` holds the English text."""

from __future__ import annotations

from src.shared.domain.language import Message

ACCEPT = "accept"
"""What errors call the check of the grade; it comes behind all stages."""
TIMEOUT = "timeout"
"""What errors call the end of a call's own time, wherever it comes."""

NO_OBJECT = Message.of("no JSON object in the text")
ROUND_BRACKETS = Message.of("a value in round brackets is no JSON; an object is written {{…}}, a list […]")
UNCLOSED_THINK = Message.of("a reasoning block is never closed; nothing inside it is an answer")
ONLY_THINK = Message.of("nothing follows the reasoning block")
SEVERAL_OBJECTS = Message.of("several different objects, none marked as the answer")
WRAPPING_FITS = Message.of("the object and what it wraps both satisfy the type, and either may be the answer")
PART_OF_MORE = Message.of("the object stands inside something larger that cannot be read")
RIVAL = Message.of("something outside the object looks like data, cannot be read, and may be the answer")
ONLY_ASIDE = Message.of(
    "the only object is headed as an example, a format, a draft or reasoning, or the words before it deny it"
)
RETRACTED = Message.of("the words behind the object take it back")
HOLDS_CALL = Message.of("the text holds a tool call, which is no answer; read_tool_calls reads it")
ROWS_WITHOUT_END = Message.of(
    "rows without the brackets of a list may go on here; pass finished=True if the model stopped by itself"
)
TRUNCATED = Message.of("the text is cut off here")
CUT_OFF = Message.of("the model was cut off before it had finished")
TOO_DEEP = Message.of("nested too deeply")
NUMBER_TOO_LONG = Message.of("an integer with too many digits")
TOO_DAMAGED = Message.of("too much damage")
TWO_ESCAPE_READINGS = Message.of("the backslashes of this string can be read in two ways")
ESCAPED_UNREADABLE = Message.of("the JSON that was escaped as a string is not one whole object")
TWO_READINGS = Message.of("the text can be read in two ways here")
TWO_NUMBERS = Message.of("the comma here may separate thousands")
NUMBER_OR_TEXT = Message.of("this may be a number or a literal in another spelling, or a text")
COMMENT_OR_STRUCTURE = Message.of("a comment with a closing bracket may end in two places")
COMMENT_OR_ELEMENT = Message.of("what looks like a comment may be content without its quotes")

TWO_READ = frozenset(
    {TWO_READINGS, TWO_NUMBERS, NUMBER_OR_TEXT, COMMENT_OR_STRUCTURE, COMMENT_OR_ELEMENT, TWO_ESCAPE_READINGS}
)
"""Where a text has two readings, so that whoever mends it has to guess which one was meant."""
