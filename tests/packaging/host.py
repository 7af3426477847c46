"""A code base with a package `src` of its own, and what has to work in it where the wheel is installed."""

from collections.abc import Iterable
from pathlib import Path

import llm_output
from tests.packaging.wheels import run

HOST = {
    "src/prices.py": """\
import json

from pydantic import BaseModel

CURRENCY = "EUR"


class Price(BaseModel):
    ok: bool


def parse(raw):
    return json.loads(raw)
""",
    "tests/__init__.py": "",
    "tests/test_prices.py": """\
import unittest

import llm_output
from src.prices import CURRENCY


class PricesTest(unittest.TestCase):
    def test_currency(self):
        self.assertEqual(CURRENCY, "EUR")

    def test_price(self):
        price = llm_output.parse_llm_json_output("<think>hm</think>Here: {'amount': 4.5,}", dict[str, float])
        self.assertEqual(price, {"amount": 4.5})
""",
}

NAMES = """\
import importlib.util

import {package} as names
from {package} import *

print(len(names.__all__), [name for name in names.__all__ if globals()[name] is not getattr(names, name)])
call = '<tool_call>{{"name": "f", "arguments": {{"n": "85%"}}}}</tool_call>'
print(read_tool_calls(call, {{"f": dict[str, Percent]}})[0].arguments, finish_reason_of("end_turn").finished)
print(LLMJsonStream(dict[str, int]).feed('{{"a": 1}}').value)
try:
    parse_llm_json_output("I cannot say.", dict[str, int])
except LLMJsonParseError as error:
    print(error.details["stage"], error.message.isascii(), error.message.isprintable())
"""
"""Uses every public name, and some of them."""
NAMES_PRINT = "{count} []\n{{'n': 0.85}} True\n{{'a': 1}}\nextract False True\n"

OURS_AND_THEIRS = """\
import importlib, os, sys

top = os.path.realpath(os.getcwd())
modules = {modules}
for name in modules:
    module = importlib.import_module("llm_output." + name)
    missing = [each for each in module.__all__ if not hasattr(module, each)]
    assert not missing, (name, missing)
import src.prices
ours = [name for name, module in sys.modules.items() if name.partition(".")[0] == "src"]
assert ours == ["src", "src.prices"], ours
assert os.path.realpath(src.prices.__file__).startswith(top), src.prices.__file__
import llm_output
assert not os.path.realpath(llm_output.__file__).startswith(top), llm_output.__file__
"""
"""Imports modules of ours, with all of their names, and then `src`, which is the host's."""

COMMANDS = """\
import contextlib, io, json, runpy, sys
from pathlib import Path


def run(*arguments):
    shown = io.StringIO()
    sys.argv = ["llm-output", *arguments]
    with contextlib.redirect_stdout(shown):
        try:
            runpy.run_module("llm_output", run_name="__main__")
        except SystemExit as end:
            assert not end.code, (arguments, end.code, shown.getvalue())
    return shown.getvalue()


Path("answer.txt").write_text("{'ok': True,}")
assert json.loads(run("parse", "answer.txt", "--dto", "src.prices:Price")) == {"ok": True}
assert "all as recorded" in run("demo")
Path("answers.jsonl").write_text(json.dumps({"id": "1", "text": "{'ok': True,}"}) + "\\n")
run("batch", "answers.jsonl", "--out", "read", "--workers", "2", "--against", "src.prices:parse")
assert json.loads(Path("read/parsed.jsonl").read_text())["data"] == {"ok": True}
assert json.loads(Path("read/compared.jsonl").read_text())["agreement"] == "only_new"
run("vendor", ".", "--package", "src.copied")
"""
"""Our smoke where the command line is installed: it reads recordings, starts processes, and copies the parser."""
SERVICE = """\
import json, subprocess, sys, threading, urllib.request

command = [sys.executable, "-m", "llm_output", "serve", "--port", "0", "--store", "sqlite:///outcomes.db"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as service:
    watch = threading.Timer(60, service.kill)
    watch.start()
    try:
        line = service.stdout.readline()
        address = next((word for word in line.split() if word.startswith("http://")), None)
        assert address, (line, service.kill() or service.stderr.read())
        threading.Thread(target=service.stderr.read, daemon=True).start()
        address = address.rstrip("/.,")
        body = json.dumps({"text": "{'item': 'tea',}"}).encode()
        asked = urllib.request.Request(f"{address}/v1/parse", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=30) as answer:
            assert json.load(answer)["data"] == {"item": "tea"}
        for path in ("/readyz", "/", "/v1/rates", "/v1/agents"):
            with urllib.request.urlopen(address + path, timeout=30) as answer:
                assert answer.status == 200, path
    finally:
        service.terminate()
        service.wait(30)
        watch.cancel()
"""
"""The service with its page, its processes that read, and a new store, which migrations make."""

MODULES_OF = {
    "cli": ("__main__",),
    "fastapi": ("fastapi",),
    "instructor": ("instructor",),
    "langchain": ("langchain",),
    "llama-index": ("llama_index",),
    "llm": ("asking",),
    "openai": ("openai_sdk",),
    "otel": ("otel",),
    "pydantic-ai": ("pydantic_ai",),
    "serve": ("store",),
}
"""What an extra adds to `llm_output`."""
OF_THE_PARSER = ("agents", "events", "visual_rag")
"""What needs no extra."""
IMPLIED = {
    "bulk": ("json-schema",),
    "postgres": ("serve", "cli", "json-schema"),
    "providers": ("llm", "pydantic-ai"),
    "ray": ("bulk", "json-schema"),
    "serve": ("cli", "json-schema"),
}
"""Whose modules work too where an extra is installed."""


def write_host(folder: Path, *, is_package: bool) -> Path:
    """Write the code base; `src` has an `__init__.py`, or it has none."""
    for name, text in (HOST | ({"src/__init__.py": ""} if is_package else {})).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def with_implied(extras: Iterable[str]) -> set[str]:
    """The extras, and those that come with them."""
    named = set(extras)
    return named | {implied for extra in named for implied in IMPLIED.get(extra, ())}


def modules_of(extras: Iterable[str]) -> list[str]:
    """The modules that can be imported where these extras are installed."""
    added = [module for extra in with_implied(extras) for module in MODULES_OF.get(extra, ())]
    return sorted({*OF_THE_PARSER, *added})


def check(python: str, folder: Path, extras: Iterable[str], *, is_package: bool) -> None:
    """Try all that has to work in the code base, with a Python of which these extras are installed."""
    write_host(folder, is_package=is_package)
    count = len(llm_output.__all__)
    assert run(python, "-c", NAMES.format(package="llm_output"), folder=folder) == NAMES_PRINT.format(count=count)
    run(python, "-c", OURS_AND_THEIRS.format(modules=modules_of(extras)), folder=folder)
    if "cli" in with_implied(extras):
        run(python, "-c", COMMANDS, folder=folder)
        copied = NAMES.format(package="src.copied")
        assert run(python, "-c", copied, folder=folder) == NAMES_PRINT.format(count=count)
    if "serve" in with_implied(extras):
        run(python, "-c", SERVICE, folder=folder)
    run(python, "-m", "unittest", folder=folder)
