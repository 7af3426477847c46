"""The page of the notations of tool calls is made of their table."""

from benchmarks.tool_call_notations import page
from tests.paths import ROOT


def test_page_of_the_notations_is_what_the_command_prints() -> None:
    assert (ROOT / "docs/reference/tool-call-notations.md").read_text("utf-8") == page()
