"""`llm-output new-agent`: what it writes passes every check that agents pass, and nothing that is there is touched."""

import tempfile
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.commands.new_agent import MOST_CHARACTERS, TARGETS, NewAgent
from tests.checkout import check_in, copy_checkout, run_in
from tests.entrypoints.cli.harness import Ended, invoke
from tests.paths import ROOT
from tests.thorough import THOROUGH

NEW = (
    ("research", "made_by_a_test", "试写专家"),
    ("debate", "q1", "试写调解员"),
    ("judge", "x" * (MOST_CHARACTERS - 2) + "_y", "L" * MOST_CHARACTERS),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, with one new agent in each context."""
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    for context, name, label in NEW:
        ended = invoke("new-agent", name, "--context", context, "--label", label, "--root", str(folder))
        assert ended.code == 0, ended.stderr
        assert sorted(ended.stdout.splitlines()) == sorted(NewAgent(name, context, label).files())
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_only_files_of_the_agents_are_new_and_none_is_changed(checkout: Path) -> None:
    written = {path for context, name, label in NEW for path in NewAgent(name, context, label).files()}
    after = {f"{part}/{name}": data for part in ("src", "tests") for name, data in files_of(checkout / part).items()}

    assert {name for name in after if not (ROOT / name).is_file()} == written
    assert [name for name, data in after.items() if name not in written and data != (ROOT / name).read_bytes()] == []


def test_what_is_written_keeps_every_rule_of_the_linter(checkout: Path) -> None:
    for command in (("check",), ("format", "--check")):
        ended = run_in(checkout, "-m", "ruff", *command, "--no-cache", "src", "tests/modules")
        assert ended.returncode == 0, ended.stdout


@pytest.mark.skipif(not THOROUGH, reason="make thorough runs it; tests/docs/test_add_an_agent.py does it for one agent")
def test_the_agents_pass_their_own_tests_those_of_all_agents_and_those_that_count_or_list_agents(
    checkout: Path,
) -> None:
    names = " or ".join(name for _, name, _ in NEW)
    own = [f"tests/modules/{context}/test_{name}.py" for context, name, _ in NEW]
    every = ["every_agent", "every_field", "described_types", "agents_ask"]

    listing = ["entrypoints/cli/test_agents.py", "entrypoints/cli/test_demo.py", "docs/test_agents_page.py"]
    modules = [*(f"tests/modules/test_{test}.py" for test in every), *(f"tests/{test}" for test in listing)]
    committee = "examples/committee/tests/test_committee.py"

    chosen = f"{names} or entrypoints or docs or committee"
    check_in(checkout, *own, *modules, committee, "-k", chosen)


def refused(*arguments: str) -> Ended:
    """Run the command, which must refuse in one line, and write nothing into the checkout."""
    before = {path for part in ("src", "tests") for path in (ROOT / part).rglob("*")}
    ended = invoke("new-agent", *arguments, "--root", str(ROOT))
    after = {path for part in ("src", "tests") for path in (ROOT / part).rglob("*")}

    assert (ended.code, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert {path for path in after - before if "__pycache__" not in path.parts} == set()
    return ended


@pytest.mark.parametrize("name", ["Sentiment", "sentiment-analyst", "2nd", "_x", "x__y", "x_", "", "舆情", "class"])
def test_a_name_that_is_not_snake_case_is_refused(name: str) -> None:
    assert f"{name!r} is no name of an agent: snake_case" in refused(name, "--context", "research").stderr


def test_a_name_longer_than_the_bound_is_refused() -> None:
    assert "a name has at most 24" in refused("x" * (MOST_CHARACTERS + 1), "--context", "judge").stderr


@pytest.mark.parametrize("context", ["visual_rag", "", "Research"])
def test_a_context_without_agents_is_refused(context: str) -> None:
    ended = refused("made_by_a_test", "--context", context)

    assert f"there is no context {context!r} for agents; the contexts are: research, debate, judge" in ended.stderr


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_that_is_there_is_refused_in_every_context(name: str) -> None:
    assert "is there already; nothing was written" in refused(name, "--context", "debate").stderr


@pytest.mark.parametrize(("name", "context"), [("prompted_expert", "research"), ("expert", "research")])
def test_a_name_whose_module_or_file_is_there_is_refused(name: str, context: str) -> None:
    assert "is there already; nothing was written" in refused(name, "--context", context).stderr


@pytest.mark.parametrize("label", ["", " ", "a  b", 'a"b', "a|b", "a\nb", "x" * (MOST_CHARACTERS + 1)])
def test_a_label_that_would_break_a_file_or_a_table_is_refused(label: str) -> None:
    assert "is no label" in refused("made_by_a_test", "--context", "research", "--label", label).stderr


def test_a_label_that_an_agent_has_is_refused() -> None:
    ended = refused("made_by_a_test", "--context", "research", "--label", "裁决")

    assert "there is an agent with the label 裁决 already" in ended.stderr


def test_without_a_label_the_title_is_the_name_in_words() -> None:
    assert NewAgent.checked("made_by_a_test", "research", None).label == "Made by a test"


def test_a_folder_that_is_no_checkout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is in this checkout
        named = invoke("new-agent", "x", "--context", "judge", "--root", folder)
        with monkeypatch.context() as there:
            there.chdir(folder)
            here = invoke("new-agent", "x", "--context", "judge")
        assert list(Path(folder).iterdir()) == []

    assert (named.code, here.code) == (2, 2)
    assert f"{folder} is no checkout of this project" in named.stderr
    assert "the current folder is in no checkout of this project; name one with --root DIR" in here.stderr


def test_every_template_is_of_a_file_that_is_written() -> None:
    templates = ROOT / "src/entrypoints/cli/templates/agent"

    assert {path.name.removesuffix(".template") for path in templates.rglob("*.template")} == set(TARGETS)
