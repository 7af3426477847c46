"""The tolerant reader: steps through damaged JSON and notes the edits that make it strict JSON.

It never builds a value itself: the strict decoder makes the value from the edited text. So every string and number of
a result is in the raw text, and the list of edits is the trace.
"""
