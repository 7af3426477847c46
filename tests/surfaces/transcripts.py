r"""Golden transcripts: the surfaces of this project as text files of `tests/surfaces/golden`, one file a surface.

A file is a list of cases. Each begins with a line `==== its title` and is a list of parts, each of which begins with a
line `---- its head`. Every case is played in a folder of its own, with the sample types of `shop.py`. Into it go:

    ---- with NAME=VALUE …        environment variables of the whole case; LLM_OUTPUT_LANG is `en` where it says none
    ---- needs MODULE …           it is skipped where one of them is not installed
    ---- without NAME …           files whose content is not shown, such as `*.html`
    ---- file NAME                a file in the folder
    ---- sql NAME                 a store in the folder, as SQL
    ---- stdin                    of the next command; `stdin escaped` takes escapes of Python's bytes, such as \xff
    ---- model                    a model on loopback and its answers, a line each: a string of JSON, or `status 401`
    ---- $ llm-output …           a command, in this process; `$$` starts one of its own
    ---- POST /v1/parse           a request to the service; lines `> name: value` are headers, the rest is the body
    ---- python                   statements; what an expression gives is shown, an error with all that it tells

What comes out stands under each of the last three, in parts whose heads begin with `>`, and is written by
`python -m tests.surfaces.golden --write`: how a command ended and what it wrote; the status, headers and body of an
answer; what was shown; what the model was asked; each file that is new or another one. A new case is a title and what
goes in.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import difflib
import importlib.util
import io
import json
import os
import pprint
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pydantic import BaseModel
from typer.testing import CliRunner

from src.entrypoints.cli.app import app as command_line
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.infrastructure.distribution import installed_version
from tests.log_lines import restored_loggers, structlog_unconfigured
from tests.loopback.answers import ChatRequest, answer, status
from tests.loopback.server import ChatServer
from tests.paths import ROOT

FOLDER = Path(__file__).with_name("golden")
MODULES = ("shop", "naming")
CASE, PART, OUT = "==== ", "---- ", "> "
NO_END = "\\ no newline at the end\n"
INTERNAL = (
    "*/.lock",
    "*/tally.json",
    "*/writer.json",
    "*/parts/*",
    "*-wal",
    "*-shm",
    "*/__pycache__/*",
    "__pycache__/*",
)
"""Files that are no surface: what a run of `batch` needs to go on, and what SQLite and Python leave beside theirs."""
NOT_SHOWN = "(not shown)\n"
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from llm_output.__main__ import run; run()"
"""`python -m llm_output` of this checkout, whatever is installed."""
AS_BEFORE = "(as before)\n"
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")
OURS = ("LLM_", "OUTPUT_", "PROMETHEUS_", "RAY_", "OTEL_")
"""How the variables begin that a case has only where it sets them."""
USUAL = {"COLUMNS": "100", "LLM_OUTPUT_LANG": "en", "NO_COLOR": "1", "PYTHONPATH": str(ROOT), "TERM": "dumb"}


@dataclass(frozen=True)
class Part:
    """A part of a case: what goes in, or, where its head begins with `>`, what comes out."""

    head: str
    body: str = ""

    @property
    def text(self) -> str:
        """As it stands in the file."""
        body = self.body if not self.body or self.body.endswith("\n") else f"{self.body}\n{NO_END}"
        if any(line.startswith((CASE, PART)) for line in body.splitlines()):
            message = f"a line of this part begins as a part does: {self.head}"
            raise ValueError(message)
        return f"{PART}{self.head}\n{body}"


@dataclass(frozen=True)
class Case:
    """A case of a surface."""

    surface: str
    title: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """As it stands in the file."""
        return f"{CASE}{self.title}\n{''.join(part.text for part in self.parts)}"

    def told(self, word: str) -> list[str]:
        """What the heads with a first word say after it."""
        heads = (part.head.partition(" ") for part in self.parts)
        return [one for first, _, rest in heads if first == word for one in shlex.split(rest)]


def surfaces() -> dict[str, list[Case]]:
    """The cases of each surface, by its name."""
    return {path.stem: read_cases(path.stem, path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.txt"))}


def read_cases(surface: str, text: str) -> list[Case]:
    """The cases of a file.

    Raises:
        ValueError: two have the same title.
    """
    cases = []
    for piece in re.split(f"^{CASE}", text, flags=re.MULTILINE)[1:]:
        title, _, rest = piece.partition("\n")
        parts = []
        for part in re.split(f"^{PART}", rest, flags=re.MULTILINE)[1:]:
            head, _, body = part.partition("\n")
            parts.append(Part(head, body.removesuffix(f"\n{NO_END}")))
        cases.append(Case(surface, title, tuple(parts)))
    twice = {case.title for case in cases if [one.title for one in cases].count(case.title) > 1}
    if twice:
        message = f"{surface} has two cases of the same title: {sorted(twice)}"
        raise ValueError(message)
    return cases


def missing(case: Case) -> str:
    """What a case needs that is not installed; empty where all is there."""
    return ", ".join(name for name in case.told("needs") if not _is_installed(name))


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even the package that would hold it
        return False


def difference(case: Case, played: Case) -> str:
    """A unified diff of what came out to what the file says; empty where they are the same."""
    path = (FOLDER / f"{case.surface}.txt").relative_to(ROOT).as_posix()
    old, new = case.text.splitlines(), played.text.splitlines()
    return "\n".join(difflib.unified_diff(old, new, path, f"{path}, now: {case.title}", lineterm=""))


def main(arguments: list[str]) -> int:
    """Play surfaces; write what comes out, or print what differs."""
    names = [name for name in arguments if name != "--write"]
    differ = False
    for surface, cases in surfaces().items():
        if names and surface not in names:
            continue
        played = []
        for case in cases:
            absent = missing(case)
            if absent:
                sys.stderr.write(f"skipped, {absent} is not installed: {surface}: {case.title}\n")
            with tempfile.TemporaryDirectory() as folder:
                played.append(case if absent else play(case, Path(folder).resolve()))
        found = [difference(*pair) for pair in zip(cases, played, strict=True)]
        differ |= any(found)
        if "--write" in arguments:
            (FOLDER / f"{surface}.txt").write_text("".join(case.text for case in played), "utf-8", newline="\n")
        else:
            sys.stdout.write("\n".join(filter(None, found)))
    return 0 if "--write" in arguments else int(differ)


def play(case: Case, folder: Path) -> Case:
    """The same case with what comes out now; nothing of it stays in this process."""
    for module in MODULES:
        shutil.copy(FOLDER / f"{module}.py", folder)
    variables = dict(one.split("=", 1) for one in case.told("with"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    known = set(sys.modules)
    with (
        ExitStack() as open_things,
        contextlib.chdir(folder),
        patch.dict(os.environ, {**kept, **USUAL, **variables}, clear=True),
        patch.object(sys, "path", ["", *sys.path]),
        restored_loggers(),
        structlog_unconfigured(),
    ):
        try:
            parts = tuple(_Played(folder, open_things).parts(case))
        finally:
            for name in set(sys.modules) - known:
                if str(folder) in str(getattr(sys.modules[name], "__file__", "")) or name in MODULES:
                    del sys.modules[name]
    return Case(case.surface, case.title, parts)


class _Played:
    """One case while it is played."""

    def __init__(self, folder: Path, open_things: ExitStack) -> None:
        self._folder, self._open = folder, open_things
        self._stdin: bytes = b""
        self._names: dict[str, Any] = {"show": show}
        self._client: Any = None
        self._model: ChatServer | None = None
        self._asked_last = self._told = ""
        self._files: dict[str, bytes] = {}
        self._without: list[str] = []

    def parts(self, case: Case) -> Iterator[Part]:
        """What goes in, and under it what comes out."""
        self._files = self._snapshot()
        for part in case.parts:
            if part.head.startswith(OUT):
                continue
            yield part
            for head, body in self._out(part):
                yield Part(OUT + head, stable(printable(body), self._folder))
        if self._client:
            self._open.close()
            for head, body in self._changed():
                yield Part(OUT + head, stable(printable(body), self._folder))

    def _out(self, part: Part) -> Iterator[tuple[str, str]]:
        word, _, rest = part.head.partition(" ")
        if word in METHODS:
            yield self._answer(word, rest, part.body)
        elif word in {"$", "$$", "python"}:
            if word == "python":
                yield "shown", self._statements(part.body)
            else:
                yield from self._command(shlex.split(rest)[1:], alone=word == "$$")
            yield from self._asked()
            yield from self._changed()
        else:
            self._take(word, rest, part.body)

    def _take(self, word: str, rest: str, body: str) -> None:
        """Take what goes into the parts after it."""
        match word:
            case "with" | "needs":
                pass
            case "without":
                self._without += shlex.split(rest)
            case "file":
                (self._folder / rest).parent.mkdir(parents=True, exist_ok=True)
                (self._folder / rest).write_text(body, "utf-8", newline="\n")
            case "sql":
                with contextlib.closing(sqlite3.connect(self._folder / rest)) as store:
                    store.executescript(body)
            case "stdin":
                self._stdin = ast.literal_eval(f'b"""{body}"""') if rest else body.encode()
            case "model":
                self._script(body)
            case _:
                message = f"there is no part that begins so: {word}"
                raise ValueError(message)
        self._files = self._snapshot()

    def _command(self, arguments: list[str], *, alone: bool) -> Iterator[tuple[str, str]]:
        given, self._stdin = self._stdin, b""
        if alone:
            program = [sys.executable, "-c", PROGRAM, *arguments]
            done = subprocess.run(program, input=given, capture_output=True, check=False)  # noqa: S603 - our own program
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            with structlog_unconfigured():
                ended = CliRunner().invoke(command_line, arguments, input=given, catch_exceptions=False)
            code, out, err = ended.exit_code, ended.stdout_bytes, ended.stderr_bytes
        yield f"exit {code}", ""
        for name, written in (("stdout", out), ("stderr", err)):
            if written:
                yield name, written.decode()

    def _script(self, lines: str) -> None:
        if self._model is None:
            self._model = self._names["model"] = _model_on_loopback()
            os.environ.update(LLM_BASE_URL=self._model.url, LLM_MODEL="m", LLM_API_KEY="secret")
        self._model.reset()
        self._model.script(
            status(int(line.removeprefix("status "))) if line.startswith("status ") else answer(json.loads(line))
            for line in lines.splitlines()
        )

    def _asked(self) -> Iterator[tuple[str, str]]:
        for request in self._model.requests if self._model else ():
            told = _in_words(request)
            yield "asked", AS_BEFORE if told == self._asked_last else told
            self._asked_last = told
        if self._model:
            self._model.requests.clear()

    def _answer(self, method: str, path: str, body: str) -> tuple[str, str]:
        if self._client is None:
            _start_readers()
            self._client = self._open.enter_context(_service())
        lines = body.splitlines(keepends=True)
        count = next((number for number, line in enumerate(lines) if not line.startswith(OUT)), len(lines))
        headers = dict(line.removeprefix(OUT).strip().split(": ", 1) for line in lines[:count])
        sent = "".join(lines[count:]).removesuffix("\n")
        if sent:
            headers.setdefault("content-type", "application/json")
        if headers.get("content-type", "").startswith("multipart/"):
            sent = sent.replace("\n", "\r\n") + "\r\n"
        answer = self._client.request(method, path, headers=headers, content=sent.encode())
        told = "".join(
            sorted(f"{name}: {value}\n" for name, value in answer.headers.items() if name != "content-length")
        )
        told = told.replace("allow: HEAD, GET\n", "allow: GET, HEAD\n")
        before, self._told = self._told, told
        return str(answer.status_code), f"{AS_BEFORE if told == before else told}\n{laid_out(answer.text)}"

    def _statements(self, code: str) -> str:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            for statement in ast.parse(code).body:
                said = ast.get_source_segment(code, statement) or ""
                compiled: Any = ast.Module([statement], [])
                run: Callable[..., Any] = exec
                if isinstance(statement, ast.Expr):
                    print(f">>> {said.splitlines()[0]}{' …' * (chr(10) in said)}")  # noqa: T201 - as a prompt shows it
                    compiled, run = ast.Expression(statement.value), eval
                try:
                    value = run(compile(compiled, "<case>", run.__name__), self._names)
                except Exception as error:  # noqa: BLE001 - whatever it is, the transcript tells it
                    value = error
                if value is not None:
                    show(value)
        return shown.getvalue()

    def _changed(self) -> Iterator[tuple[str, str]]:
        """Each file that is new or another one since the last time, and those that are gone."""
        before, self._files = self._files, self._snapshot()
        for name, content in self._files.items():
            if before.get(name) != content:
                yield f"file {name}", self._readable(name, content)
        for name in sorted(before.keys() - self._files.keys()):
            yield f"gone {name}", ""

    def _snapshot(self) -> dict[str, bytes]:
        found = {path.relative_to(self._folder).as_posix(): path for path in self._folder.rglob("*") if path.is_file()}
        shown = sorted(name for name in found if not any(fnmatch(name, pattern) for pattern in INTERNAL))
        return {name: found[name].read_bytes() for name in shown}

    def _readable(self, name: str, content: bytes) -> str:
        if any(fnmatch(name, pattern) for pattern in self._without):
            return NOT_SHOWN
        if content.startswith(b"SQLite format 3"):
            with contextlib.closing(sqlite3.connect(self._folder / name)) as store:
                indexes = ("CREATE INDEX", "CREATE UNIQUE")  # in any order
                lines = sorted(store.iterdump(), key=lambda line: line if line.startswith(indexes) else "")
                return "".join(f"{line}\n" for line in lines)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return NOT_SHOWN
        return without_code(text) if name.endswith(".html") else text


@cache
def _model_on_loopback() -> ChatServer:
    """One server for all cases: to end one takes longer than a case."""
    server = ChatServer().__enter__()
    atexit.register(server.__exit__)
    return server


def _in_words(request: ChatRequest) -> str:
    """A request to a model: what is set, and under it the messages."""
    told = {name: value for name, value in request.body.items() if name != "messages"}
    messages = (f"{one['role']}: {one['content']}\n" for one in request.body["messages"])
    return "".join((json.dumps(told, ensure_ascii=False, sort_keys=True), "\n", *messages))


@cache
def _start_readers() -> None:
    """Start what the processes of the service are copied from, once, where this checkout is what they import."""
    with contextlib.chdir(ROOT), _service():
        pass


def _service() -> Any:  # noqa: ANN401 - a client of starlette's
    """The service with the settings of the environment, started."""
    from starlette.testclient import TestClient  # noqa: PLC0415 - an extra

    from src.entrypoints.http.app import create_app  # noqa: PLC0415 - as above
    from src.entrypoints.http.service_settings import ServiceSettings  # noqa: PLC0415 - as above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    app = create_app(ServiceSettings(), MonitoringSettings())
    return TestClient(app, "http://127.0.0.1:8421", raise_server_exceptions=False, follow_redirects=False)


def show(value: object) -> None:
    """Print a value so that each part of it can be read: an error with all that it tells."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, BaseException):
        text = f"{type(value).__name__}: {value}"
        if isinstance(value, AppException):
            text += f"\n{value.code} {pprint.pformat(value.details, width=110)}"
        if isinstance(value, LLMJsonParseError):
            text += f"\nfeedback: {value.feedback()}"
    elif isinstance(value, BaseModel):
        text = f"{type(value).__name__} {value.model_dump_json(by_alias=True)}"
    else:
        text = pprint.pformat(value, width=110, sort_dicts=False)
    print(text)  # noqa: T201 - into the transcript


