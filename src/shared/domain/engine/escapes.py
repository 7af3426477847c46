"""Stand-in."""


def escape_edits(text, start, end, edits, *, latex, python):
    return edits
