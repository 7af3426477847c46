"""Two versions of the parser on the same texts: how their readings differ, by kind.

python -m tools.attack.compare OTHER [FILE ...] [--attack [N]] [--streams [N]] [--seed S ...] [--examples N]
    [--list KIND]

OTHER is a checkout of this repository at another commit (`git worktree add ../old COMMIT`): the old one, beside which
this one is new. A file has a JSON object with `id` and `text` on each line, and may be packed (.gz); without any it is
the corpus beside the project. `--attack` reads documents with one damage and with two instead, `--streams` streams such
texts; where files are named too, it reads all of it. Of texts whose value is known it is counted how many each version
reads right. `--list` prints all differences of one kind (`--list all`: of every kind), a line of JSON for each.
Exit code 1 if a value differs or a version crashes; whether a refusal is right is for the reader to judge.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from tests.processes import LIMIT, ending
from tests.streamed import not_in
from tools.attack import recorder
from tools.attack.budget import Budget
from tools.attack.damaged import Damaged, damaged_document
from tools.attack.outcome import Outcome, outcome
from tools.attack.reader import Accepted, Crashed, Reading, Refused
from tools.attack.tables import example, table
from tools.benchmarks.accuracy import CORPUS
from tools.benchmarks.labelled import is_asked_for

ROOT = Path(__file__).parents[2]
FILES = ("real_outputs.jsonl", "pool_30k.jsonl.gz")
ATTACKED, STREAMED = 20_000, 1_000
PIECE = 8
"""Characters of a piece of a stream."""
KINDS_OF_DIFFERENCE = (
    *("crash", "other value", "value to refusal", "refusal to value", "reason", "place", "truncated"),
    *("repairs", "grade", "stream shows otherwise", "stream shows less", "stream shows more"),
    *("stream is complete or ends otherwise", "same value", "same refusal", "same stream"),
)
_FATAL = {"crash", "other value", "stream shows otherwise"}
_SAME = frozenset(kind for kind in KINDS_OF_DIFFERENCE if kind.startswith("same"))
_SHOWN = 8
"""Ids and details printed for each kind of difference."""


class Case(NamedTuple):
    """A text that both trees read.

    Attributes:
        group: what it is counted under.
        name: its id.
        request: what the recorder is given.
        document: its value where that is known, else None.
        plain: values that it has as strict JSON.
    """

    group: str
    name: str
    request: dict[str, Any]
    document: Any = None
    plain: tuple[Any, ...] = ()


class Difference(NamedTuple):
    """A case, how its two readings differ, and the readings."""

    kind: str
    detail: str
    case: Case
    old: dict[str, Any]
    new: dict[str, Any]

    def line(self) -> str:
        """All of it as a line of JSON."""
        told = {"id": self.case.name, "kind": self.kind, "detail": self.detail, **self.case.request}
        known = {} if self.case.document is None else {"expected": self.case.document}
        return json.dumps({**told, **known, "old": self.old, "new": self.new}, ensure_ascii=False)


def main(arguments: list[str] | None = None) -> int:
    """Compare two trees; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack.compare")
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("files", type=Path, nargs="*", help="texts; without any, the corpus beside the project")
    parser.add_argument("--attack", type=int, nargs="?", const=ATTACKED, default=0, help="damaged texts, half with two")
    parser.add_argument("--streams", type=int, nargs="?", const=STREAMED, default=0, help="damaged texts in pieces")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of the damaged texts")
    parser.add_argument("--examples", type=int, default=2, help="shown of each kind, the shortest")
    parser.add_argument("--list", metavar="KIND", choices=["all", *KINDS_OF_DIFFERENCE], help="print all of a kind")
    options = parser.parse_args(arguments)
    made = options.attack or options.streams
    files = options.files or ([] if made else [CORPUS / name for name in FILES])
    if not all(file.is_file() for file in files) or not options.other.is_dir():
        parser.error("name a checkout, and files that are there")
    cases = [case for file in files for case in _corpus(file)]
    for seed in options.seed:
        cases += _attack(options.attack, seed)
        cases += _streams(options.streams, seed)
    differences = list(compare(options.other, cases))
    if options.list:
        wanted = set(KINDS_OF_DIFFERENCE) - _SAME if options.list == "all" else {options.list}
        print("\n".join(one.line() for one in differences if one.kind in wanted))
    else:
        print(report(differences, options.examples))
    return int(any(one.kind in _FATAL for one in differences))


