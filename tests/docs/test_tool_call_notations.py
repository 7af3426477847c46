"""The page of the notations of tool calls is made of their table."""

from tests.paths import ROOT
from tools.benchmarks.tool_call_notations import page


def test_page_of_the_notations_is_what_the_command_prints() -> None:
    assert (ROOT / "docs/reference/tool-call-notations.md").read_text("utf-8") == page()
