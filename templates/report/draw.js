"use strict";
// Drawing on canvas: cell bands, axes, lines.

const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3]];
const BAND_HEIGHT = 15,
  AXIS_HEIGHT = 18,
  PLOT_HEIGHT = 110,
  CORE_HEIGHT_MAX = 200;
const SERIES_COLOURS = 5,
  KINDS = 13,
  LABEL_GAP = 5;

// The style sheet says what the colours are, in light and in dark.
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ink", "soft", "grid", "band", "band-label", "failed", "paper", "accent", "limit", "box-label"];
  const colours = {};
  for (const name of names) colours[name] = style.getPropertyValue("--" + name).trim();
  colours.series = Array.from({ length: SERIES_COLOURS }, (_, i) =>
    style.getPropertyValue("--series-" + i).trim(),
  );
  // By kind of time, in the order of src/report/time_kind.def: three shades each.
  colours.kinds = Array.from({ length: KINDS }, (_, kind) =>
    [0, 1, 2].map((shade) => {
      const [hue, saturation, light] = style.getPropertyValue("--kind-" + kind).trim().split(/\s+/);
      return `hsl(${hue} ${saturation} ${parseFloat(light) + 6 * (shade - 1)}%)`;
    }),
  );
  colours.small = "11px " + style.fontFamily;
  return colours;
}

// Empties CANVAS and makes it as sharp as the screen is; what is drawn counts in CSS pixels.
function prepareCanvas(canvas, width, height, sharpness) {
  canvas.width = Math.round(width * sharpness);
  canvas.height = Math.round(height * sharpness);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.scale(sharpness, sharpness);
  return context;
}

function setText(context, colours, align, baseline = "middle", colour = "soft") {
  context.font = colours.small;
  context.textAlign = align;
  context.textBaseline = baseline;
  context.fillStyle = colours[colour];
}

function strokeLine(context, fromX, fromY, toX, toY) {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

// FRAME: left, right, top, bottom in pixels; from, to in seconds.
function timeToX(frame, time) {
  return frame.left + ((time - frame.from) / (frame.to - frame.from)) * (frame.right - frame.left);
}

function xToTime(frame, x) {
  const part = Math.min(Math.max((x - frame.left) / (frame.right - frame.left), 0), 1);
  return frame.from + part * (frame.to - frame.from);
}

// Failed cells are marked by their colour and by strokes.
function hatch(context, left, right, top, bottom, colour) {
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, bottom - top);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - (bottom - top); x < right; x += 6) {
    context.moveTo(x, bottom);
    context.lineTo(x + bottom - top, top);
  }
  context.stroke();
  context.restore();
}

function bandsOf(frame, cells) {
  return cells
    .map((cell, index) => ({
      cell,
      index,
      left: Math.max(timeToX(frame, cell.begin), frame.left),
      right: Math.min(timeToX(frame, cell.end), frame.right),
    }))
    .filter((band) => band.right >= frame.left && band.left <= frame.right);
}

// Where nothing fits any more, every other cell is left without a number.
function drawBandLabels(context, frame, bands, colours, height) {
  setText(context, colours, "center", "middle", "band-label");
  let free = frame.left - LABEL_GAP;
  for (const { cell, left, right } of bands) {
    const text = String(cell.number),
      half = context.measureText(text).width / 2;
    const middle = Math.min(Math.max((left + right) / 2, frame.left + half), frame.right - half);
    if (middle - half < free + LABEL_GAP) continue;
    context.fillText(text, middle, frame.top - height / 2 + 0.5);
    free = middle + half;
  }
}

// Every other cell has a ground of its own; where they are too narrow to be told apart, none has.
function drawBands(context, frame, cells, colours, height) {
  const bands = bandsOf(frame, cells),
    top = frame.top - height;
  const crowded = bands.length > (frame.right - frame.left) / 3;
  for (const { cell, index, left, right } of bands) {
    const width = Math.max(right - left, 0.5);
    if (index % 2 === 0 && !crowded) {
      context.fillStyle = colours.band;
      context.fillRect(left, top, width, frame.bottom - top);
    }
    if (!cell.isGood)
      hatch(context, left, left + Math.max(width, 2), top, frame.bottom, colours.failed);
  }
  drawBandLabels(context, frame, bands, colours, height);
}

function drawTimeAxis(context, frame, colours) {
  setText(context, colours, "center", "top");
  const count = Math.max(Math.floor((frame.right - frame.left) / 80), 2);
  for (const { at, text } of timeMarks(frame.from, frame.to, count)) {
    const x = Math.round(timeToX(frame, at)) + 0.5;
    context.strokeStyle = colours.soft;
    strokeLine(context, x, frame.bottom, x, frame.bottom + 4);
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.min(x, frame.right + 34 - half), frame.bottom + 5);
  }
}

