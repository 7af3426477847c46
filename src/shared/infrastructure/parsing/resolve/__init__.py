"""The nearest reading of a damaged value: every reading is followed, and the cheapest one is taken.

A repair has competitors: a quote may end a string or belong to its text, a bracket may belong one place earlier. So no
rule decides by itself. Each rule says what a reading may do at a place and what that costs (`rules.py`). The search
follows the cheapest reading first (`search.py`) and skips undamaged text (`undamaged.py`). If two readings with
different values cost the same, the text is refused (`read.py`).
"""
