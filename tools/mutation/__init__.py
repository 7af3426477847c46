"""Mutation testing of the code that reads and repairs: does a test fail when the code or an expression is changed.

`code` changes the code, `expressions` the regular expressions, `sample` picks some of both, and `run` runs the tests on
each. `python -m tools.mutation` is the command.
"""
