"""The reference page and the help say what the code does."""

import pytest

from src.entrypoints.cli.app import examples
from tests.entrypoints.cli.harness import ROOT, invoke
from tests.entrypoints.cli.reference import reference

PAGE = ROOT / "docs/reference/cli.md"


def test_the_reference_page_is_what_the_code_generates() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python -m tests.entrypoints.cli.reference > " + str(
        PAGE
    )


@pytest.mark.parametrize("name", examples())
def test_every_commands_help_says_what_it_does_and_shows_its_examples(name: str) -> None:
    ended = invoke(*name.split(), "--help")

    assert (ended.code, ended.stderr) == (0, "")
    assert f"Usage: llm-output {name}" in ended.stdout.replace("root", "llm-output")
    for example in examples()[name]:
        assert example in ended.stdout


def test_the_help_lists_every_command_with_a_whole_sentence() -> None:
    ended = invoke("--help", columns=80)

    listed = ended.stdout[ended.stdout.index("Commands:") :].splitlines()[1:]
    assert [line.split()[0] for line in listed] == list(dict.fromkeys(name.split()[0] for name in examples()))
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


def test_no_command_at_all_shows_the_help_and_is_a_usage_error() -> None:
    ended = invoke()

    assert ended.code == 2
    assert "Commands:" in ended.stdout + ended.stderr


def test_every_example_names_a_command_and_options_that_exist() -> None:
    for name, lines in examples().items():
        for example in lines:
            words = example[example.index("llm-output") :].split()
            assert words[1:][: len(name.split())] == name.split()
            shown = invoke(*name.split(), "--help").stdout
            for option in (word for word in words if word.startswith("--")):
                assert option in shown
