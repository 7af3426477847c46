from importlib import import_module

import pytest

from src.shared.infrastructure.extras import needs_package


def test_a_missing_package_is_told_with_the_command_that_installs_it() -> None:
    with (
        pytest.raises(
            ModuleNotFoundError, match=r'no_such_package is missing; run pip install ".+\[langchain\]"'
        ) as told,
        needs_package("langchain"),
    ):
        import_module("no_such_package")

    assert told.value.name == "no_such_package"


def test_what_is_installed_is_imported() -> None:
    with needs_package("langchain"):
        imported = import_module("json")

    assert imported.loads("1") == 1
