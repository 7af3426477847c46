"""Debian's Chromium without a window: what a page measures, and what axe-core finds in it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from typing import Any

from tests.installed import AXE, CHROMIUM, PDFTOTEXT

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
    "--allow-file-access-from-files",
)
_AT_ONCE = "--virtual-time-budget=10000"
"""No timer of a page waits in earnest. What a server sends needs its time, so `opened` goes without."""
_MEASURE = """<!doctype html>{frames}
<pre id="measured"></pre><script>
const measured = (frame) => {{
  const root = frame.contentDocument.documentElement;
  const wide = [...root.querySelectorAll("body *")].filter((one) => !one.closest(".scroll"));
  const right = Math.max(...wide.map((one) => one.getBoundingClientRect().right));
  const texts = [...root.querySelectorAll("svg text")].map((one) => one.getBoundingClientRect());
  for (const one of root.querySelectorAll("details")) one.open = true;
  const end = (one) => one.getBoundingClientRect().right;
  const cells = [...root.querySelectorAll(".scroll tbody :is(th, td)")];
  const over = (a, b) => a !== b && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
    && b.top < a.bottom - 1;
  return {{
    client: root.clientWidth, scroll: root.scrollWidth, right: Math.ceil(right), height: root.scrollHeight,
    cut: cells.filter((one) => end(one) > end(one.closest(".scroll")) + 1).length,
    overlapping: texts.filter((one) => texts.some((other) => over(one, other))).length,
  }};
}};
onload = () => {{
  const all = [...document.querySelectorAll("iframe")].map(measured);
  document.getElementById("measured").textContent = JSON.stringify(all);
}};
</script>"""


_AXE = """<script src="axe.min.js"></script><script>
onload = async () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = await axe.run();
  const told = found.violations.map((rule) => ({
    width: innerWidth, rule: rule.id, at: rule.nodes.map((node) => node.html.slice(0, 160)),
  }));
  parent.heard(told, found.passes.length);
};
</script>"""
_FRAMES = """<!doctype html><meta name="color-scheme" content="light dark"><pre id="measured"></pre><script>
const told = [], passed = [];
function heard(violations, passes) {{
  told.push(...violations);
  passed.push(passes);
  if (passed.length === document.querySelectorAll("iframe").length)
    document.getElementById("measured").textContent = JSON.stringify({{told, passed}});
}}
</script>{frames}"""
_PAGE = '<iframe style="border:0;width:{width}px;height:900px" src="{source}"></iframe>'
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


def measure(page: Path, width: int) -> dict[str, int]:
    """Show a page so many pixels wide, in a frame, and measure it: see `measure_all`."""
    return measure_all(page, width)[0]


def measure_all(page: Path, *widths: int) -> list[dict[str, int]]:
    """Show a page so many pixels wide, in a frame for each width, and measure it in each.

    `client`: the width it has; `scroll`: the width it needs; `right`: where the last element that does not scroll
    inside itself ends; `height`; `cut`: cells of tables, also of folded ones, beyond what is shown of these;
    `overlapping`: texts in charts that lie over another.
    """
    frame = page.with_name("measure.html")
    frames = "".join(_PAGE.format(width=width, source=escape(page.name)) for width in widths)
    frame.write_text(_MEASURE.format(frames=frames), encoding="utf-8")
    found: list[dict[str, int]] = _measured(frame)
    return found


def violations(page: Path, *widths: int, dark: bool = False) -> list[dict[str, Any]]:
    """What axe-core finds in a page at these widths in pixels, everything unfolded: width, rule and elements.

    The page's own policy forbids every script, so a copy without it is checked.
    """
    shutil.copy(AXE, page.with_name("axe.min.js"))
    checked = page.with_name("checked.html")
    document, policies = _POLICY.subn("", page.read_text(encoding="utf-8"))
    assert policies == 1
    checked.write_text(document.replace("</body>", f"{_AXE}</body>"), encoding="utf-8")
    frame = page.with_name("axe.html")
    frames = "".join(_PAGE.format(width=width, source=checked.name) for width in widths)
    frame.write_text(_FRAMES.format(frames=frames), encoding="utf-8")
    found = _measured(frame, *(["--blink-settings=preferredColorScheme=0"] if dark else []))
    assert min(found["passed"]) > 15  # it did look
    told: list[dict[str, Any]] = found["told"]
    return told


def printed(page: Path) -> Path:
    """A page as the browser prints it, in a file beside it."""
    pdf = page.with_suffix(".pdf")
    done = _shown(page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    assert pdf.exists(), done.stderr.decode()[-2000:]
    return pdf


def _measured(frame: Path, *flags: str) -> Any:  # noqa: ANN401 - of any JSON type
    """What a page writes into its element `measured`, as JSON."""
    done = _shown(frame, "--dump-dom", *flags)
    measured = re.search(r'<pre id="measured">(.+?)</pre>', done.stdout.decode())
    assert measured, done.stderr.decode()[-2000:]
    return json.loads(unescape(measured[1]))


def _shown(page: Path, *flags: str) -> subprocess.CompletedProcess[bytes]:
    """Have the browser show a page."""
    assert CHROMIUM
    profile = page.with_name("profile")
    return subprocess.run(  # noqa: S603 - the browser, on our own page
        [CHROMIUM, *FLAGS, _AT_ONCE, *flags, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True,
        check=True,
        timeout=120,
        env=at_home(profile),
    )


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
    browser = subprocess.Popen([CHROMIUM, *flags, url], stdout=nowhere, stderr=nowhere, env=at_home(profile))  # noqa: S603 - as above
    try:
        yield
    finally:
        browser.terminate()
        browser.wait(timeout=60)


def at_home(profile: Path) -> dict[str, str]:
    """The environment of a browser that leaves nothing outside its profile."""
    return {**os.environ, "HOME": str(profile), "XDG_CACHE_HOME": str(profile), "XDG_CONFIG_HOME": str(profile)}
