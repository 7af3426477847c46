"""Loads a type of the user's, named on the command line as `package.module:Name`: a model, or `Items = list[Item]`."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import sys
import traceback
from types import ModuleType
from typing import Any, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.answer_type import AnswerType, adapter_of, name_of

_OWN_PACKAGE = __name__.partition(".")[0]


def load_dto(name: str) -> AnswerType[Any]:
    """Import the type; the current directory can be imported from.

    Raises:
        CommandError: what is wrong with the name, the module or the type.
    """
    module_name, colon, class_name = name.partition(":")
    if not colon or not class_name or not all(part.isidentifier() for part in module_name.split(".")):
        message = spoken(
            f"--dto {name!r} 的写法应为 package.module:Class，例如 shop.models:Order",
            f"--dto {name!r} is not of the form package.module:Class, for example shop.models:Order",
        )
        raise CommandError(message)
    found: Any = _attribute(_module(module_name), class_name)
    try:
        adapter_of(found)
    except TypeError as error:
        message = f"--dto {name}: {error}"
        raise CommandError(message) from error
    except PydanticUserError as error:
        why = error.message.splitlines()[0]
        message = spoken(f"DTO {name_of(found)} 无法使用：{why}", f"the DTO {name_of(found)} cannot be used: {why}")
        raise CommandError(message) from error
    dto_type: AnswerType[Any] = found
    return dto_type


def _module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current directory, as `python -m` has it
    try:
        with contextlib.redirect_stdout(sys.stderr):  # a module may print; stdout is the result's
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise CommandError(_not_found(name, error.name or "")) from error
    except (Exception, SystemExit) as error:  # an error of the user's module becomes one line, not a traceback of ours
        why = f"{type(error).__name__}: {error}{_place(error)}"
        message = spoken(f"导入 {name} 失败：{why}", f"importing {name} failed: {why}")
        raise CommandError(message) from error


def _not_found(name: str, missing: str) -> str:
    if not f"{name}.".startswith(f"{missing}."):
        return spoken(
            f"导入 {name} 失败：它需要的模块 {missing} 未安装",
            f"importing {name} failed: it needs the module {missing}, which is not installed here",
        )
    hint = ""
    if name.endswith(".py"):
        module = name.removesuffix(".py")
        hint = spoken(f"；模块名不带 .py：{module}", f"; name the module without .py: {module}")
    elif name.partition(".")[0] == _OWN_PACKAGE:
        hint = spoken(
            f"；{_OWN_PACKAGE} 是 llm-output 自己的包：请进入 ./{_OWN_PACKAGE}，并从名称中去掉它",
            f"; {_OWN_PACKAGE} is llm-output's own package: go into ./{_OWN_PACKAGE} and leave it out of the name",
        )
    return spoken(
        f"当前目录和已安装的软件包中都没有模块 {missing}{hint}",
        f"there is no module {missing} in the current directory or among the installed packages{hint}",
    )


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return ""  # its message names the place
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    file, line = frames[-1].filename, frames[-1].lineno
    return spoken(f"（{file}，第 {line} 行）", f" ({file}, line {line})")


def _attribute(module: ModuleType, path: str) -> object:
    found: object = module
    for part in path.split("."):  # Outer.Inner is a class too
        if not hasattr(found, part):
            models = [key for key, value in vars(module).items() if _is_type(value)]
            near = difflib.get_close_matches(path, models, n=1) or models[:1]
            hint = (
                spoken(f"；是否应为 {near[0]}？", f"; did you mean {near[0]}?")
                if near
                else spoken("；其中没有 Pydantic 模型", "; it defines no Pydantic model")
            )
            message = spoken(
                f"模块 {module.__name__} 中没有 {path}{hint}", f"the module {module.__name__} has no {path}{hint}"
            )
            raise CommandError(message)
        found = getattr(found, part)
    return found


def _is_type(value: object) -> bool:
    """Whether a value is likely to be the one that was meant."""
    is_model = inspect.isclass(value) and issubclass(value, BaseModel) and value is not BaseModel
    return is_model or isinstance(value, TypeAdapter) or get_origin(value) is not None
