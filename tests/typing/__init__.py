"""What type checkers infer: `mypy` fails where an assertion here does not hold."""
