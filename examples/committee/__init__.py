"""A committee of the nine agents that decides on a stock: an application of the parser and of the agents' contexts.

It makes dossiers from sources of market data, lets the agents sit, checks the plan's prices, and writes reports. It is
not part of a wheel: `python -m examples.committee` runs it from a checkout.
"""
