"""Debian's Chromium without a window: what a page that is a file measures, and what axe-core finds in it."""

from __future__ import annotations

import base64
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.entrypoints.http.page.devtools import FLAGS, Page, at_home, browser
from tests.installed import AXE, CHROMIUM, PDFTOTEXT

_MEASURE = """(() => {
  const root = document.documentElement;
  const wide = [...root.querySelectorAll("body *")].filter((one) => !one.closest(".scroll"));
  const right = Math.max(...wide.map((one) => one.getBoundingClientRect().right));
  const texts = [...root.querySelectorAll("svg text")].map((one) => one.getBoundingClientRect());
  for (const one of root.querySelectorAll("details")) one.open = true;
  const end = (one) => one.getBoundingClientRect().right;
  const cells = [...root.querySelectorAll(".scroll tbody :is(th, td)")];
  const over = (a, b) => a !== b && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
    && b.top < a.bottom - 1;
  return {
    client: root.clientWidth, scroll: root.scrollWidth, right: Math.ceil(right), height: root.scrollHeight,
    cut: cells.filter((one) => end(one) > end(one.closest(".scroll")) + 1).length,
    overlapping: texts.filter((one) => texts.some((other) => over(one, other))).length,
  };
})()"""
_AXE = """(async () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = await axe.run();
  return {passes: found.passes.length, violations: found.violations.map((rule) => ({
    width: innerWidth, rule: rule.id, at: rule.nodes.map((node) => node.html.slice(0, 200)),
  }))};
})()"""


@contextmanager
def tab(page: Path) -> Iterator[Page]:
    """A tab of a browser of its own that shows a page."""
    with browser(page.with_name("profile")) as found:
        shown = found.open_page()
        shown.open(page.as_uri())
        yield shown


def measure_all(page: Path, *widths: int) -> list[dict[str, int]]:
    """Show a page so many pixels wide, and measure it at each width.

    `client`: the width it has; `scroll`: the width it needs; `right`: where the last element that does not scroll
    inside itself ends; `height`; `cut`: cells of tables, also of folded ones, beyond what is shown of these;
    `overlapping`: texts in charts that lie over another.
    """
    found = []
    with tab(page) as shown:
        for width in widths:
            shown.look(width)
            shown.open(page.as_uri())
            found.append(shown.run(_MEASURE))
    return found


def violations(page: Path, *widths: int, dark: bool = False) -> list[dict[str, Any]]:
    """What axe-core finds in a page at these widths in pixels, everything unfolded: width, rule and elements."""
    with tab(page) as shown:
        return [one for width in widths for one in violations_in(shown, width, dark=dark)]


def violations_in(page: Page, width: int | None = None, *, dark: bool = False) -> list[dict[str, Any]]:
    """The same of an open page; axe-core runs beside it, where its policy does not reach."""
    if width:
        page.look(width, dark=dark)
    if not page.run("typeof axe !== 'undefined'"):
        page.run(AXE.read_text(encoding="utf-8") + "; true")
    found = page.run(_AXE)
    assert found["passes"] > 15  # it did look
    told: list[dict[str, Any]] = found["violations"]
    return told


def printed(page: Path) -> Path:
    """A page as the browser prints it, in a file beside it."""
    pdf = page.with_suffix(".pdf")
    with tab(page) as shown:
        pdf.write_bytes(base64.b64decode(shown.send("Page.printToPDF", preferCSSPageSize=True)["data"]))
    return pdf


def lines_of(pdf: Path) -> list[str]:
    """The printed text, line by line, without blanks."""
    assert PDFTOTEXT
    text = subprocess.run([PDFTOTEXT, pdf, "-"], capture_output=True, check=True).stdout.decode()  # noqa: S603 - our own file
    return [re.sub(r"\s", "", line) for line in text.splitlines()]


@contextmanager
def opened(url: str, profile: Path) -> Iterator[None]:
    """Have the browser show a page of a server on loopback as long as the block is open."""
    assert CHROMIUM
    flags = [*FLAGS, f"--user-data-dir={profile}"]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([CHROMIUM, *flags, url], stdout=nowhere, stderr=nowhere, env=at_home(profile))  # noqa: S603 - the browser, on our own page
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)
