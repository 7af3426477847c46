"use strict";

// Draws the series with Vega-Lite, out of the table that is there for those who do not see it. Expressions are
// interpreted, so that the policy of the page need not allow code made of text.
(() => {
  const HEIGHTS = { rate: 156, texts: 84 };
  const FONT_SIZE = 12;
  const BESIDE = 14; // pixels beside the names of the thresholds
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const shown = {};
  let drawing = 0;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function stepsOf(table) {
    const width = Number(table.dataset.step) * 1000;
    const steps = [];
    for (const row of table.tBodies[0].rows) {
      const at = Number(row.dataset.at);
      const [texts, outputs, asked, repaired, refused] = row.dataset.numbers.split(" ").map(Number);
      const last = steps.at(-1);
      if (last && at - last.at !== width) steps.push({ at: last.end, end: last.end + width, middle: last.end + width / 2, rate: null, refusals: null });
      const clean = texts - repaired - refused;
      steps.push({ at, end: at + width, middle: at + width / 2, texts, clean, repaired, refused, rate: outputs ? asked / outputs : 0, refusals: refused / texts });
    }
    return steps;
  }

  function widthBeside(labels) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    const room = Math.max(...labels.map((label) => pen.measureText(label).width)) + BESIDE;
    return Math.max(160, document.getElementById("plot-rate").clientWidth - 44 - Math.ceil(room));
  }

  function specsOf(table) {
    const said = table.dataset;
    const width = widthBeside([said.warning, said.alarm]);
    const steps = stepsOf(table);
    const real = steps.filter((one) => one.texts);
    const highest = Math.max(0.15, ...real.map((one) => Math.max(one.rate, one.refusals)));
    const x = (field, axis) => ({ field, type: "temporal", scale: { type: "utc", nice: false }, title: null, axis });
    const tooltip = [
      { field: "at", type: "temporal", title: said.time, format: "%m-%d %H:%M", timeUnit: "utcyearmonthdatehoursminutes" },
      { field: "texts", title: said.texts, format: "," },
      { field: "rate", title: said.rate, format: ".1%" },
      { field: "refusals", title: said.refusals, format: ".1%" },
    ];
    const threshold = (value, name, label) => [
      { data: { values: [{ value }] }, mark: { type: "rule", strokeDash: name === "--alarm" ? [] : [5, 4], color: colour(name) }, encoding: { y: { field: "value", type: "quantitative" } } },
      { data: { values: [{ value, label }] }, mark: { type: "text", align: "left", baseline: "middle", dx: 6, color: colour(name) }, encoding: { x: { value: width }, y: { field: "value", type: "quantitative" }, text: { field: "label" } } },
    ];
    const line = (field, name, thick, dash) => ({
      mark: { type: "line", color: colour(name), strokeWidth: thick, strokeDash: dash, invalid: "break-paths-show-domains", point: { size: 10, filled: true, color: colour(name) } },
      encoding: { x: x("middle", null), y: { field, type: "quantitative", title: null, scale: { domain: [0, Math.ceil(highest * 20) / 20] }, axis: { format: ".0%", tickCount: 4, minExtent: 36 } } },
    });
    const outcomes = ["clean", "repaired", "refused"];
    const shared = {
      background: null, width, padding: { left: 4, top: 8, right: 4, bottom: 2 }, data: { values: steps },
      config: {
        view: { stroke: null }, font: getComputedStyle(document.body).fontFamily, text: { fontSize: FONT_SIZE },
        axis: { labelColor: colour("--quiet"), labelFontSize: FONT_SIZE, gridColor: colour("--track"), domainColor: colour("--middle"), tickColor: colour("--middle") },
      },
    };
    const rate = { ...shared, height: HEIGHTS.rate, layer: [
      ...threshold(0.05, "--against", said.warning),
      ...threshold(0.1, "--alarm", said.alarm),
      line("refusals", "--quiet", 1, [3, 3]),
      line("rate", "--ink", 2, []),
      { transform: [{ filter: "isValid(datum.rate)" }], mark: { type: "rect", opacity: 0 }, encoding: { x: x("at", null), x2: { field: "end" }, y: { value: 0 }, y2: { value: HEIGHTS.rate }, tooltip } },
    ] };
    const texts = { ...shared, height: HEIGHTS.texts,
      transform: [{ filter: "isValid(datum.rate)" }, { fold: outcomes, as: ["outcome", "count"] }, { calculate: "indexof(['refused','repaired','clean'], datum.outcome)", as: "order" }, { stack: "count", groupby: ["at"], sort: [{ field: "order", order: "descending" }], as: ["below", "above"] }],
      mark: { type: "rect" },
      encoding: {
        x: x("at", { labelOverlap: true, grid: false, tickCount: 6, format: said.step < 3600 ? "%H:%M" : "%m-%d" }), x2: { field: "end" },
        y: { field: "below", type: "quantitative", title: null, axis: { tickCount: 2, format: "~s", grid: false, minExtent: 36 } }, y2: { field: "above" },
        color: { field: "outcome", type: "nominal", legend: null, scale: { domain: outcomes, range: ["--score", "--found-bar", "--alarm"].map(colour) } },
        tooltip: [tooltip[0], tooltip[1], ...outcomes.map((name) => ({ field: name, title: said[name], format: "," }))],
      } };
    return { "plot-rate": rate, "plot-texts": texts };
  }

  async function drawn(spec, label) {
    const parsed = window.vega.parse(window.vegaLite.compile(spec).spec, null, { ast: true });
    const view = new window.vega.View(parsed, { expr: window.vegaInterpreter.expressionInterpreter, renderer: "svg", logLevel: window.vega.Error });
    const stage = document.createElement("div");
    await view.initialize(stage).runAsync();
    const picture = stage.querySelector("svg");
    for (const name of ["role", "aria-roledescription", "aria-label"]) picture.parentElement.removeAttribute(name);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", label);
    picture.setAttribute("aria-describedby", "chart-table");
    for (const part of picture.children) part.setAttribute("aria-hidden", "true");
    return { view, stage };
  }

  window.drawChart = async () => {
    const table = document.getElementById("chart-table");
    if (!table || !window.vegaLite || !table.tBodies[0].rows.length) return;
    const turn = ++drawing;
    for (const [id, old] of Object.entries(shown)) document.getElementById(id).replaceChildren(old.stage);
    for (const [id, spec] of Object.entries(specsOf(table))) {
      const made = await drawn(spec, id === "plot-rate" ? table.dataset.label : table.dataset.textsLabel);
      const place = document.getElementById(id);
      if (turn !== drawing || !place) return made.view.finalize();
      shown[id]?.view.finalize();
      shown[id] = made;
      place.replaceChildren(made.stage);
    }
    document.documentElement.dataset.drawn = String(turn);
  };

  let resizing = 0;
  const again = () => { clearTimeout(resizing); resizing = setTimeout(window.drawChart, 150); };
  window.addEventListener("resize", again);
  dark.addEventListener("change", again);
})();
