"""Nine agents that decide on a stock: an application of the parser and of the agents' contexts.

It is not part of a wheel: `python -m examples.committee` runs it from a checkout.
"""