def laid_out(text: str) -> str:
    """A long line of JSON over several lines, if it can be told from these; a page without its code; else the same."""
    if text.startswith("<!doctype html>"):
        return without_code(text)
    try:
        value = json.loads(text)
    except ValueError:
        return text
    is_said_again = json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n" if is_said_again and len(text) > 100 else text


def without_code(page: str) -> str:
    """A page without its styles and scripts, which are files of their own."""
    return re.sub(r"(<(style|script)[^>]*>)[^<]+(</\2>)", r"\1…\3", page)


def printable(text: str) -> str:
    """The text with escapes for all that an editor would not show, or not keep."""
    escaped = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found.group()):02x}", text)
    return escaped.encode("utf-8", "backslashreplace").decode()


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?|\b1\d{15}\b")
_FACTS = "Reading time|解析用时|Texts a second a process|每个进程每秒|This start|这次启动|[Vv]ersion|版本".split("|")
"""Facts of a page of `batch` that are another one in each run."""
_OTHERWISE = (
    (re.compile(re.escape(f"llm-output {installed_version()}")), "llm-output <version>"),
    (re.compile(rf'("(?:version|program)": ?"){re.escape(installed_version())}"'), r'\1<version>"'),
    (re.compile(r"\b[1-9]\d* (written|unchanged)\b"), r"<some> \1"),
    (re.compile(r"sha256:[0-9a-f]{64}"), "sha256:<hash>"),
    (re.compile(r"(?m)^[\w-]{43}$"), "<key>"),
    (re.compile(r'("slowest": \[)[^\]]*'), r"\1<texts>"),
    (re.compile(r"(?s)(<h3>(?:Slowest|最慢)</h3>\s*<ol[^>]*>).*?(</ol>)"), r"\1<texts>\2"),
    (re.compile(r'("(?:reading_)?seconds": )[\d.e-]+'), r"\1<seconds>"),
    (re.compile(rf"(<dt>(?:{'|'.join(_FACTS)})</dt><dd>)[^<]+"), r"\1…"),
    (re.compile(r"(\"llm_writer\" VALUES\(\d+,)'[^']*',\d+"), r"\1<host>,<pid>"),
    (re.compile(r"(parse_seconds_(?:bucket\{[^}]*\}|sum) )\S+"), r"\1<seconds>"),
    (re.compile(r'(?s)(<section id="rates").*?(</section>)'), r"\1 …\2"),
    (re.compile(r'("ms": )[\d.]+'), r"\1<milliseconds>"),
    (re.compile(r"((?:tokens|词元)[^\n]*?[,，] ?)\d+\.\d(?= s| 秒)"), r"\1<seconds>"),
    (re.compile(r"(latency\W+)[\d.e-]+"), r"\1<seconds>"),
    (re.compile(r"\b0x[0-9a-f]{6,}"), "<address>"),
    (re.compile(r"(https://errors\.pydantic\.dev/)[\d.]+"), r"\1<version>"),
    (re.compile(r"(static/[\w.-]+?\.)[0-9a-f]{12}(\.\w+)"), r"\1<hash>\2"),
    (re.compile(r"(x-request-id: |request_id\W+)[0-9a-f]{8}-\d+"), r"\1<number>"),
    (re.compile(r"(http://127\.0\.0\.1:)\d{5}\b"), r"\1<port>"),
)


def stable(text: str, folder: Path) -> str:
    """The text with placeholders for what is not the same in every run: moments around now, times, places, versions."""
    for path, shown in ((folder, "<folder>"), (ROOT, "<project>")):
        text = text.replace(str(path), shown)
    for pattern, shown in _OTHERWISE:
        text = pattern.sub(shown, text)
    if "µs\n" in text:
        text = re.sub(r"─{9,}", "─────", re.sub(r"(?m) +(µs|[\d,]+)$", " <µs>", text))
    return re.sub(r'(datetime="<moment>">)[^<]+', r"\1<moment>", _MOMENT.sub(_moment, text))


def _moment(found: re.Match[str]) -> str:
    """`<moment>` for one of the day around now, in any spelling; else as it stands: a moment that went in."""
    said = found.group()
    try:
        then = datetime.fromtimestamp(int(said) / 1e6, UTC) if said.isdigit() else datetime.fromisoformat(said)
    except (ValueError, OverflowError):
        return said
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return "<moment>" if abs(datetime.now(UTC) - then) < timedelta(days=2) else said