def compare(other: Path, cases: list[Case]) -> Iterator[Difference]:
    """Read the texts with both trees, at once."""
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder, "requests.jsonl")
        requests.write_text("".join(json.dumps(case.request) + "\n" for case in cases), "utf-8")
        trees = {Path(folder, "old"): other, Path(folder, "new"): ROOT}
        limit = LIMIT + recorder.LONGEST * len(cases)
        with ExitStack() as running:
            started = [running.enter_context(ending(_start(tree, requests, file))) for file, tree in trees.items()]
            for process in started:
                if process.wait(limit):
                    raise subprocess.CalledProcessError(process.returncode, process.args)
        with Path(folder, "old").open("rb") as old, Path(folder, "new").open("rb") as new:
            for case, *lines in zip(cases, old, new, strict=True):
                before, now = map(json.loads, lines)
                yield Difference(*difference(before, now), case, before, now)


def _start(tree: Path, requests: Path, file: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", recorder.__file__, str(requests)]
    environment = {**os.environ, "PYTHONPATH": str(tree.resolve())}
    with file.open("wb") as printed:
        return subprocess.Popen(command, env=environment, cwd=tree, stdout=printed)  # noqa: S603 - the recorder


def difference(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str]:
    """The kind of the first difference of two outcomes, and what it is about."""
    if "crashed" in old or "crashed" in new:
        return "crash", new.get("crashed", "old: " + old.get("crashed", ""))
    if "shown" in old:
        return _streamed_difference(old, new)
    if "value" in old and "value" in new:
        return _difference_of_values(old, new)
    if "value" in old:
        return "value to refusal", new["reason"]
    return ("refusal to value", old["reason"]) if "value" in new else _difference_of_refusals(old, new)


def _difference_of_refusals(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str]:
    for name in ("reason", "place", "truncated"):
        if old[name] != new[name]:
            return name, f"{old[name]} → {new[name]}" if name == "reason" else new["reason"]
    return "same refusal", ""


def _difference_of_values(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str]:
    if json.dumps(old["value"]) != json.dumps(new["value"]):
        return "other value", f"{old['grade']} → {new['grade']}"
    if old["repairs"] != new["repairs"]:
        kinds = [Counter(kind for kind, *_ in one["repairs"]) for one in (old, new)]
        gone, come = kinds[0] - kinds[1], kinds[1] - kinds[0]
        signs = [*(f"−{kind}" for kind in gone), *(f"+{kind}" for kind in come)]
        places = [[one[:2] for one in each["repairs"]] for each in (old, new)]
        return "repairs", " ".join(signs) or ("places or order" if places[0] != places[1] else "found or put")
    if old["grade"] != new["grade"]:
        return "grade", f"{old['grade']} → {new['grade']}"
    return "same value", ""


def _streamed_difference(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str]:
    found = {_difference_of_data(before[0], now[0]) for before, now in zip(old["shown"], new["shown"], strict=True)}
    for kind in ("stream shows otherwise", "stream shows less", "stream shows more"):
        if kind in found:
            return kind, "and more" if {"stream shows less", "stream shows more"} <= found else ""
    if old != new:
        return "stream is complete or ends otherwise", "its end" if old["end"] != new["end"] else "what is complete"
    return "same stream", ""


def _difference_of_data(old: Any, new: Any) -> str:  # noqa: ANN401 - decoded JSON
    if json.dumps(old) == json.dumps(new):
        return ""
    if old is None or (new is not None and not not_in(old, new, "$")):
        return "stream shows more"
    return "stream shows less" if new is None or not not_in(new, old, "$") else "stream shows otherwise"


def report(differences: Iterable[Difference], examples: int) -> str:
    """Write the counts by kind and group, how right both trees are where that is known, and examples of each kind."""
    by_kind: dict[str, list[Difference]] = defaultdict(list)
    for one in differences:
        by_kind[one.kind].append(one)
    groups = list(dict.fromkeys(one.case.group for each in by_kind.values() for one in each))
    counts = Counter((one.kind, one.case.group) for each in by_kind.values() for one in each)
    kinds = [kind for kind in KINDS_OF_DIFFERENCE if kind in by_kind]
    parts = [table(("kind", *groups), ([kind, *(counts[kind, group] for group in groups)] for kind in kinds))]
    parts += _judged([one for each in by_kind.values() for one in each if one.case.document is not None])
    for kind in kinds:
        if kind not in _SAME:
            parts += _told(kind, by_kind[kind], examples)
    return "\n\n".join(parts)


def _judged(known: list[Difference]) -> list[str]:
    """How right each tree is, by group."""
    if not known:
        return []
    counts: Counter[tuple[str, str, Outcome]] = Counter()
    for one in known:
        for tree in ("old", "new"):
            counts[one.case.group, tree, _verdict(one, tree)] += 1
    rows = []
    for group, tree in sorted({key[:2] for key in counts}, key=lambda key: (key[0], key[1] == "new")):
        each = [counts[group, tree, verdict] for verdict in Outcome]
        rows.append((f"{group}, {tree}", sum(each), *(f"{count} {count / sum(each):7.2%}" for count in each)))
    return [table(("texts whose value is known", "texts", *Outcome), rows)]


def _verdict(one: Difference, tree: str) -> Outcome:
    found = one.old if tree == "old" else one.new
    reading: Reading = Crashed(str(found.get("crashed")))
    if "value" in found:
        reading = Accepted(found["value"])
    elif "reason" in found:
        reading = Refused(found["truncated"])
    return outcome(reading, one.case.document, one.case.plain)


def _told(kind: str, found: list[Difference], examples: int) -> Iterator[str]:
    """The kind with its details and their ids, what each tree is right about, and the shortest texts."""
    known = Counter((_verdict(one, "old"), _verdict(one, "new")) for one in found if one.case.document is not None)
    lines = [f"{kind}: {len(found)}"]
    lines += [f"{count:7}  known value: old {old}, new {new}" for (old, new), count in known.most_common()]
    names: dict[str, list[str]] = defaultdict(list)
    for one in found:
        names[one.detail].append(one.case.name)
    details = sorted(names.items(), key=lambda pair: -len(pair[1]))
    for detail, ids in details[:_SHOWN]:
        lines.append(f"{len(ids):7}  {detail}: {' '.join(ids[:_SHOWN])}{' …' if ids[_SHOWN:] else ''}")
    if details[_SHOWN:]:
        lines.append(f"{sum(len(ids) for _, ids in details[_SHOWN:]):7}  {len(details) - _SHOWN} more")
    yield "\n".join(lines)
    for one in sorted(found, key=lambda one: len(one.case.request["text"]))[:examples]:
        expected = {} if one.case.document is None else {"expected": one.case.document}
        yield example(one.case.name, text=one.case.request["text"], **expected, **_readings(one))


def _readings(one: Difference) -> dict[str, Any]:
    """Both readings; of streams the first snapshot that differs."""
    if "shown" not in one.old or "shown" not in one.new:
        return {"old": one.old, "new": one.new}
    pairs = zip(one.old["shown"], one.new["shown"], strict=True)
    differing = ((at, old, new) for at, (old, new) in enumerate(pairs) if old != new)
    at, old, new = next(differing, (len(one.old["shown"]), one.old["end"], one.new["end"]))
    return {"characters": (at + 1) * PIECE, "old": old, "new": new}


def _corpus(file: Path) -> Iterator[Case]:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            group = file.name.partition(".")[0]
            if is_asked_for(row):
                yield Case(f"{group}, known", row["id"], {"text": row["text"]}, row["expected"])
            else:
                yield Case(group, row["id"], {"text": row["text"]})


def _attack(count: int, seed: int) -> Iterator[Case]:
    for number, made in _damaged(count, seed):
        group = "two damages" if len(made.kinds) > 1 else "one damage"
        name = f"{seed}/{number}"
        yield Case(group, name, {"text": made.text, "finished": True}, made.document, made.plain)


def _streams(count: int, seed: int) -> Iterator[Case]:
    for number, made in _damaged(count, seed):
        yield Case("streams", f"stream {seed}/{number}", {"text": made.text, "finished": True, "pieces": PIECE})


def _damaged(count: int, seed: int) -> Iterator[tuple[int, Damaged]]:
    """The texts of `python -m tools.attack damage` with this seed."""
    for number, rng in Budget(count=count).turns(seed):
        made = damaged_document(number, rng)
        if made is not None:
            yield number, made


if __name__ == "__main__":
    sys.exit(main())
