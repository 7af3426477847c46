"""Answers that are not JSON: a module a notation, each with one function `read`.

Every one reads a part of a text that is the answer and nothing else, for the fields of a type, and returns data as JSON
has them. None looks for the answer, and none guesses: what has no reading, or two, is a `NotationError`.
"""
