"""Debian's Chromium without a window: what a page measures, as the browser says."""

import json
import os
import re
import subprocess
from html import escape, unescape
from pathlib import Path

from tests.installed import CHROMIUM

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--virtual-time-budget=10000",
    "--dump-dom",
)
_MEASURE = """<!doctype html><iframe id="page" style="border:0;width:{width}px;height:900px" src="{source}"></iframe>
<pre id="measured"></pre><script>
onload = () => {{
  const root = document.getElementById("page").contentDocument.documentElement;
  const wide = [...root.querySelectorAll("body *")].filter((one) => !one.closest(".scroll"));
  const right = Math.max(...wide.map((one) => one.getBoundingClientRect().right));
  const texts = [...root.querySelectorAll("svg text")].map((one) => one.getBoundingClientRect());
  const over = (a, b) => a !== b && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
    && b.top < a.bottom - 1;
  document.getElementById("measured").textContent = JSON.stringify({{
    client: root.clientWidth, scroll: root.scrollWidth, right: Math.ceil(right), height: root.scrollHeight,
    overlapping: texts.filter((one) => texts.some((other) => over(one, other))).length,
  }});
}};
</script>"""


def measure(page: Path, width: int) -> dict[str, int]:
    """Show a page so many pixels wide, in a frame, and measure it.

    `client`: the width it has; `scroll`: the width it needs; `right`: where the last element that does not scroll
    inside itself ends; `height`; `overlapping`: texts in charts that lie over another.
    """
    assert CHROMIUM
    frame = page.with_name(f"measure-{width}.html")
    frame.write_text(_MEASURE.format(width=width, source=escape(page.name)), encoding="utf-8")
    profile = page.with_name("profile")
    done = subprocess.run(  # noqa: S603 - the browser, on our own page
        [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", frame.as_uri()],
        capture_output=True,
        check=True,
        timeout=120,
        env={**os.environ, "HOME": str(profile), "XDG_CACHE_HOME": str(profile), "XDG_CONFIG_HOME": str(profile)},
    )
    measured = re.search(r'<pre id="measured">(.+?)</pre>', done.stdout.decode())
    assert measured, done.stderr.decode()[-2000:]
    found: dict[str, int] = json.loads(unescape(measured[1]))
    return found
