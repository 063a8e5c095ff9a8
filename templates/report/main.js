"use strict";
// The page: what is shown of which level, and the fields at the top that change it.

// Any two moments, the earlier one first, and never so close that numbers do not tell them apart.
function takeWindow(view, from, to) {
  const { last } = view.model,
    least = Math.max(1e-6, last * 1e-9);
  view.from = Math.min(Math.max(Math.min(from, to), 0), last - least);
  view.to = Math.min(Math.max(from, to, view.from + least), last);
}

function isWhole({ from, to, model }) {
  return from === 0 && to === model.last;
}

function setWindow(view, from, to) {
  takeWindow(view, from, to);
  refresh(view);
}

function showCells(view, from, to) {
  const [low, high] = from < to ? [from, to] : [to, from];
  const cells = view.model.cells.filter((cell) => cell.end >= low && cell.begin <= high);
  if (cells.length === 0) setWindow(view, low, high);
  else setWindow(view, cells[0].begin, Math.max(...cells.map((cell) => cell.end)));
}

function showNumbers(view, first, last) {
  const cells = view.model.cells.filter((cell) => cell.number >= first && cell.number <= last);
  if (cells.length === 0) return false;
  setWindow(view, cells[0].begin, Math.max(...cells.map((cell) => cell.end)));
  return true;
}

function fillFields(view, chosen) {
  const numbers = chosen.map((cell) => cell.number),
    whole = isWhole(view);
  byId("from").value = numbers.length > 0 ? Math.min(...numbers) : "";
  byId("to").value = numbers.length > 0 ? Math.max(...numbers) : "";
  for (const id of ["from", "to"]) byId(id).setCustomValidity("");
  byId("whole").disabled = whole;
  const edges = `${formatClock(view.from, 3)} to ${formatClock(view.to, 3)}: `;
  byId("window").textContent = (whole ? "" : edges) + formatDuration(view.to - view.from);
}

// Touching another cell at its edge is not showing it.
function chosenCells(view) {
  const edge = 1e-9;
  return view.model.cells.filter(
    (cell) => cell.end > view.from + edge && cell.begin < view.to - edge,
  );
}

function refresh(view) {
  const chosen = chosenCells(view);
  hideMoment(view);
  drawCharts(view);
  fillSummary(view);
  fillFields(view, chosen);
  if (view.measurement) drawIcicle(view);
  markRows(view, isWhole(view) ? [] : chosen);
  fillSource(chosen);
}

function setLevel(view, level) {
  view.level = level;
  makeCharts(view);
  for (const chart of view.charts) {
    listenToPointer(view, chart);
    listenToKeys(view, chart);
  }
  fillCells(view);
  refresh(view);
}

// The same stretch by the wall clock, where there is anything of it on the other node.
function setNode(view, index) {
  const before = view.model,
    model = view.nodes[index];
  const later = laterOn(model, before);
  const wasWhole = isWhole(view);
  view.model = model;
  if (wasWhole) takeWindow(view, 0, model.last);
  else takeWindow(view, view.from + later, view.to + later);
  if (!model.levels.includes(view.level)) view.level = model.levels[0] || "";
  fillHead(view);
  makeLevels(view);
  setLevel(view, view.level);
}

function makeNodes(view) {
  byId("nodes").hidden = view.nodes.length < 2;
  byId("node").append(
    ...view.nodes.map((node, i) =>
      option(i, node.parts ? "all together" : node.head.host || String(i)),
    ),
  );
  byId("node").addEventListener("change", () => setNode(view, Number(byId("node").value)));
}

function makeLevels(view) {
  const labels = view.model.levels.map((level) => {
    const input = element("input", {
      type: "radio",
      name: "level",
      value: level,
      checked: level === view.level,
    });
    input.addEventListener("change", () => setLevel(view, level));
    return element("label", {}, input, level);
  });
  byId("levels").replaceChildren(byId("levels").firstElementChild, ...labels);
  byId("levels").hidden = labels.length === 0;
}

function listenToFields(view) {
  byId("range").hidden = view.model.cells.length === 0;
  byId("whole").addEventListener("click", () => setWindow(view, 0, view.model.last));
  byId("range").addEventListener("submit", (event) => {
    event.preventDefault();
    const read = (id, otherwise) =>
      byId(id).value.trim() === "" ? otherwise : Number(byId(id).value);
    const good = showNumbers(view, read("from", 0), read("to", Infinity));
    byId("to").setCustomValidity(good ? "" : "No cell with such a number ran.");
    byId("to").reportValidity();
  });
  for (const id of ["from", "to"])
    byId(id).addEventListener("input", () => byId("to").setCustomValidity(""));
}

// ---- light and dark ----