// The unit in which HIGH is a number of few digits.
function axisUnit({ most, right, base = 1000 }, high) {
  if (most || right) return 1;
  const power = Math.floor(Math.log(Math.max(high, 1)) / Math.log(base) + 1e-9);
  return base ** Math.min(power, 4);
}

function axisText(panel, value) {
  if (panel.most || panel.right) return String(+value.toFixed(6)) + NARROW_BLANK + "%";
  const text = panel.format(value);
  return text.replace(/\.0+(?=\D|$)|(\.\d*[1-9])0+(?=\D|$)/, "$1");
}

function drawValueAxis(context, frame, panel, high, colours) {
  const unit = axisUnit(panel, high),
    count = (frame.bottom - frame.top) / 30;
  for (const mark of roundMarks(0, high / unit, count).marks) {
    const y = Math.round(frame.bottom - ((mark * unit) / high) * (frame.bottom - frame.top)) + 0.5;
    context.strokeStyle = mark === 0 ? colours.soft : colours.grid;
    strokeLine(context, frame.left, y, frame.right, y);
    setText(context, colours, "right");
    context.fillText(axisText(panel, mark * unit), frame.left - 5, y);
    if (panel.right) {
      context.textAlign = "left";
      context.fillText(String(+(mark * panel.right).toFixed(2)), frame.right + 5, y);
    }
  }
}

// The span from lowest to highest behind the mean, so that neither peaks nor the level are lost.
function drawLine(context, frame, reduced, high, colour, dash) {
  const height = frame.bottom - frame.top;
  const yOf = (value) => frame.bottom - Math.min(value / high, 1) * height;
  const path = new Path2D();
  let open = false;
  context.fillStyle = colour;
  context.globalAlpha = 0.3;
  reduced.mean.forEach((mean, i) => {
    if (mean !== mean) {
      open = false;
      return;
    }
    const x = frame.left + i,
      top = yOf(reduced.high[i]),
      bottom = yOf(reduced.low[i]);
    if (bottom - top > 1) context.fillRect(x, top, 1, bottom - top);
    if (open) path.lineTo(x + 0.5, yOf(mean));
    else path.moveTo(x + 0.5, yOf(mean));
    open = true;
  });
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.lineJoin = "round";
  context.setLineDash(dash);
  context.stroke(path);
  context.setLineDash([]);
  context.lineWidth = 1;
}

function drawLimit(context, frame, panel, high, colours) {
  if (!(panel.limit > 0) || panel.limit > high) return;
  const y = Math.round(frame.bottom - (panel.limit / high) * (frame.bottom - frame.top)) + 0.5;
  context.strokeStyle = colours.limit;
  context.lineWidth = 1.5;
  strokeLine(context, frame.left, y, frame.right, y);
  context.lineWidth = 1;
  setText(context, colours, "right", "bottom", "limit");
  context.fillText("limit " + panel.format(panel.limit), frame.right - 3, y - 1);
}

function scaleOf(panel, reduced) {
  if (panel.most) return panel.most;
  let most = panel.least || 0;
  for (const { high } of reduced) {
    for (const value of high) most = value > most ? value : most;
  }
  if (panel.limit > 0 && most > panel.limit * 0.6) return Math.max(most, panel.limit) * 1.15;
  return most > 0 ? most * 1.06 : 1.06;
}

function lineStyle(index, colours) {
  const turn = Math.floor(index / SERIES_COLOURS);
  return {
    colour: colours.series[index % SERIES_COLOURS],
    dash: DASHES[(index + turn) % DASHES.length],
  };
}

function drawLines(context, frame, panel, colours) {
  const reduced = panel.lines.map((line) => reduceTo(line.column, frame));
  const high = scaleOf(panel, reduced);
  drawValueAxis(context, frame, panel, high, colours);
  reduced.forEach((one, i) => {
    const { colour, dash } = lineStyle(i, colours);
    drawLine(context, frame, one, high, colour, dash);
  });
  drawLimit(context, frame, panel, high, colours);
}

// One row for each core, the darker (in dark: the brighter) the more it is used.
function drawCores(context, frame, panel, colours) {
  const height = (frame.bottom - frame.top) / panel.cores.length;
  context.fillStyle = colours.accent;
  panel.cores.forEach((column, row) => {
    reduceTo(column, frame).mean.forEach((share, i) => {
      if (!(share > 0.005)) return;
      context.globalAlpha = Math.min(share, 1);
      context.fillRect(
        frame.left + i,
        frame.top + row * height,
        1,
        Math.max(height - 1, height * 0.8),
      );
    });
  });
  context.globalAlpha = 1;
  drawCoreAxis(context, frame, panel, colours, height);
}

function drawCoreAxis(context, frame, panel, colours, height) {
  setText(context, colours, "right");
  const step = Math.max(Math.ceil(13 / height), 1);
  for (let row = 0; row < panel.cores.length; row += step)
    context.fillText(
      String(panel.cores[row].instance),
      frame.left - 5,
      frame.top + (row + 0.5) * height,
    );
}
