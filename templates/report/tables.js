"use strict";
// Tables that the C side has made (src/report/figure_table.c): columns with units, and rows of figures, in which null is
// what is not known.

// How the figures of a unit are written.
const UNITS = {
  count: formatWhole,
  seconds: formatDuration,
  percent: formatPercent,
  ratio: (number) => digits(number),
  bytes: formatBytes,
  change: (number) => (number > 0 ? "+" : "") + formatBytes(number),
  "core-seconds": (number) => digits(number) + NARROW_BLANK + "core-s",
  milliwatts: (number) => withUnit(number / 1000, 1000, ["W", "kW"]),
};

function cellOf(name, text, className) {
  return element(name, { textContent: text, className: className || "" });
}

function figureText(column, value) {
  return value === null || value === undefined ? NONE : UNITS[column.unit](value);
}

function textCell(text) {
  const cell = cellOf("td", text, "text title user");
  cell.title = text;
  return cell;
}

// ---- sorting ----

// What is not known is less than all else.
function compare(a, b) {
  if (typeof a === "string") return a < b ? -1 : a > b ? 1 : 0;
  const known = (value) => (Number.isFinite(value) ? value : -Infinity);
  return known(a) - known(b) || 0;
}

// Fills TABLE with ROWS, each with its element and its values by column. A click on a heading sorts them, texts upwards
// and figures downwards at first; SORTING keeps by what.
function fillSorted(table, columns, rows, sorting) {
  const body = element("tbody");
  const show = () => {
    const { column, down } = sorting,
      order = (a, b) => compare(a.values[column], b.values[column]) * (down ? -1 : 1);
    body.replaceChildren(
      ...(column < 0 ? rows : [...rows].sort(order)).map((row) => row.element),
    );
    headings.forEach((heading, i) => {
      const mark = i !== column ? "" : down ? "\u00a0\u25be" : "\u00a0\u25b4";
      heading.querySelector(".mark").textContent = mark;
      if (i !== column) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  };
  const headings = columns.map((column, i) => {
    const mark = element("span", { className: "mark" }),
      isText = column.unit === "text";
    const button = element("button", { type: "button" }, column.title || "name", mark);
    button.addEventListener("click", () => {
      sorting.down = sorting.column === i ? !sorting.down : !isText;
      sorting.column = i;
      show();
    });
    return element("th", { className: isText ? "text" : "" }, button);
  });
  show();
  table.replaceChildren(element("thead", {}, element("tr", {}, ...headings)), body);
}

// ---- cells of samples ----

// The row of each cell: where there are several of its number, they are in the same order.
function rowsOfCells(table, cells) {
  const rows = new Map();
  for (const row of table.rows) {
    if (!rows.has(row[0])) rows.set(row[0], []);
    rows.get(row[0]).push(row);
  }
  return cells.map(({ number }) => (rows.get(number) || []).shift() || []);
}

// A bar shows the share of the run's time.
function cellRow(view, cell, row, columns) {
  const button = element("button", { type: "button", textContent: String(cell.number) });
  button.addEventListener("click", () => setWindow(view, cell.begin, cell.end));
  const figures = columns.map((column) => {
    const value = row[column.at],
      isBar = column.key === "wall_s";
    const figure = cellOf("td", figureText(column, value), isBar ? "bar" : "");
    if (isBar) figure.style.setProperty("--share", value / view.model.last || 0);
    return figure;
  });
  const state = cellOf("td", cell.state, cell.isGood ? "text" : "text bad");
  return {
    cell,
    row,
    element: element(
      "tr",
      {},
      element("td", { className: "text" }, button),
      textCell(cell.title),
      state,
      ...figures,
    ),
    values: [cell.number, cell.title, cell.state, ...columns.map(({ at }) => row[at] ?? NaN)],
  };
}

function fillCells(view) {
  const { cells, tables = {} } = view.model, // none without samples
    table = tables[view.level] || { columns: [], rows: [] };
  byId("cell-section").hidden = cells.length === 0 || view.measurement !== undefined;
  view.figures = table.columns.map((column, at) => ({ ...column, at })).slice(1);
  view.whole = table.rows[table.rows.length - 1] || [];
  const shown = view.figures.filter(({ more }) => !more),
    columns = [...["cell", "title", "state"].map((title) => ({ title, unit: "text" })), ...shown];
  const rows = rowsOfCells(table, cells);
  view.rows = cells.map((cell, i) => cellRow(view, cell, rows[i], shown));
  view.sorting.column = Math.min(view.sorting.column, columns.length - 1);
  fillSorted(byId("cells"), columns, view.rows, view.sorting);
}

// Figures of the one cell that is shown, else of the whole run.
function fillSummary(view) {
  const isCell = ({ cell }) => cell.begin === view.from && cell.end === view.to;
  const chosen = view.rows.find(isCell),
    row = chosen ? chosen.row : view.whole;
  byId("summary-title").textContent = chosen
    ? `Summary of cell ${chosen.cell.number}`
    : `Summary${isWhole(view) ? "" : " of the whole run"}`;
  const tile = (column) =>
    element(
      "div",
      {},
      cellOf("dt", column.title),
      element("dd", {}, cellOf("strong", figureText(column, row[column.at]))),
    );
  const known = view.figures.filter(({ at, key }) => Number.isFinite(row[at]) && key !== "begin");
  byId("summary").replaceChildren(...known.filter(({ more }) => !more).map(tile));
  byId("more").replaceChildren(...known.filter(({ more }) => more).map(tile));
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
