"""A slow reader that tries everything: which readings of a small damaged text are the nearest ones?

`grammar` says what may be written and at which price, `readings` follows all of it, `rules` says which documented rules
know more than prices do, and `checking` compares the parser with all that. `python -m tests.reference_reader` counts.
"""
