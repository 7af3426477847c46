"""What the parser takes for a text, and what importing it costs."""

import subprocess
import sys

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import refusal_of, value_of


def test_lone_surrogate_in_a_string_is_kept() -> None:
    assert value_of('{"a": "\\ud800"}') == value_of('{"a": "\ud800"}') == {"a": "\ud800"}


def test_none_is_empty() -> None:
    assert refusal_of(None).details == {"stage": "empty", "raw_length": 0, "json_error": "empty"}


@pytest.mark.parametrize(
    ("raw", "name"), [(b'{"a": 1}', "bytes"), (1, "int"), ([], "list"), ({"a": 1}, "dict"), (bytearray(), "bytearray")]
)
def test_what_is_no_text_is_a_programming_error_that_names_its_type(raw: object, name: str) -> None:
    with pytest.raises(TypeError, match=f"str or None, not {name}"):
        decode_llm_json(raw)  # type: ignore[call-overload]


def test_root_of_another_name_is_a_mistake_of_the_programs() -> None:
    with pytest.raises(ValueError, match="one of object, array, any, not 'list'"):
        decode_llm_json("[1]", root="list")  # type: ignore[call-overload]


def test_importing_the_parser_imports_no_client_and_no_command_line() -> None:
    code = "import sys, src.shared.infrastructure.llm_json; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    assert roots & {"typer", "rich", "click", "openai", "httpx", "opentelemetry", "stamina"} == set()
