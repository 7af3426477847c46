"""The nearest reading of a damaged value: every reading is followed, and the one that costs least counts.

A repair has competitors: a quote may end a string or belong to its text, a bracket may stand one place earlier. So no
rule decides by itself. Each says what a reading may do at a place and what that costs (`rules.py`); the search follows
the cheapest reading first (`search.py`), passes over what is undamaged (`undamaged.py`), and where two readings with
different values cost the same, nobody knows which was meant (`read.py`).
"""
