"""`--dto package.module:Class`: somebody's own model, and every way of naming it wrongly."""

from pathlib import Path

import pytest

from src.entrypoints.cli.contract import load_dto
from src.entrypoints.cli.guard import CommandError
from src.shared.domain.answer_type import name_of
from tests.entrypoints.cli.harness import invoke

MODELS = """
from pydantic import BaseModel, TypeAdapter

class Order(BaseModel):
    id: int
    class Line(BaseModel):
        sku: str

OrderList = list[Order]
EITHER = TypeAdapter(Order | OrderList)

class Plain: ...
number = 3
"""


def _refusal(name: str) -> str:
    with pytest.raises(CommandError) as caught:
        load_dto(name)
    return caught.value.message


@pytest.fixture
def shop(folder: Path) -> Path:
    (folder / "shop").mkdir()
    (folder / "shop/__init__.py").touch()
    (folder / "shop/models.py").write_text(MODELS)
    return folder / "shop"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("Order", "Order"),
        ("Order.Line", "Line"),
        ("OrderList", "list[Order]"),
        ("EITHER", "Order | list[Order]"),
    ],
)
def test_a_model_an_alias_of_a_type_and_an_adapter_are_found_in_the_current_directory(name: str, read: str) -> None:
    assert name_of(load_dto(f"shop.models:{name}")) == read


def test_a_type_whose_json_is_a_scalar_is_refused_with_what_to_pass() -> None:
    assert "pass a model, a dataclass" in _refusal("builtins:int")


@pytest.mark.parametrize("name", ["shop.models", "shop.models:", ":Order", "", "shop models:Order", ".shop:Order"])
def test_a_name_of_another_form_is_refused_with_an_example(name: str) -> None:
    assert _refusal(name) == f"--dto {name!r} is not of the form package.module:Class, for example shop.models:Order"


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.models:Order", "there is no module nowhere in the current directory or among the installed packages"),
        (
            "shop.nowhere:Order",
            "there is no module shop.nowhere in the current directory or among the installed packages",
        ),
        ("shop.models:Oder", "the module shop.models has no Oder; did you mean Order?"),
        ("shop.models:Order.Nope", "the module shop.models has no Order.Nope; did you mean Order?"),
        ("shop:Order", "the module shop has no Order; it defines no Pydantic model"),
        ("shop.models:Plain", "--dto shop.models:Plain: Plain is not a type that Pydantic reads"),
        ("shop.models:BaseModel", "--dto shop.models:BaseModel: BaseModel is not a type that Pydantic reads"),
        ("shop.models:number", "--dto shop.models:number: 3 is not a type that Pydantic reads"),
        ("json:loads", "--dto json:loads: the function loads is not a type that Pydantic reads"),
        ("json:decoder", "--dto json:decoder: the module json.decoder is not a type that Pydantic reads"),
        ("shop.models:Order_list", "the module shop.models has no Order_list; did you mean OrderList?"),
    ],
)
def test_what_cannot_be_found_is_named(name: str, message: str) -> None:
    assert _refusal(name) == message


@pytest.mark.usefixtures("shop")
def test_a_file_name_for_a_module_is_put_right() -> None:
    assert _refusal("shop.models.py:Order").endswith("; name the module without .py: shop.models")


def test_a_project_whose_package_is_called_as_ours_is_told_how_to_name_it() -> None:
    assert _refusal("src.orders:Order").endswith("go into ./src and leave it out of the name")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero ("),
        ("raise SystemExit(3)", "SystemExit: 3 ("),
        ("def f(:", "SyntaxError: invalid syntax (broken.py, line 1)"),
        ("import no_such_thing", "it needs the module no_such_thing, which is not installed here"),
        ("from shop import nothing", "it needs the module shop, which is not installed here"),
    ],
)
def test_a_module_that_fails_to_import_is_told_in_one_line(folder: Path, source: str, said: str) -> None:
    (folder / "broken.py").write_text(source)

    ended = invoke("parse", "--dto", "broken:Order", text="{}")

    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert f"importing broken failed: {said}" in ended.stderr
