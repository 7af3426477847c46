// The page: what is asked goes to the worker, what comes back is shown. Every text is shown as text, never as markup.

import { EXAMPLES } from "./examples.js";
import { shown } from "./outcome.js";
import { WORDS } from "./words.js";

const element = (id) => document.getElementById(id);
const FINISHED = { yes: true, no: false, unknown: undefined };

let language = navigator.language.startsWith("zh") ? "zh" : "en";
let worker;
let last = null;
let state = "loading";

function say(word, ...values) {
  state = word;
  const told = WORDS[language][word];
  element("state").textContent = typeof told === "function" ? told(...values) : told;
}

function speak() {
  const words = WORDS[language];
  document.documentElement.lang = language;
  document.title = words.title;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = words[one.dataset.word];
  element("language").textContent = words.other;
  element("language").lang = language === "zh" ? "en" : "zh";
  [...element("example").options].forEach((option, at) => { option.textContent = EXAMPLES[at].names?.[language] ?? words.examples[at]; });
}

function busy(is) {
  element("run").disabled = is;
  element("stop").disabled = state !== "running";
  element("answer").setAttribute("aria-busy", String(state === "running"));
}

// The worker has this page's own policy, since it comes from a blob: it can reach no other origin either.
function start(word) {
  const base = new URL(".", document.baseURI).href;
  const loader = new Blob([`import ${JSON.stringify(`${base}worker.js`)};postMessage({loaded: true});`], { type: "text/javascript" });
  const url = URL.createObjectURL(loader);
  worker = new Worker(url, { type: "module" });
  worker.onmessage = ({ data }) => heard(data, base, url);
  worker.onerror = (event) => heard({ broken: event.message || "worker.js" }, base, url);
  say(word);
  busy(true);
}

function heard(data, base, url) {
  if (data.loaded) {
    URL.revokeObjectURL(url);
    worker.postMessage({ base });
  } else if (data.broken) {
    show({ broken: data.broken });
    if (state === "running") {
      again("crashed");
    } else {
      say("broken");
      busy(true);
    }
  } else if (data.ready) {
    say("ready");
    busy(false);
  } else {
    say("done", Math.max(1, Math.round(data.milliseconds)));
    busy(false);
    show(JSON.parse(data.told));
  }
}

function again(word) {
  worker.terminate();
  start(word);
}

function show(outcome) {
  last = outcome;
  element("outcome").replaceChildren(...shown(outcome, WORDS[language]));
}

function ask() {
  say("running");
  busy(true);
  worker.postMessage({
    text: element("text").value,
    source: element("source").value,
    finished: FINISHED[element("finished").value],
    coerce: element("coerce").checked,
    language,
  });
}

function choose() {
  const example = EXAMPLES[element("example").value];
  element("text").value = example.text;
  element("source").value = example.source;
  element("coerce").checked = Boolean(example.coerce);
}

element("example").append(...EXAMPLES.map((_, at) => new Option("", String(at))));
element("example").addEventListener("change", choose);
element("question").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!element("run").disabled) ask();
});
element("stop").addEventListener("click", () => again("stopped"));
element("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  speak();
  if (state === "done") ask();
  else if (last) show(last);
  if (state !== "running") say(state);
});

speak();
choose();
start("loading");
