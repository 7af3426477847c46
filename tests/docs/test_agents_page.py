"""The table of agents names those there are."""

import importlib

from tests.docs.markdown import ROOT
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/reference/agents.md"]


def test_agents_of_the_table_are_those_there_are() -> None:
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
    assert described == parsers
