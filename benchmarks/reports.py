"""Reports with quoted words on every line, some at the edge of a string, alone and with everything else at once.

python -m benchmarks.reports [--sizes 6 20 50 200 2000]

Times are the least of several, in processor time, beside `model_validate_json` of the clean text.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.conditions import Case, several_wrapped
from benchmarks.documents import KB, Document, Report, build, clean_text
from benchmarks.writing import Damage, retouch, write
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output

SIZES = (6, 20, 50, 200, 2000)
"""KB of the clean text."""
REPEATS = 5
_UNESCAPED = Damage("string", lambda token: token.text.replace('\\"', '"'), lambda token: '"' in token.value)
_UNESCAPED_LINES = replace(
    _UNESCAPED,
    write=lambda token: token.text.replace('\\"', '"').replace("\\n", "\n"),
    applies=lambda token: '"' in token.value or "\n" in token.value,
)
_TRAILING_COMMA = Damage("end", lambda _: ",")


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each size and condition; 1 where one is not read right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reports")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="KB of the clean text")
    sizes = parser.parse_args(arguments).sizes
    wrong = 0
    for size in sizes:
        document = build(size * KB)
        clean = clean_text(document).encode()
        least = _least(partial(Report.model_validate_json, clean))
        for name, make in (("quoted words", quoted_words), ("everything at once", everything)):
            text, expected = make(document)
            verdict = _verdict(text, expected)
            wrong += verdict != "right"
            seconds = _least(partial(_read, text))
            print(f"{size:5} KB  {name:18}  {verdict:8}  {seconds * 1_000:8.1f} ms  {seconds / least:6.1f} x")
    return int(wrong > 0)


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


def _verdict(text: str, expected: Document | str) -> str:
    report = _read(text)
    if report is None:
        return "refused"
    return "right" if report == Report.model_validate(expected) else "wrong"


def _least(run: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
