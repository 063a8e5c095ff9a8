"use strict";
// The timelines: one canvas for each panel, with its legend, and the overview of all cells.

const byId = (id) => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function option(value, text) {
  return element("option", { value: String(value), textContent: text });
}

function swatch(index, colours) {
  const canvas = element("canvas", { className: "swatch" });
  const context = prepareCanvas(canvas, 26, 10, 2),
    { colour, dash } = lineStyle(index, colours);
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.setLineDash(dash);
  strokeLine(context, 0, 5, 26, 5);
  return canvas;
}

function makeLegend(panel, colours) {
  const values = panel.lines.map(() => element("span", { className: "value" }));
  const items = panel.lines.map((line, i) =>
    element("li", { title: line.about }, swatch(i, colours), line.label, values[i]),
  );
  return { list: element("ul", { className: "legend" }, ...items), values };
}

function makeChart(panel, colours) {
  const legend = makeLegend(panel, colours);
  const canvas = element("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", panel.title + " over time");
  const line = element("div", { className: "line" }),
    part = element("div", { className: "part" });
  const top = element(
    "div",
    { className: "top" },
    element("h3", { textContent: panel.title }),
    legend.list,
  );
  const area = element("div", { className: "area" }, canvas, line, part);
  const root = element("div", { className: "chart" }, top, area);
  return { panel, root, canvas, line, part, values: legend.values };
}

function frameOf(view, width, top, height) {
  const narrow = width < 500;
  return {
    left: narrow ? 58 : 66,
    right: width - (narrow ? 30 : 38),
    top,
    bottom: top + height,
    from: view.from,
    to: view.to,
  };
}

function plotHeight(view, panel) {
  if (panel.lanes) return lanesHeight(view, panel.lanes);
  return panel.cores
    ? Math.min(Math.max(panel.cores.length * 6, 60), CORE_HEIGHT_MAX)
    : PLOT_HEIGHT;
}

function drawChart(chart, view) {
  const bands = view.model.cells.length > 0 ? BAND_HEIGHT : 8,
    height = plotHeight(view, chart.panel);
  const frame = (chart.frame = frameOf(view, view.width, bands, height));
  const context = prepareCanvas(
    chart.canvas,
    view.width,
    bands + height + AXIS_HEIGHT + 2,
    view.sharpness,
  );
  drawBands(context, frame, view.model.cells, view.colours, bands);
  if (chart.panel.lanes) drawLanes(view, chart, context);
  else if (chart.panel.cores) drawCores(context, frame, chart.panel, view.colours);
  else drawLines(context, frame, chart.panel, view.colours);
  drawTimeAxis(context, frame, view.colours);
}

// All cells, whatever part of the run is shown below; what is not shown is dimmed.
function drawOverview(view) {
  const height = 26;
  const frame = (view.overview = {
    ...frameOf(view, view.width, BAND_HEIGHT, height - BAND_HEIGHT),
    from: 0,
    to: view.model.last,
  });
  const context = prepareCanvas(byId("overview"), view.width, height + 1, view.sharpness);
  drawBands(context, frame, view.model.cells, view.colours, BAND_HEIGHT);
  const left = timeToX(frame, view.from),
    right = timeToX(frame, view.to);
  context.globalAlpha = 0.7;
  context.fillStyle = view.colours.paper;
  context.fillRect(frame.left, 0, left - frame.left, height);
  context.fillRect(right, 0, frame.right - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = view.colours.accent;
  context.lineWidth = 2;
  context.strokeRect(left, 1, Math.max(right - left, 2), height - 1);
}

function makeCharts(view) {
  const panels = panelsOf(view.model, view.level);
  view.charts = panels.map((panel) => makeChart(panel, view.colours));
  byId("charts").replaceChildren(...view.charts.map((chart) => chart.root));
  const lanes = view.measurement && makeLanes(view);
  byId("lanes-hint").hidden = !lanes;
  if (!lanes) return;
  view.charts.unshift(lanes);
  byId("lanes").replaceChildren(lanes.root);
}

function drawCharts(view) {
  drawOverview(view);
  for (const chart of view.charts) drawChart(chart, view);
}
