"""The tolerant reader: steps through damaged JSON and notes the edits that make it strict JSON.

It never builds a value. What it reads becomes a value only by way of the strict decoder, applied to the edited
text; so every string and number of a result stands in the raw text, and the list of edits is the trace.
"""
