"""`help()` of a public function says what comes back, and shows it."""

import doctest
import inspect
from types import FunctionType

import pytest
from structlog.testing import capture_logs

import llm_output

FUNCTIONS = [one for one in (getattr(llm_output, name) for name in llm_output.__all__) if isinstance(one, FunctionType)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_help_has_returns_and_an_example_that_holds(function: FunctionType) -> None:
    shown = inspect.getdoc(function) or ""
    assert shown.index("Returns:\n") < shown.index("Example:\n")
    example = doctest.DocTestParser().get_doctest(shown, {function.__name__: function}, function.__name__, None, None)
    assert example.examples
    said: list[str] = []
    with capture_logs():  # structlog prints what nobody listens to
        doctest.DocTestRunner().run(example, out=said.append)
    assert said == []
