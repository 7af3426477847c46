"""The page on the visual RAG agent names the settings and the errors there are."""

from examples.visual_rag.__main__ import EXAMPLES
from examples.visual_rag.visual_rag_settings import PREFIX, VisualRagSettings
from src.modules.visual_rag.domain import exceptions
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.parsed_action import ProblemKind
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/how-to/run-the-visual-rag-agent.md"]


def shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, float):
        return f"{default:g}"
    return "empty" if default is None else str(default)


def test_every_setting_is_described_with_its_default() -> None:
    described = {name_in(row[0]): row[1].strip("`") for row in rows(PAGE, "variable")}
    fields = VisualRagSettings.model_fields
    assert described == {PREFIX + name.upper(): shown(field.default) for name, field in fields.items()}


def test_every_failure_of_an_action_is_described() -> None:
    kinds = [kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, ActionError)]
    codes = {kind.default_code for kind in kinds if kind is not ActionError}
    assert {name_in(row[0]) for row in rows(PAGE, "code")} == codes


def test_every_problem_of_a_turn_without_an_action_is_described() -> None:
    assert [name_in(row[0]) for row in rows(PAGE, "problem")] == [kind.value for kind in ProblemKind]


def test_example_is_the_command_that_is_tested() -> None:
    assert f"{EXAMPLES[0]}\n" in [block.code for block in PAGE.blocks]
