"use strict";

// Shows an answer while it is written: one element for each JSON path, and of those only what an event names is touched.
// What a model wrote becomes text nodes, never markup.

const STATES = {
  waiting: "Waiting: nothing of the answer is certain yet.",
  reading: "Reading: what is certain is shown.",
  unsure: "Unsure: the rest can be read in more than one way, and is shown at the end.",
  done: "The answer is at its end.",
  accepted: "Accepted: the object at the end has its type.",
  refused: "Refused: none of it may be used.",
  lost: "The connection was lost.",
};
// The last step of a path: a name, an index, or a name in quotes.
const LAST_STEP = /^(.*?)(?:\.([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])$/su;
const TAGS = { object: "dl", array: "ol", string: "p", other: "code" };

const [answer, end, state] = ["answer", "end", "state"].map((id) => document.getElementById(id));
const elements = new Map();
let source = null;

function made(tag, text = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

// Where a new value goes: its list item, or its definition behind its name.
function placeFor(path) {
  if (path === "$") return answer;
  const [, parent, name, index, quoted] = LAST_STEP.exec(path);
  const place = made(index === undefined ? "dd" : "li");
  if (index === undefined) elements.get(parent).append(made("dt", name ?? JSON.parse(quoted)));
  elements.get(parent).append(place);
  return place;
}

function show({ path, kind, text, whole }) {
  if (!elements.has(path)) {
    const element = made(TAGS[kind]);
    element.dataset.path = path;
    element.append(document.createTextNode(""));
    placeFor(path).append(element);
    elements.set(path, element);
  }
  const element = elements.get(path);
  if (kind === "string") element.firstChild.appendData(text);
  if (kind === "other") element.firstChild.data = text;
  element.classList.toggle("whole", whole);
}

function tell(name) {
  state.textContent = STATES[name];
  state.dataset.state = name;
}

function finish(name, tag, text) {
  source.close();
  tell(name);
  answer.classList.toggle("refused", name !== "accepted");
  answer.setAttribute("aria-busy", "false");
  end.replaceChildren(made(tag, text));
}

function start(name) {
  source?.close();
  elements.clear();
  answer.replaceChildren();
  answer.classList.remove("refused");
  answer.setAttribute("aria-busy", "true");
  end.replaceChildren(made("p", "Not there yet."));
  tell("waiting");
  source = new EventSource(`answers/${encodeURIComponent(name)}/events`);
  source.addEventListener("snapshot", ({ data }) => {
    const snapshot = JSON.parse(data);
    snapshot.parts.forEach(show);
    tell(snapshot.state);
  });
  source.addEventListener("accepted", ({ data }) =>
    finish("accepted", "pre", JSON.stringify(JSON.parse(data).value, null, 2)));
  source.addEventListener("refused", ({ data }) => finish("refused", "p", JSON.parse(data).message));
  source.addEventListener("error", () => finish("lost", "p", "Start again."));
}

document.getElementById("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  start(document.getElementById("name").value);
});
