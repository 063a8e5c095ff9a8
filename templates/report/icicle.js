"use strict";
// Call paths from the top to the bottom, as wide as their time: of a cell or of everything, of a thread or of all.

const ICICLE_ROW = 18,
  ICICLE_LEVELS = 30,
  LEAST_WIDTH = 0.4;

// The cells, each with its call paths: a cell may have run in more than one place.
function icicleCells(measured) {
  const cells = new Map();
  for (const path of measured.cell_paths) {
    const name = pathName(measured, path).replace(/^user:/, "");
    cells.set(name, [...(cells.get(name) || []), path]);
  }
  return cells;
}

function listenToIcicle(view) {
  const { measurement } = view,
    cells = icicleCells(measurement),
    canvas = byId("icicle");
  view.icicle = { roots: [0], times: measurement.all, chosen: 0, boxes: [] };
  byId("icicle-cell").replaceChildren(
    option("", "all"),
    ...[...cells.keys()].map((name) => option(name, name)),
  );
  byId("icicle-thread").replaceChildren(
    option("", "all"),
    ...measurement.locations.map((location, i) => option(i, `${location.label}: ${location.name}`)),
  );
  const choose = () => {
    const thread = byId("icicle-thread").value;
    view.icicle.times = thread === "" ? measurement.all : measurement.locations[Number(thread)];
    showIcicle(view, cells.get(byId("icicle-cell").value) || [0]);
  };
  byId("icicle-cell").addEventListener("change", choose);
  byId("icicle-thread").addEventListener("change", choose);
  byId("icicle-whole").addEventListener("click", () => {
    byId("icicle-cell").value = "";
    showIcicle(view, [0]);
  });
  canvas.addEventListener("pointermove", (event) => tellBox(view, boxAt(view, event), event));
  canvas.addEventListener("pointerleave", (event) => tellBox(view, undefined, event));
  canvas.addEventListener("click", (event) => {
    const box = boxAt(view, event);
    if (box) showIcicle(view, [box.path]);
  });
  canvas.addEventListener("keydown", (event) => walkIcicle(view, event));
}

function showIcicle(view, roots) {
  view.icicle.roots = roots;
  view.icicle.chosen = 0;
  drawIcicle(view);
}

// Boxes row by row: children below their parent, those with the most time first.
function icicleBoxes(view, width) {
  const { measurement, icicle } = view,
    { total } = icicle.times,
    boxes = [];
  const all = icicle.roots.reduce((sum, path) => sum + total[path], 0);
  const widthOf = (path) => (all > 0 ? (total[path] / all) * width : 0);
  const place = (paths, left, row, above) =>
    paths.map((path) => {
      const box = { path, left, width: widthOf(path), row, above };
      left += box.width;
      return box;
    });
  const below = (box) =>
    measurement.children[box.path]
      .filter((path) => widthOf(path) >= LEAST_WIDTH)
      .sort((a, b) => total[b] - total[a]);
  let boxesOfRow = place(icicle.roots, 0, 0);
  for (let row = 1; boxesOfRow.length > 0 && row <= ICICLE_LEVELS; row++) {
    boxes.push(...boxesOfRow);
    boxesOfRow = boxesOfRow.flatMap((box) => place(below(box), box.left, row, box));
  }
  return boxes;
}

function drawIcicle(view) {
  const width = byId("lanes").clientWidth || view.width,
    boxes = icicleBoxes(view, width);
  const rows = boxes.reduce((most, box) => Math.max(most, box.row + 1), 1);
  const context = prepareCanvas(byId("icicle"), width, rows * ICICLE_ROW + 1, view.sharpness);
  view.icicle.boxes = boxes;
  setText(context, view.colours, "left");
  for (const box of boxes)
    drawBox(view, context, box.path, box.left, box.width, box.row * ICICLE_ROW, ICICLE_ROW - 1);
  const chosen = boxes[view.icicle.chosen];
  if (chosen && document.activeElement === byId("icicle")) {
    context.strokeStyle = view.colours.ink;
    context.lineWidth = 2;
    context.strokeRect(
      chosen.left + 1,
      chosen.row * ICICLE_ROW + 1,
      Math.max(chosen.width - 2, 1),
      ICICLE_ROW - 3,
    );
  }
  const name = icicleText(view, boxes[0]);
  byId("icicle-name").textContent = name;
  byId("icicle").setAttribute("aria-label", "Call paths of " + name);
  byId("icicle-whole").disabled = view.icicle.roots[0] === 0;
}

function icicleText(view, box) {
  const { measurement, icicle } = view;
  if (!box) return "nothing ran";
  const time = icicle.times.total[box.path],
    visits = icicle.times.visits[box.path];
  const calls = visits > 0 ? `, ${formatWhole(visits)} visit${visits === 1 ? "" : "s"}` : "";
  return `${pathName(measurement, box.path)}: ${formatDuration(time)}${calls}`;
}

function boxAt(view, event) {
  const row = Math.floor(event.offsetY / ICICLE_ROW),
    x = event.offsetX;
  return view.icicle.boxes.find(
    (box) => box.row === row && x >= box.left && x < box.left + box.width,
  );
}

function tellBox(view, box, at) {
  const { measurement, icicle } = view,
    { total } = icicle.times;
  byId("tip").hidden = !box;
  if (!box) return;
  const below = measurement.children[box.path].reduce((sum, path) => sum + total[path], 0);
  const own = Math.max(total[box.path] - below, 0);
  const lines = [
    ["title user", icicleText(view, box)],
    ["", `of its own ${formatDuration(own)}`],
    ["", measurement.kinds[measurement.kindOf[box.path]]],
  ];
  showTip(lines, at.clientX, at.clientY);
}

// Up and down between rows, left and right within one.
function walkIcicle(view, event) {
  const { icicle } = view,
    { boxes } = icicle,
    box = boxes[icicle.chosen];
  if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
  const near = {
    ArrowUp: () => boxes.indexOf(box.above),
    ArrowDown: () => boxes.findIndex((one) => one.above === box),
    ArrowLeft: () => (boxes[icicle.chosen - 1]?.row === box.row ? icicle.chosen - 1 : -1),
    ArrowRight: () => (boxes[icicle.chosen + 1]?.row === box.row ? icicle.chosen + 1 : -1),
  };
  if (event.key === "Enter") showIcicle(view, [box.path]);
  else if (event.key === "Escape") showIcicle(view, [0]);
  else if (near[event.key]) {
    const next = near[event.key]();
    if (next >= 0) icicle.chosen = next;
    drawIcicle(view);
  } else return;
  event.preventDefault();
  const now = icicle.boxes[icicle.chosen],
    frame = byId("icicle").getBoundingClientRect();
  tellBox(view, now, {
    clientX: frame.left + now.left + Math.min(now.width / 2, 200),
    clientY: frame.top + (now.row + 1) * ICICLE_ROW,
  });
}
