"use strict";

// Uses the playground in the frame as a person would, and sends what the page shows to the test.

const { axe, elsewhere } = document.body.dataset;
const frame = document.querySelector("iframe");
const page = () => frame.contentDocument;
const element = (id) => page().getElementById(id);
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

async function until(is) {
  while (!is()) await pause(20);
}

async function read(changes) {
  for (const [id, value] of Object.entries(changes)) {
    element(id).value = value;
    element(id).dispatchEvent(new Event("change"));
  }
  element("run").click();
  await until(() => !element("run").disabled);
  return shown();
}

function shown() {
  const [value] = page().querySelectorAll("#outcome pre");
  return {
    state: element("state").textContent,
    busy: element("answer").getAttribute("aria-busy"),
    verdict: page().querySelector("#outcome .verdict").textContent,
    all: element("outcome").textContent,
    first: value.textContent,
    marks: [...page().querySelectorAll("#outcome pre mark")].map((one) => [one.className, one.textContent, one.title]),
    rows: [...page().querySelectorAll("#outcome tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
    strange: page().querySelectorAll("img, svg, b, iframe, #outcome script").length,
    owned: page().documentElement.dataset.owned ?? null,
    lang: page().documentElement.lang,
    title: page().title,
  };
}

async function looked(width, scheme) {
  frame.style.width = `${width}px`;
  frame.style.colorScheme = scheme;
  await pause(100);
  const root = page().documentElement;
  const dark = frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches;
  const found = { width: root.clientWidth, needed: root.scrollWidth, dark, violations: [], passes: 0 };
  if (!axe) return found;
  const { violations, passes } = await frame.contentWindow.axe.run();
  const told = violations.map((rule) => [rule.id, ...rule.nodes.map((node) => node.html.slice(0, 160))]);
  return { ...found, violations: told, passes: passes.length };
}

async function withAxe() {
  if (!axe) return;
  const script = page().createElement("script");
  script.src = axe;
  await new Promise((resolve) => { script.onload = resolve; page().head.append(script); });
}

onload = async () => {
  const seen = {};
  seen.atFirst = [element("state").textContent, element("run").disabled, element("stop").disabled];
  await until(() => !element("run").disabled);
  if (page().documentElement.lang !== "en") element("language").click();
  seen.damaged = await read({ example: "0" });
  await withAxe();
  seen.looks = [await looked(1280, "light"), await looked(390, "dark")];
  seen.cut = await read({ example: "2" });
  seen.looks.push(await looked(768, "dark"), await looked(1600, "light"), await looked(390, "light"));
  seen.finished = await read({ text: "{'a': 1", source: "", finished: "yes" });
  seen.unfit = await read({ example: "3", finished: "unknown" });
  seen.spelled = await read({ example: "5" });
  seen.hostile = await read({
    text: `{"<img src=x onerror='document.documentElement.dataset.owned=1'>": "</pre><script>1</` + `script><b>x", 'n': "\u202e\ud800"}`,
    source: "",
  });
  seen.source = await read({ source: "class Broken(:\n    pass" });
  seen.empty = await read({ source: "number = 1" });
  seen.reaching = await read({
    text: '{"a": 1}',
    source: `from js import fetch, XMLHttpRequest
from pydantic import BaseModel
fetch("${elsewhere}/fetched")
request = XMLHttpRequest.new()
request.open("GET", "${elsewhere}/requested", False)
try:
    request.send()
except BaseException:
    blocked = True
class A(BaseModel):
    a: int
`,
  });
  element("source").value = "while True: pass";
  element("run").click();
  await pause(200);
  seen.running = [element("state").textContent, element("run").disabled, element("stop").disabled];
  element("stop").click();
  seen.stopped = element("state").textContent;
  await until(() => !element("run").disabled);
  seen.list = await read({ example: "4" });
  element("language").click();
  await until(() => !element("run").disabled);
  seen.chinese = shown();
  seen.words = [...page().querySelectorAll("[data-word]")].map((one) => one.textContent);
  await fetch("/seen", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(seen) });
};
