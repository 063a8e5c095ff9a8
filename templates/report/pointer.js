"use strict";
// What pointer and keyboard do on the timelines.

const DRAG_PIXELS = 4;

function cellAt(model, moment) {
  return model.cells.find((cell) => cell.begin <= moment && moment < cell.end);
}

function coreLine(chart, time, y) {
  const { frame, panel } = chart;
  const row = Math.floor(((y - frame.top) / (frame.bottom - frame.top)) * panel.cores.length);
  const column = panel.cores[Math.min(Math.max(row, 0), panel.cores.length - 1)];
  return `core ${column.instance}: ${formatPercent(shownAt(column, time) * 100)}`;
}

function tipLines(view, chart, time, y) {
  const cell = cellAt(view.model, time),
    lines = [
      ["", `${formatClock(time, 3)} after the start`],
      ["", formatWall(view.model.head.start + time * 1e6)],
    ];
  if (cell) lines.push(["title user", `Cell ${cell.number}: ${cell.title || cell.state}`]);
  else if (view.model.cells.length > 0) lines.push(["", "Between cells"]);
  if (chart.panel.cores) lines.push(["", coreLine(chart, time, y)]);
  if (chart.panel.lanes) lines.push(...laneLines(view, chart, time, y));
  for (const line of chart.panel.lines)
    lines.push(["", `${line.label}: ${chart.panel.format(shownAt(line.column, time))}`]);
  return lines;
}

// LINES: classes and texts.
function showTip(lines, x, y) {
  const tip = byId("tip");
  tip.hidden = false;
  tip.replaceChildren(...lines.map(([name, text]) => cellOf("p", text, name)));
  const { width, height } = tip.getBoundingClientRect();
  const left = x + 16 + width < innerWidth ? x + 16 : Math.max(x - 16 - width, 4);
  const top = Math.min(y + 16, innerHeight - height - 4);
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

// The line stands at the same time in all timelines; their legends have the values there.
function showMoment(view, chart, time, y) {
  view.moment = time;
  for (const one of view.charts) {
    one.line.style.display = "block";
    one.line.style.height = one.frame.bottom + "px";
    one.line.style.transform = `translateX(${timeToX(one.frame, time)}px)`;
    one.panel.lines.forEach((line, i) => {
      one.values[i].textContent = one.panel.format(shownAt(line.column, time));
    });
  }
  const box = chart.canvas.getBoundingClientRect();
  showTip(tipLines(view, chart, time, y), box.left + timeToX(chart.frame, time), box.top + y);
}

function hideMoment(view) {
  byId("tip").hidden = true;
  for (const chart of view.charts) {
    chart.line.style.display = "none";
    for (const value of chart.values) value.textContent = "";
  }
}

function showPart(charts, from, to) {
  for (const { part, frame } of charts) {
    const left = timeToX(frame, Math.min(from, to)),
      right = timeToX(frame, Math.max(from, to));
    part.style.display = "block";
    part.style.left = left + "px";
    part.style.width = right - left + "px";
    part.style.top = frame.top + "px";
    part.style.height = frame.bottom - frame.top + "px";
  }
}

function hidePart(charts) {
  for (const { part } of charts) part.style.display = "none";
}

function listenToPointer(view, chart) {
  const { canvas } = chart;
  let start;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const time = xToTime(chart.frame, event.offsetX);
    if (start !== undefined && Math.abs(event.offsetX - start) >= DRAG_PIXELS)
      showPart(view.charts, xToTime(chart.frame, start), time);
    showMoment(view, chart, time, event.offsetY);
  });
  canvas.addEventListener("pointerup", (event) => {
    const from = start;
    start = undefined;
    hidePart(view.charts);
    if (from !== undefined && Math.abs(event.offsetX - from) >= DRAG_PIXELS)
      setWindow(view, xToTime(chart.frame, from), xToTime(chart.frame, event.offsetX));
  });
  canvas.addEventListener("pointercancel", () => {
    start = undefined;
    hidePart(view.charts);
  });
  canvas.addEventListener("pointerleave", () => hideMoment(view));
}

// Enter marks one end of a part, and then the other.
function markHere(view) {
  if (view.mark === undefined) {
    view.mark = view.moment;
    showPart(view.charts, view.mark, view.moment);
    return;
  }
  const from = view.mark;
  view.mark = undefined;
  hidePart(view.charts);
  setWindow(view, from, view.moment);
}

function moveMoment(view, chart, pixels) {
  const { frame } = chart,
    inside = view.moment >= view.from && view.moment <= view.to;
  const x = inside ? timeToX(frame, view.moment) : (frame.left + frame.right) / 2;
  const lane = chart.panel.lanes?.[chart.lane],
    y = lane ? lane.top + LANE / 2 : (frame.top + frame.bottom) / 2;
  showMoment(view, chart, xToTime(frame, x + pixels), y);
  if (view.mark !== undefined) showPart(view.charts, view.mark, view.moment);
}

function showCellHere(view) {
  const cell = cellAt(view.model, view.moment);
  if (cell) setWindow(view, cell.begin, cell.end);
}

function listenToKeys(view, chart) {
  const step = (event) => (event.shiftKey ? 40 : 4);
  const actions = {
    ArrowLeft: (event) => moveMoment(view, chart, -step(event)),
    ArrowRight: (event) => moveMoment(view, chart, step(event)),
    Home: () => moveMoment(view, chart, -Infinity),
    End: () => moveMoment(view, chart, Infinity),
    Enter: () => markHere(view),
    c: () => showCellHere(view),
    Escape: () => setWindow(view, 0, view.model.last),
    ...(chart.panel.lanes && {
      ArrowUp: () => moveLane(view, chart, -1),
      ArrowDown: () => moveLane(view, chart, 1),
      o: () => openLane(view, chart.panel.lanes[chart.lane]),
    }),
  };
  chart.canvas.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event);
  });
  chart.canvas.addEventListener("blur", () => hideMoment(view));
}

// In the overview whole cells are taken.
function listenToOverview(view) {
  const canvas = byId("overview");
  let start;
  const show = (event) => {
    if (start !== undefined)
      showCells(view, xToTime(view.overview, start), xToTime(view.overview, event.offsetX));
  };
  canvas.addEventListener("pointerdown", (event) => {
    start = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", show);
  canvas.addEventListener("pointerup", (event) => {
    show(event);
    start = undefined;
  });
  canvas.addEventListener("pointercancel", () => {
    start = undefined;
  });
}
