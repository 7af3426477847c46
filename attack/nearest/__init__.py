"""The nearest reading of a damaged text: every reading is followed, and the one that costs least counts.

What the parser's own reader does by taking the first reading that fits, with tests for the cases in which another one
would, this does by following all of them side by side. `python -m attack damage --reader nearest` measures it with the
same texts. It is meant to take that reader's place, once it is as fast and is held to the parser's own tests.
"""
