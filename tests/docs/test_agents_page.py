"""The table of agents describes them as they are."""

import importlib

from tests.docs.markdown import ROOT
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/reference/agents.md"]


def test_agents_of_the_table_are_as_it_says() -> None:
    """Those that came first; `llm-output agents` lists all, so that one more needs no row here."""
    parsers = {}
    for path in ROOT.glob("src/modules/*/infrastructure/agents/*/output_parser.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = importlib.import_module(".".join(parts))
        functions = {name for name in vars(module) if name.startswith("parse_")}
        parsers[parts[2], parts[5]] = (module.OUTPUT.label, functions)
    described = {
        (context, name_in(agent)): (label, {name_in(function)})
        for context, agent, label, function in rows(PAGE, "context")
    }
    assert described.items() <= parsers.items()
    assert {context for context, _ in described} == {context for context, _ in parsers}
