"""The page on the visual RAG agent names the errors there are, and shows commands that are tested."""

from examples.visual_rag.__main__ import EXAMPLES
from src.modules.visual_rag.domain.exceptions import FailureCode
from src.modules.visual_rag.domain.parsed_action import ProblemKind
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/how-to/run-the-visual-rag-agent.md"]


def test_every_failure_of_an_action_is_described() -> None:
    assert [name_in(row[0]) for row in rows(PAGE, "code")] == list(FailureCode)


def test_every_problem_of_a_turn_without_an_action_is_described() -> None:
    assert [name_in(row[0]) for row in rows(PAGE, "problem")] == [kind.value for kind in ProblemKind]


def test_examples_are_the_commands_that_are_tested() -> None:
    assert {f"{command}\n" for command in EXAMPLES[:2]} <= {block.code for block in PAGE.blocks}
