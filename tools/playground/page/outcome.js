// What came out of a text, as elements.

function made(name, attributes, ...children) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value) one.setAttribute(key, value);
  one.append(...children);
  return one;
}

function sheet(label, ...children) {
  return made("pre", { tabindex: "0", role: "region", "aria-label": label }, ...children);
}

export function shown(outcome, words) {
  if (outcome.broken) return [made("p", { class: "verdict refusal" }, words.broken), sheet(words.broken, outcome.broken)];
  if (outcome.problem) return [made("p", { class: "verdict refusal" }, words.problem), sheet(words.problem, outcome.problem)];
  return [
    ...(outcome.refusal ? refusal(outcome.refusal, words) : value(outcome, words)),
    ...marked(outcome, words),
    ...repairs(outcome, words),
    ...coercions(outcome, words),
    ...stages(outcome, words),
  ];
}

function value(outcome, words) {
  const count = outcome.repairs.reduce((sum, one) => sum + one.count, outcome.more);
  return [
    made("p", { class: "verdict read" }, words.counted(count, outcome.coercions.length)),
    made("h3", {}, words.value),
    sheet(words.value, outcome.value),
  ];
}

function refusal(found, words) {
  return [
    made("p", { class: "verdict refusal" }, words.refused(found.stage, found.places)),
    made("p", { id: "message" }, found.message),
    made("h3", {}, words.feedback),
    sheet(words.feedback, found.feedback),
  ];
}

function marked(outcome, words) {
  const kinds = new Set();
  const parts = outcome.parts.map(([text, of, title]) => {
    if (!of.length) return text;
    of.forEach((kind) => kinds.add(kind));
    return made("mark", { class: of.join(" "), title }, text || "\u2038");
  });
  const names = { dropped: words.dropped, chosen: words.chosen, repaired: words.repaired, refused: words.here };
  const legend = Object.keys(names).filter((kind) => kinds.has(kind));
  return [
    made("h3", {}, words.marks),
    sheet(words.marks, ...parts, outcome.cut ? `\n${words.more(outcome.cut)}` : ""),
    made("ul", { class: "legend" }, ...legend.map((kind) => made("li", {}, made("mark", { class: kind }, names[kind])))),
  ];
}

function repairs(outcome, words) {
  if (!outcome.repairs.length) return [];
  const rows = outcome.repairs.map((one) => [
    made("span", { class: "kind" }, one.kind.replaceAll("_", " ") + (one.count > 1 ? ` ×${one.count}` : "")),
    one.place,
    one.found.trim() ? made("code", {}, one.found) : words.missing,
    one.put.trim() ? made("code", {}, one.put) : words.missing,
  ]);
  const more = outcome.more ? [made("p", { class: "quiet" }, words.more(outcome.more))] : [];
  return [made("h3", {}, words.repairs), table([words.kind, words.place, words.was, words.is], rows, words.repairs), ...more];
}

function coercions(outcome, words) {
  if (!outcome.coercions.length) return [];
  const rows = outcome.coercions.map((one) => [
    made("span", { class: "kind" }, one.kind.replaceAll("_", " ")),
    made("code", {}, one.path),
    made("code", {}, one.before),
    made("code", {}, one.after),
  ]);
  return [made("h3", {}, words.coercions), table([words.kind, words.place, words.was, words.is], rows, words.coercions)];
}

function stages(outcome, words) {
  const rows = outcome.stages.map((stage) => [made("span", { class: "kind stage" }, stage.name), did(stage, words)]);
  return [made("h3", {}, words.stages), table([words.stage, words.did], rows, words.stages)];
}

function did(stage, words) {
  const state = stage.state === "failed" ? "failed" : stage.state === "passed" ? "passed" : "missed";
  const noted = stage.notes.map((note) => words.noted(note.action, note.start, note.length));
  if (state === "failed" || !noted.length) noted.push(words[state]);
  return made("span", { class: state }, noted.join("; "));
}

function table(heads, rows, label) {
  const head = made("tr", {}, ...heads.map((text) => made("th", { scope: "col" }, text)));
  const body = rows.map((cells) => made("tr", {}, ...cells.map((cell) => made("td", {}, cell))));
  const whole = made("table", {}, made("thead", {}, head), made("tbody", {}, ...body));
  return made("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, whole);
}