const THEMES = ["auto", "light", "dark"];
const darkWanted = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(view, printing) {
  const wanted = view.theme === "auto" ? (darkWanted.matches ? "dark" : "light") : view.theme;
  document.documentElement.dataset.theme = printing ? "light" : wanted;
  byId("theme").textContent = "Theme: " + view.theme;
  view.colours = readColours();
  if (view.measurement) view.pathColours = pathColours(view);
}

function changeTheme(view) {
  applyTheme(view, false);
  setLevel(view, view.level);
}

function listenToTheme(view) {
  byId("theme").addEventListener("click", () => {
    view.theme = THEMES[(THEMES.indexOf(view.theme) + 1) % THEMES.length];
    changeTheme(view);
  });
  darkWanted.addEventListener("change", () => changeTheme(view));
}

// ---- size and paper ----

const PAPER_WIDTH = 700,
  PAPER_SHARPNESS = 3;

function takeSize(view) {
  view.width = byId("main").clientWidth;
  view.sharpness = devicePixelRatio || 1;
}

function listenToSize(view) {
  addEventListener("beforeprint", () => {
    applyTheme(view, true);
    view.width = PAPER_WIDTH;
    view.sharpness = PAPER_SHARPNESS;
    setLevel(view, view.level);
  });
  addEventListener("afterprint", () => {
    takeSize(view);
    changeTheme(view);
  });
  new ResizeObserver(() => {
    if (byId("main").clientWidth === view.width) return;
    takeSize(view);
    drawCharts(view);
    if (view.measurement) drawIcicle(view);
  }).observe(byId("main"));
}

// ---- the head ----

// A wait status; -1: of somebody else's child.
function endText(end) {
  if (!end || end.status === -1) return "not known";
  const signal = end.status & 127;
  return signal === 0 ? `exit status ${(end.status >> 8) & 255}` : `signal ${signal}`;
}

function factsOf({ model, signatures, request, measurement }) {
  const { head } = model,
    isSampled = model.groups.length > 0 || !measurement,
    facts = measurement ? measuredFacts(measurement) : [];
  facts.push(["Host", head.host]);
  // A trace may not have the start.
  if (isSampled || head.start > 0) facts.push(["Started", formatWall(head.start)]);
  if (!isSampled) return facts;
  const limit = head.memory_limit > 0 ? `${formatBytes(head.memory_limit)} of ` : "";
  facts.push(
    ["Duration", formatDuration(model.last)],
    ["Ended", endText(model.end)],
    ["CPUs", `${head.cpus}` + (head.cpu_list ? ` (${head.cpu_list})` : "")],
    ["Memory", limit + formatBytes(head.memory_total)],
  );
  if (head.job) facts.push(["Job", head.job]);
  head.gpus.forEach((gpu, i) =>
    facts.push([`GPU ${i}`, `${gpu.name}, ${formatBytes(gpu.memory)}`]),
  );
  const taken = model.due > 0 ? `${model.due - model.missed} of ${model.due}, ` : "";
  facts.push(["Samples", `${taken}every ${formatDuration(head.interval * 1e-9)}`]);
  if (signatures.length > 0) facts.push(["Signature", signatures.join(", ")]);
  if (request) facts.push(["For the next job", "--mem=" + request]);
  return facts;
}

function fillHead(view) {
  const { model } = view,
    notes = [...model.notes];
  if (model.truncated)
    notes.unshift(
      "The file of samples is cut off or damaged: this is what stands before that place.",
    );
  const step = Math.max(1, ...model.groups.map((group) => group.step));
  if (step > 1)
    notes.unshift(
      `Of up to ${step} samples this page has one, with the highest values in between.`,
    );
  if (view.measurement) notes.unshift(...measuredNotes(view.measurement));
  const name = "nbscorep report";
  byId("command").textContent = model.head.command || name;
  document.title = model.head.command ? `${model.head.command.slice(0, 80)} \u2013 ${name}` : name;
  byId("facts").replaceChildren(
    ...factsOf(view).map(([name, text]) =>
      element("div", {}, cellOf("dt", name), cellOf("dd", text, "user")),
    ),
  );
  byId("notes").replaceChildren(...notes.map((note) => cellOf("li", note, "user")));
}

function showPage() {
  const view = {
    ...readData(byId("data").textContent),
    theme: "auto",
    sorting: { column: 0, down: false },
  };
  fillHead(view);
  makeNodes(view);
  makeLevels(view);
  takeSize(view);
  applyTheme(view, false);
  if (view.range) takeWindow(view, ...view.range);
  if (view.measurement) fillMeasured(view);
  const isSampled = view.nodes.some((node) => node.groups.length > 0);
  for (const id of ["summary-section", "charts-section"])
    byId(id).hidden = !isSampled && view.measurement !== undefined;
  setLevel(view, view.level);
  listenToFields(view);
  listenToTheme(view);
  listenToOverview(view);
  listenToSize(view);
  document.documentElement.dataset.ready = Math.round(performance.now());
}

showPage();
