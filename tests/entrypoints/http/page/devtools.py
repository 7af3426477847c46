"""Debian's Chromium by its own protocol, over a pipe: what a page does, asks for and looks like.

The service forbids frames, so no page of a test can stand around its page and watch it.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.installed import CHROMIUM

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DEADLINE = 20.0
_FREE = 10
"""Numbers of files from here on are nobody's: the browser's pipe has to be 3 and 4."""


class BrowserError(Exception):
    """The browser refuses a command, a script in the page fails, or what was waited for does not come."""


@dataclass
class Page:
    """One tab.

    Attributes:
        requests: addresses that it asked for.
        complaints: what its console and its policy said, and scripts that failed.
        dialogs: what it asked the reader in a window of its own.
    """

    _browser: Browser
    _session: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - of any JSON type
        """Ask the tab to do something, and wait until it has."""
        return self._browser.send(method, parameters, self._session)

    def open(self, url: str) -> None:
        """Show a page, with everything that it needs."""
        told = self.send("Page.navigate", url=url)
        if told.get("errorText"):
            raise BrowserError(told["errorText"])
        self.until(f"location.href !== 'about:blank' && document.readyState === 'complete' && {json.dumps(url)}")

    def run(self, script: str) -> Any:  # noqa: ANN401 - as above
        """The value of an expression in the page; a promise is waited for."""
        told = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in told:
            raise BrowserError(json.dumps(told["exceptionDetails"])[:2_000])
        return told["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + DEADLINE
        while not self.run(f"!!({condition})"):
            if time.monotonic() > end:
                raise BrowserError(condition)
            time.sleep(0.02)

    def look(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        """Make the window so wide, in one of the two schemes."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def press_tab(self) -> None:
        """Go to what comes next."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def heard(self, event: dict[str, Any]) -> None:
        """Take note of what the tab tells."""
        told = event["params"]
        match event["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.dialogs.append(told["message"])
                self._browser.tell("Page.handleJavaScriptDialog", {"accept": False}, self._session)
            case "Log.entryAdded":
                self.complaints.append(told["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(told["exceptionDetails"])[:500])
            case "Runtime.consoleAPICalled" if told["type"] in {"error", "warning"}:
                self.complaints.append(json.dumps(told["args"])[:500])


class Browser:
    """A browser without a window; `open_page` gives tabs."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer, self._number = b"", 0
        self._pages: dict[str, Page] = {}

    def open_page(self, language: str = "zh-CN", *, scripts: bool = True) -> Page:
        """A new tab of a reader of their own: nothing of other tabs is known in it."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Network", "Log", "Runtime"):
            page.send(f"{domain}.enable")
        page.send("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        if not scripts:
            page.send("Emulation.setScriptExecutionDisabled", value=True)
        return page

    def send(self, method: str, parameters: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """Ask the browser to do something, and wait until it has."""
        number = self.tell(method, parameters or {}, session)
        while True:
            message = self._next()
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(method, message["error"])
                answer: dict[str, Any] = message["result"]
                return answer
            page = self._pages.get(message.get("sessionId", ""))
            if page and "method" in message:
                page.heard(message)

    def tell(self, method: str, parameters: dict[str, Any], session: str) -> int:
        """Ask it, and wait for nothing."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        return self._number

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            is_there, _, _ = select.select([self._answers], [], [], DEADLINE)
            part = os.read(self._answers, 1 << 20) if is_there else b""
            if not part:
                text = "the browser has gone away, or says nothing"
                raise BrowserError(text)
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser as long as the block is open."""
    assert CHROMIUM
    its_input, commands = _high(os.pipe())
    answers, its_output = _high(os.pipe())
    flags = [*FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
    actions = [
        (os.POSIX_SPAWN_DUP2, its_input, 3),
        (os.POSIX_SPAWN_DUP2, its_output, 4),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    process = os.posix_spawn(CHROMIUM, [CHROMIUM, *flags], at_home(profile), file_actions=actions)
    os.close(its_input)
    os.close(its_output)
    made = Browser(commands, answers)
    try:
        yield made
    finally:
        made.tell("Browser.close", {}, "")
        os.waitpid(process, 0)
        os.close(commands)
        os.close(answers)


def at_home(profile: Path) -> dict[str, str]:
    """The environment of a browser that leaves nothing outside its profile."""
    return {**os.environ, "HOME": str(profile), "XDG_CACHE_HOME": str(profile), "XDG_CONFIG_HOME": str(profile)}


def _high(pipe: tuple[int, int]) -> tuple[int, int]:
    """The same pipe under numbers that are not in the way; a child does not inherit them."""
    ends = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FREE) for end in pipe)
    for end in pipe:
        os.close(end)
    return ends[0], ends[1]
