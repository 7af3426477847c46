"""What the parser of one tree makes of texts: a line of JSON for each line of a file.

Run as a program with that tree on the path (`attack.compare` does so), so it imports nothing of this tree.
A line of the file has `text`, and may have `finished` and `pieces`: then the text is streamed in pieces of so many
characters.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

LONGEST = 30
"""Seconds for a text; one that takes longer counts as a crash."""


def main(file: str) -> None:
    """Read the texts of a file and print what came of each."""
    import structlog  # noqa: PLC0415 - only where texts are read

    logging.disable()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123 - a path from the command line
        for line in lines:
            row = json.loads(line)
            read = _streamed if "pieces" in row else _read
            try:
                with _limited():
                    outcome = read(row)
            except Exception as error:  # noqa: BLE001 - a crash is an outcome to be told
                outcome = {"crashed": f"{type(error).__name__}: {error}"}
            sys.stdout.write(json.dumps(outcome) + "\n")


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(LONGEST)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _read(row: dict[str, Any]) -> dict[str, Any]:
    from src.shared.domain.exceptions import LLMJsonParseError  # noqa: PLC0415 - the tree's own, not this one's
    from src.shared.infrastructure.llm_json import decode_llm_json  # noqa: PLC0415 - as above

    end = {"finished": row["finished"]} if "finished" in row else {}
    try:
        decoded = decode_llm_json(row["text"], **end)
    except LLMJsonParseError as error:
        return refusal(error.details)
    return {
        "value": decoded.data,
        "repairs": [[one.kind, one.offset, one.found, one.put] for one in decoded.repairs],
        "grade": decoded.grade,
    }


def refusal(details: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of an error of the parser."""
    return {
        "reason": f"{details.get('stage')}: {details.get('json_error')}",
        "place": details.get("position", {}).get("offset"),
        "truncated": details.get("truncated") is True,
    }


def _streamed(row: dict[str, Any]) -> dict[str, Any]:
    from src.shared.domain.exceptions import LLMJsonParseError  # noqa: PLC0415 - the tree's own, not this one's
    from src.shared.infrastructure.llm_stream import LLMJsonStream  # noqa: PLC0415 - as above

    stream: Any = LLMJsonStream(dict[str, Any])
    text, size = row["text"], row["pieces"]
    shown = []
    for start, end in pairwise([*range(0, len(text), size), len(text)]):
        snapshot = stream.feed(text[start:end])
        shown.append(json.dumps([snapshot.data, sorted(snapshot.complete), snapshot.state]))
    try:
        end_of_stream = stream.close(row.get("finished"))
    except LLMJsonParseError as error:
        end_of_stream = refusal(error.details)
    return {"shown": [json.loads(one) for one in shown], "end": end_of_stream}


if __name__ == "__main__":
    main(sys.argv[1])
