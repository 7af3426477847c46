"""Reports with quoted words on every line, some at the edge of a string, alone and with everything else at once.

python -m tools.benchmarks.reports [--sizes 6 20 50 200 2000] [--all]

`--all` reads them in all the conditions of the benchmark as well. Times are the least of several, in processor time,
beside `model_validate_json` of the clean text, and beside json_repair where it is installed
(`.cache/bench/bin/python`; with its verdict); `growth` is the time of a character as a multiple of that in the size
before. Exit code 1 where one is not read right.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module

from pydantic import ValidationError

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from tools.benchmarks.conditions import REFUSE, Case, conditions, several_wrapped
from tools.benchmarks.documents import KB, Document, Report, build, clean_text
from tools.benchmarks.writing import Damage, retouch, write

SIZES = (6, 20, 50, 200, 2000)
"""KB of the clean text."""
REPEATS = 5
_ENOUGH = 2.0
"""Seconds after which a text is not read once more."""
_UNESCAPED = Damage("string", lambda token: token.text.replace('\\"', '"'), lambda token: '"' in token.value)
_UNESCAPED_LINES = replace(
    _UNESCAPED,
    write=lambda token: token.text.replace('\\"', '"').replace("\\n", "\n"),
    applies=lambda token: '"' in token.value or "\n" in token.value,
)
_TRAILING_COMMA = Damage("end", lambda _: ",")


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each size and condition; 1 where one is not read right."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.reports")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="KB of the clean text")
    parser.add_argument("--all", action="store_true", help="all conditions")
    options = parser.parse_args(arguments)
    peer = json_repair()
    makers = dict(_MAKERS)
    if options.all:
        makers |= {one.name: one.make for one in conditions() if one.make(build(KB))[1] != REFUSE}
    wrong = 0
    rates: dict[str, float] = {}
    for size in options.sizes:
        document = build(size * KB)
        least = _least(partial(Report.model_validate_json, clean_text(document).encode()))
        for name, make in makers.items():
            text, expected = make(document)
            verdict = _verdict(_read(text), expected)
            wrong += verdict != "right"
            seconds = _least(partial(_read, text))
            growth = seconds / len(text) / rates.get(name, seconds / len(text))
            rates[name] = seconds / len(text)
            line = f"{size:5} KB  {name:36}  {verdict:8}  {seconds * 1_000:8.1f} ms  {seconds / least:6.1f} x"
            print(f"{line}  growth {growth:4.2f}{_beside(peer, text, expected, seconds)}", flush=True)
    return int(wrong > 0)


def json_repair() -> Callable[[str], object] | None:
    """What reads a text with json_repair, or gives None where that gives up; None where it is not installed."""
    try:
        loads: Callable[[str], object] = import_module("json_repair").loads
    except ImportError:
        return None

    def read(text: str) -> object:
        with suppress(Exception):
            return loads(text)
        return None

    return read


def _beside(peer: Callable[[str], object] | None, text: str, expected: Document | str, seconds: float) -> str:
    """Our time as a multiple of json_repair's, and what it makes of the text; nothing where it is not installed."""
    if peer is None:
        return ""
    report: Report | None = None
    with suppress(ValidationError):
        report = Report.model_validate(peer(text))
    return f"  {seconds / _least(partial(peer, text)):6.2f} x json_repair, {_verdict(report, expected)}"


def quoted_words(document: Document) -> Case:
    """Quoted words in every sentence that are not escaped: at its beginning, its end, before its stops and commas."""
    quoting = retouch(document, _quote, None)
    return write(quoting, (_UNESCAPED,)), quoting


def everything(document: Document) -> Case:
    """The same with raw line ends, trailing commas, a draft in reasoning, a fence and prose."""
    quoting = retouch(retouch(document, _quote, None), _break, None)
    return several_wrapped(document, write(quoting, (_UNESCAPED_LINES, _TRAILING_COMMA))), quoting


def _quote(text: str, number: int) -> str:
    is_chinese = text[0] > "\x7f"
    word, stop = ('"护城河"', "。") if is_chinese else ('"opportunistic"', ".")
    sentence = text.rstrip("。.")
    middle = 10 if is_chinese else text.find(" ") + 1
    forms = (
        f"{sentence}称为{word}" if is_chinese else f"{sentence} calls it {word}",
        f"{sentence}；{word}，好" if is_chinese else f"{sentence}, {word}, ok",
        f"{sentence}{word}{stop}" if is_chinese else f"{sentence} {word}{stop}",
        word + text,
        f"{text[:middle]}{word}，{text[middle:]}" if is_chinese else f"{text[:middle]}{word}, {text[middle:]}",
    )
    return forms[number % len(forms)]


def _break(text: str, _number: int) -> str:
    middle = len(text) // 2
    return f"{text[:middle]}\n{text[middle:]}"


def _read(text: str) -> Report | None:
    try:
        return parse_llm_json_output(text, Report)
    except LLMJsonParseError:
        return None


def _verdict(report: Report | None, expected: Document | str) -> str:
    if report is None:
        return "refused"
    return "right" if report == Report.model_validate(expected) else "wrong"


_MAKERS: dict[str, Callable[[Document], Case]] = {"quoted words": quoted_words, "everything at once": everything}


def _least(run: Callable[[], object]) -> float:
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < _ENOUGH:
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
