"use strict";

// Starts an answer in each frame, notes what the page in it holds after each change, and sends what it saw to the test.

function watched(frame) {
  const page = frame.contentDocument;
  const answer = page.getElementById("answer");
  const found = { html: [], texts: {}, states: [], removed: 0 };
  return new Promise((resolve) => {
    const observer = new MutationObserver((records) => {
      look(page, found);
      found.removed += records.filter((one) => answer.contains(one.target) && one.removedNodes.length).length;
      if (answer.getAttribute("aria-busy") !== "false") return;
      observer.disconnect();
      resolve(found);
    });
    observer.observe(page, { subtree: true, childList: true, characterData: true, attributes: true });
    page.getElementById("name").value = frame.dataset.answer;
    page.querySelector("button").click();
  });
}

function look(page, found) {
  found.html.push(page.documentElement.outerHTML);
  found.states.push(page.getElementById("state").dataset.state);
  for (const element of page.querySelectorAll("p[data-path], code[data-path]")) {
    const texts = (found.texts[element.dataset.path] ??= []);
    if (texts.at(-1) !== element.textContent) texts.push(element.textContent);
  }
}

function measured(frame, found) {
  const page = frame.contentDocument;
  const object = page.querySelector("#end pre");
  return {
    ...found,
    end: page.getElementById("end").textContent,
    object: object && JSON.parse(object.textContent),
    names: [...page.querySelectorAll("dt")].map((one) => one.textContent),
    markup: page.querySelectorAll("img, svg, b, script:not([src='static/page.js'])").length,
    owned: page.documentElement.dataset.owned ?? null,
    width: page.documentElement.clientWidth,
    needed: page.documentElement.scrollWidth,
    scheme: frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  };
}

async function checked(frame, found) {
  if (!document.body.dataset.axe) return found;
  const page = frame.contentDocument;
  const script = page.createElement("script");
  script.src = document.body.dataset.axe;
  await new Promise((resolve) => { script.onload = resolve; page.head.append(script); });
  const { violations, passes } = await frame.contentWindow.axe.run();
  const told = violations.map((rule) => [rule.id, ...rule.nodes.map((node) => node.html.slice(0, 160))]);
  return { ...found, violations: told, passes: passes.length };
}

onload = async () => {
  const frames = [...document.querySelectorAll("iframe")];
  const all = await Promise.all(frames.map(async (frame) => checked(frame, measured(frame, await watched(frame)))));
  await fetch("/seen", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(all) });
};
