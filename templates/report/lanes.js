"use strict";
// The timeline of the measurement: a lane for each thread, which a click opens to all levels of its call paths.

const LANE = 15,
  MARGIN = 400,
  LEVELS_MAX = 24,
  LANES_LABELS = 11;

// A chart like those of samples, so that pointer, keyboard and the shown time are theirs.
function makeLanes(view) {
  const { measurement, colours } = view;
  const lanes = measurement.locations.filter((location) => location.timelines.length > 0);
  for (const lane of lanes) lane.isOpen = lanes.length === 1;
  if (lanes.length === 0) return undefined;
  const panel = { title: "Timeline", lines: [], lanes };
  const chart = makeChart(panel, colours);
  const kinds = [...new Set(measurement.kindOf)].sort((a, b) => a - b);
  chart.root.querySelector(".legend").append(
    ...kinds.map((kind) => {
      const mark = element("span", { className: "kind" });
      mark.style.background = colours.kinds[kind % colours.kinds.length][1];
      return element("li", {}, mark, measurement.kinds[kind]);
    }),
  );
  chart.canvas.addEventListener("click", (event) => {
    const found = laneAt(chart, event.offsetY);
    if (found && event.offsetX <= chart.frame.left) openLane(view, found.lane);
  });
  chart.lane = 0; // the one of the keyboard
  chart.root.classList.add("lanes");
  byId("lanes").onscroll = () => drawChart(chart, view);
  return chart;
}

function openLane(view, lane) {
  lane.isOpen = !lane.isOpen;
  drawCharts(view);
}

function moveLane(view, chart, step) {
  chart.lane = Math.min(Math.max(chart.lane + step, 0), chart.panel.lanes.length - 1);
  moveMoment(view, chart, 0);
}

function laneDepth(view, lane) {
  if (lane.depth === undefined) {
    const { depths } = view.measurement;
    lane.depth = lane.timelines[0].paths.reduce((most, path) => Math.max(most, depths[path]), 1);
  }
  return lane.isOpen ? Math.min(lane.depth, LEVELS_MAX) : 1;
}

function lanesHeight(view, lanes) {
  return lanes.reduce((sum, lane) => sum + laneDepth(view, lane) * LANE + 2, 0);
}

// What a point of the chart is of: the lane, and in an open one the depth.
function laneAt(chart, y) {
  const lane = chart.panel.lanes.find(({ top, bottom }) => y >= top && y < bottom);
  return lane && { lane, depth: lane.isOpen ? 1 + Math.floor((y - lane.top) / LANE) : 0 };
}

// The most detailed timeline that a browser draws at once: with a few changes for each pixel.
function timelineFor(lane, { from, to, left, right }) {
  return (
    lane.timelines.find(
      ({ times }) => countBefore(times, to) - countBefore(times, from) < 4 * (right - left),
    ) || lane.timelines[lane.timelines.length - 1]
  );
}

function ancestorAt(measured, path, depth) {
  while (measured.depths[path] > depth) path = measured.parents[path];
  return path;
}

// Calls EACH for what was on at DEPTH (0: the innermost) between FROM and TO: path, begin, end.
function eachSpan(measured, { times, paths, end }, depth, from, to, each) {
  let at = Math.max(countBefore(times, from) - 1, 0),
    open = -1,
    begin = 0;
  for (; at < times.length && times[at] <= to; at++) {
    let path = paths[at];
    if (depth > 0) path = measured.depths[path] < depth ? 0 : ancestorAt(measured, path, depth);
    if (path === open) continue;
    if (open > 1) each(open, begin, times[at]);
    open = path;
    begin = times[at];
  }
  if (open > 1) each(open, begin, at < times.length ? times[at] : end);
}

function drawSpans(view, context, frame, lane, depth, top) {
  const timeline = timelineFor(lane, frame);
  eachSpan(view.measurement, timeline, depth, view.from, view.to, (path, begin, end) => {
    const left = Math.max(timeToX(frame, begin), frame.left),
      right = Math.min(timeToX(frame, end), frame.right);
    if (right - left < 0.05) return;
    drawBox(view, context, path, left, right - left, top, LANE - 1);
  });
}

// A box of a call path, with its name where that fits; what does not match a search is dim.
function drawBox(view, context, path, left, width, top, height) {
  const { measurement, matches } = view;
  context.globalAlpha = matches && matches[path] !== 1 ? 0.22 : 1;
  context.fillStyle = view.pathColours[path];
  context.fillRect(left, top, width > 2 ? width - 0.5 : width, height);
  if (width > 34) {
    const name = pathName(measurement, path).replace(/^(__main__|user):/, "");
    const room = Math.floor((width - 6) / 6.2);
    context.fillStyle = view.colours["box-label"];
    context.fillText(
      name.length > room ? name.slice(0, Math.max(room - 1, 1)) + "\u2026" : name,
      left + 3,
      top + height / 2 + 0.5,
    );
  }
  context.globalAlpha = 1;
}

// Of many lanes those in sight are drawn, and on paper all.
function drawLanes(view, chart, context) {
  const { frame } = chart,
    { scrollTop, clientHeight } = byId("lanes"),
    isPaper = view.sharpness === PAPER_SHARPNESS,
    isInSight = (lane) =>
      isPaper || (lane.bottom > scrollTop - MARGIN && lane.top < scrollTop + clientHeight + MARGIN);
  let top = frame.top + 1;
  for (const lane of chart.panel.lanes) {
    const depth = laneDepth(view, lane);
    lane.top = top;
    lane.bottom = top + depth * LANE + 2;
    top = lane.bottom;
    if (!isInSight(lane)) continue;
    setText(context, view.colours, "right");
    context.fillText(
      (lane.isOpen ? "\u25be " : "\u25b8 ") + lane.label.slice(0, LANES_LABELS),
      frame.left - 5,
      lane.top + LANE / 2,
    );
    context.textAlign = "left";
    for (let i = 0; i < depth; i++)
      drawSpans(view, context, frame, lane, lane.isOpen ? i + 1 : 0, lane.top + i * LANE);
  }
}

// What the pointer is at: the thread, the function, how long it was there.
function laneLines(view, chart, time, y) {
  const found = laneAt(chart, y),
    { measurement } = view;
  if (!found) return [];
  const { lane, depth } = found,
    lines = [["user", `${lane.label}: ${lane.name}`]];
  const timeline = timelineFor(lane, chart.frame);
  eachSpan(measurement, timeline, depth, time, time, (path, begin, end) => {
    lines.push(["title user", pathName(measurement, path)]);
    lines.push(["", `${measurement.kinds[measurement.kindOf[path]]}, ${formatDuration(end - begin)}`]);
  });
  return lines;
}
