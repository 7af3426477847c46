"use strict";

// What the page does besides being read: it refreshes its numbers, keeps what is unfolded, and says what goes wrong.
(() => {
  const EVERY = 15_000;
  const parts = document.getElementById("parts");
  const explained = document.getElementById("explained");
  const follow = document.getElementById("follow");
  const status = document.getElementById("status");
  let unfolded = [];
  let offsets = {};

  function refresh() {
    if (follow?.checked && !document.hidden) window.htmx.trigger(parts, "refresh");
  }

  function problemOf(request) {
    if (request.status === 413) return explained.dataset.tooLarge;
    try {
      const problem = JSON.parse(request.responseText);
      return problem.detail || problem.title || explained.dataset.failed;
    } catch {
      return explained.dataset.failed;
    }
  }

  function fail(event) {
    const { target, xhr } = event.detail;
    if (target === parts) {
      status.textContent = status.dataset.failed;
      status.classList.remove("unseen");
    } else if (target === explained) {
      const paragraph = document.createElement("p");
      paragraph.className = "heed grave";
      paragraph.textContent = xhr ? problemOf(xhr) : explained.dataset.failed;
      explained.replaceChildren(paragraph);
    }
  }

  document.documentElement.classList.add("scripted");
  if (follow) {
    follow.closest("label").hidden = false;
    window.setInterval(refresh, EVERY);
    document.addEventListener("visibilitychange", refresh);
  }

  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target !== explained) return;
    const paragraph = document.createElement("p");
    paragraph.className = "quiet";
    paragraph.textContent = explained.dataset.working;
    explained.replaceChildren(paragraph);
  });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== parts) return;
    unfolded = [...parts.querySelectorAll("details[open]")].map((one) => one.id);
    offsets = Object.fromEntries(
      [...parts.querySelectorAll(".scroll[id]")].map((one) => [one.id, [one.scrollLeft, one.scrollTop]]),
    );
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target === explained) {
      explained.scrollIntoView({ block: "nearest" });
      return;
    }
    if (event.detail.target !== parts) return;
    status.textContent = "";
    status.classList.add("unseen");
    const address = event.detail.xhr.getResponseHeader("X-Page-Address");
    if (address) window.history.replaceState(null, "", address);
    for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
    for (const [id, [left, top]] of Object.entries(offsets)) document.getElementById(id)?.scrollTo(left, top);
  });
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.body.addEventListener(name, fail);
})();
