"""Pictures of the four pages in Debian's Chromium, and what is wrong with them: `python -m tests.screenshots FOLDER`.

The page of the service, the playground, the report of a batch and that of a committee, at two widths. Wrong is a page
that scrolls sideways, a complaint in its console, and a text whose contrast is below 4.5. The pictures are no part of
the repository; `python -m tests.screenshots` writes them beneath `.cache`.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from src.entrypoints.reports.batch.page_view import batch_page
from src.modules.reparsing.domain.tally import Tally
from tests.entrypoints.http.page.devtools import Browser, Page, browser
from tests.entrypoints.http.page.served import app_of, made, store_of, with_alarms
from tests.entrypoints.reports.batch_runs import about, comparison, varied
from tests.installed import PLAYGROUND, missing_browser
from tests.loopback.asgi_server import AsgiServer
from tests.paths import ROOT

WIDTHS = (1280, 390)
LEAST_CONTRAST = 4.5
"""Of a text to what is behind it; WCAG 2.2, 1.4.3, level AA."""
_READY = {
    "service": "document.documentElement.classList.contains('scripted')",
    "playground": "document.getElementById('text').value !== ''",
}
"""What holds once the scripts of a page have done their work."""
_FAINT = """
(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement, style = getComputedStyle(one);
    const isSeen = one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
    if (!walker.currentNode.data.trim() || !isSeen || one.closest("svg, script, style, :disabled")) continue;
    const [a, b] = [light(numbers(style.color)), light(behind(one))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05), text = walker.currentNode.data.trim().slice(0, 40);
    if (contrast < LEAST) found.add(`${contrast.toFixed(2)} ${one.localName}.${one.className}: ${text}`);
  }
  return [...found];
})()
"""


def _compared() -> Tally:
    """A run beside an old parser."""
    tally = varied()
    tally.comparison.add(comparison())
    return tally


@contextmanager
def pages(folder: Path) -> Iterator[dict[str, str]]:
    """The address of each page, as long as the block is open; what they are made of goes into the folder."""
    site, store = folder / "site", folder / "store"
    site.mkdir()
    store.mkdir()
    (site / "batch.html").write_text(batch_page(_compared(), about()), encoding="utf-8")
    example = ROOT / "examples/committee"
    run = (
        "run",
        str(example / "dossier.json"),
        "--replay",
        str(example / "recording.jsonl"),
        "--out",
        str(site / "run"),
    )
    subprocess.run([sys.executable, "-m", "examples.committee", *run], cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - our own example
    if PLAYGROUND.is_file():
        from tools.playground.__main__ import build  # noqa: PLC0415 - needs its parts

        build(site / "playground")
    static = FastAPI()
    static.mount("/", StaticFiles(directory=site, html=True))
    with ExitStack() as stack:
        files = stack.enter_context(AsgiServer(static)).root
        service = stack.enter_context(AsgiServer(app_of(with_alarms(store_of(store, made())))))
        found = {
            "service": f"{service.root}/?window=1h&lang=en&example=merged",
            "batch": f"{files}/batch.html",
            "committee": f"{files}/run/report.html",
        }
        if PLAYGROUND.is_file():
            found["playground"] = f"{files}/playground/"
        yield found


def problems(page: Page) -> list[str]:
    """What is wrong with an open page."""
    width, whole = page.run("[innerWidth, document.documentElement.scrollWidth]")
    wide = [f"is {whole} pixels wide"] if whole > width else []
    faint = [f"contrast {one}" for one in page.run(_FAINT.replace("LEAST", str(LEAST_CONTRAST)))]
    return [*wide, *faint, *(f"console: {one}" for one in page.complaints)]


def taken(chromium: Browser, name: str, url: str, folder: Path) -> Iterator[str]:
    """Write the pictures of a page; what is wrong with it."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page = chromium.open_page("en")
            page.look(width, dark=scheme == "dark")
            page.open(url)
            page.until(_READY.get(name, "true"))
            yield from (f"{name}, {width}, {scheme}: {one}" for one in problems(page))
            if scheme == "light":
                taken_ = page.send("Page.captureScreenshot", captureBeyondViewport=True)
                (folder / f"{name}-{width}.png").write_bytes(base64.b64decode(taken_["data"]))


def main() -> None:
    """Write all pictures into the folder that the command line names; exit code 1 if something is wrong."""
    if missing := missing_browser():
        sys.exit(missing)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        profile = Path(temporary, "profile")
        with pages(Path(temporary)) as found, browser(profile) as chromium:
            wrong = [one for name, url in found.items() for one in taken(chromium, name, url, folder)]
    names = ", ".join(sorted(path.name for path in folder.glob("*.png")))
    sys.stdout.write("\n".join([*wrong, f"{folder}: {names}", f"{len(wrong)} problems", ""]))
    if not PLAYGROUND.is_file():
        sys.stdout.write("without the playground, whose parts are not there: python3 -m tools.environment playground\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
