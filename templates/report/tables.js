"use strict";
// Tables: of all figures of what is shown, and of the cells.

function cellOf(name, text, className) {
  return element(name, { textContent: text, className: className || "" });
}

function figureRow(view, panel, line) {
  const figures = figuresOf(line.column, view.from, view.to);
  const name = panel.lines.length > 1 ? `${panel.title}: ${line.label}` : panel.title;
  const sign = !line.column.counter && figures.total > 0 ? "+" : "";
  const total = panel.total ? sign + panel.total(figures.total) : "";
  const { low, mean, high } = figures;
  // A mean up to the edges of the stretch may lie outside of what was seen between whole samples.
  return element(
    "tr",
    {},
    cellOf("th", name, "text"),
    cellOf("td", panel.format(mean)),
    cellOf("td", panel.format(Math.min(low, mean))),
    cellOf("td", panel.format(Math.max(high, mean))),
    cellOf("td", total),
  );
}

function fillFigures(view) {
  const head = ["Mean", "Lowest", "Highest", "In all, or change"].map((text) => cellOf("th", text));
  const rows = view.charts.flatMap(({ panel }) =>
    panel.lines.map((line) => figureRow(view, panel, line)),
  );
  byId("figures").replaceChildren(
    element("thead", {}, element("tr", {}, cellOf("th", "", "text"), ...head)),
    element("tbody", {}, ...rows),
  );
}

// What the table has of a cell. Each heading: name, how the number is written, the number itself. A bar shows the
// share of the run's time.
const HEADINGS = [
  { name: "Start", format: formatDuration, value: (cell) => cell.begin },
  { name: "Wall", format: formatDuration, value: (cell, has) => has.seconds, bar: true },
  { name: "CPU", format: formatPercent, value: (cell, has) => has.cpu.mean },
  { name: "Core-seconds", format: formatSeconds, value: (cell, has) => has.coreSeconds },
  { name: "Peak memory", format: formatBytes, value: (cell, has) => has.memoryPeak },
  { name: "Memory change", format: formatChange, value: (cell, has) => has.memoryChange },
  { name: "Read", format: formatBytes, value: (cell, has) => has.read },
  { name: "Written", format: formatBytes, value: (cell, has) => has.written },
  { name: "GPU", format: formatPercent, value: (cell, has) => has.gpu.mean },
  { name: "GPU memory", format: formatBytes, value: (cell, has) => has.gpuMemory.high },
];

function compare(a, b) {
  if (typeof a === "string") return a < b ? -1 : a > b ? 1 : 0;
  return (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b) || 0;
}

function sortRows(view) {
  const { column, down } = view.sorting,
    sign = down ? -1 : 1;
  view.rows.sort((a, b) => sign * compare(a.values[column], b.values[column]) || a.order - b.order);
  document.querySelector("#cells tbody").replaceChildren(...view.rows.map((row) => row.element));
  document.querySelectorAll("#cells thead th").forEach((heading, i) => {
    const mark = heading.querySelector(".mark");
    mark.textContent = i === column ? (down ? "\u00a0\u25be" : "\u00a0\u25b4") : "";
    if (i === column) heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  });
}

function makeHeading(view, heading, index) {
  const button = element(
    "button",
    { type: "button" },
    heading.name,
    element("span", { className: "mark" }),
  );
  button.addEventListener("click", () => {
    const again = view.sorting.column === index;
    view.sorting = { column: index, down: again ? !view.sorting.down : !heading.text };
    sortRows(view);
  });
  return element("th", { className: heading.text ? "text" : "" }, button);
}

function makeRow(view, cell, order, headings) {
  const button = element("button", { type: "button", textContent: String(cell.number) });
  button.addEventListener("click", () => view.show(cell.begin, cell.end));
  const has = measuresOf(view.model, view.level, cell.begin, cell.end);
  const numbers = headings.map((heading) => heading.value(cell, has));
  const title = cellOf("td", cell.title, "text title user");
  title.title = cell.title;
  const row = element(
    "tr",
    {},
    element("td", { className: "text" }, button),
    title,
    cellOf("td", cell.state, cell.isGood ? "text" : "text bad"),
    ...headings.map((heading, i) => {
      const figure = cellOf("td", heading.format(numbers[i]), heading.bar ? "bar" : "");
      if (heading.bar) figure.style.setProperty("--share", numbers[i] / view.model.last || 0);
      return figure;
    }),
  );
  return { element: row, cell, order, values: [cell.number, cell.title, cell.state, ...numbers] };
}

function fillCells(view) {
  byId("cell-section").hidden = view.model.cells.length === 0 || view.measurement !== undefined;
  const texts = ["Cell", "Title", "State"].map((name) => ({ name, text: true }));
  const whole = measuresOf(view.model, view.level, 0, view.model.last);
  // What was not sampled has no place in the table.
  const headings = HEADINGS.filter((heading) =>
    Number.isFinite(heading.value({ begin: 0 }, whole)),
  );
  view.sorting.column = Math.min(view.sorting.column, texts.length + headings.length - 1);
  view.rows = view.model.cells.map((cell, order) => makeRow(view, cell, order, headings));
  byId("cells").replaceChildren(
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...[...texts, ...headings].map((heading, i) => makeHeading(view, heading, i)),
      ),
    ),
    element("tbody"),
  );
  sortRows(view);
}

function markRows(view, chosen) {
  for (const row of view.rows) row.element.classList.toggle("chosen", chosen.includes(row.cell));
}

function fillSource(chosen) {
  const cell = chosen.length === 1 ? chosen[0] : undefined;
  byId("source-section").hidden = !cell || !cell.source;
  byId("source-title").textContent = cell ? `Cell ${cell.number}` : "";
  byId("source").textContent = cell ? cell.source : "";
}
