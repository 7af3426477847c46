"""The marks of JSON as models write it: quotes, brackets and commas in every width, literals, tags around it."""

from __future__ import annotations

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`´",
    "“": '”“"',
    "”": '”"',
    "„": "“”",
    "‘": "’‘",
    "’": "’",
    "＂": "＂",
    "＇": "＇",
    "「": "」",
    "『": "』",
}
"""Opening quote → the quotes that may close what it opens."""

COMMAS = ",，"
COLONS = ":："
OPENERS = {"{": "{", "[": "[", "｛": "{", "［": "["}
CLOSERS = {"}": "}", "]": "]", "｝": "}", "］": "]"}
NO_MORE = ("", "```", "~~~", "</", "<|", "[/")
"""What, outside a string, ends the object's text for good: nothing, a fence, a tag."""
INVISIBLE = "\x00\ufeff\u200b\u200c\u200d\u2060\u00a0\u202f\u2028\u2029\u3000\u00ad"
"""Characters that show nothing, or a blank."""
FOREIGN_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"} | {
    spelling: word for word in ("true", "false", "null") for spelling in (word.title(), word.upper())
}
"""A literal of Python or JavaScript, or in other letters → the literal of JSON."""
REASONING_TAGS = ("think", "thinking", "reasoning", "thought", "reflection")
"""Names of the tags around reasoning."""
