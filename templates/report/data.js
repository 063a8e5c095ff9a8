"use strict";
// The samples as the C side wrote them (src/report/report_html.c), made into arrays.

// Differences as varints, in base64.
function decodeNumbers(text) {
  const bytes = atob(text);
  let count = 0;
  for (let i = 0; i < bytes.length; i++) count += bytes.charCodeAt(i) < 128 ? 1 : 0;
  const numbers = new Float64Array(count);
  let last = 0,
    folded = 0,
    scale = 1,
    negative = false,
    at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i);
    if (scale === 1) negative = (byte & 1) === 1;
    folded += (byte & 127) * scale;
    scale *= 128;
    if (byte > 127) continue;
    last += negative ? -(folded + 1) / 2 : folded / 2;
    numbers[at++] = last;
    folded = 0;
    scale = 1;
  }
  return numbers;
}

function scaled(numbers, factor) {
  return numbers.map((number) => number * factor);
}

// Processor time comes in microseconds and is counted in seconds here. SPAN: the shortest time in which
// growth tells a rate.
function readColumn(column, group, metrics) {
  const info = metrics[column.metric];
  let values = decodeNumbers(column.values);
  if (info.unit === "ns") values = scaled(values, 1e-6);
  return {
    ...column,
    counter: info.counter,
    values,
    times: group.times,
    span: column.span * 1e-6,
  };
}

function readGroup(group, metrics) {
  const read = { ...group, times: scaled(decodeNumbers(group.times), 1e-6) };
  read.columns = group.columns.map((column) => readColumn(column, read, metrics));
  return read;
}

// A cell that was running when the samples end has no end of its own.
function readCells(data) {
  const titles = new Map(data.titles.map((title) => [title.number, title]).reverse());
  return data.cells
    .map((cell) => ({
      ...(titles.get(cell.number) || { title: "", source: "" }),
      ...cell,
      begin: cell.begin * 1e-6,
      end: (cell.end === undefined ? Math.max(data.last, cell.begin) : cell.end) * 1e-6,
      state: cell.end === undefined ? (data.end ? "unfinished" : "running") : cell.state,
      isGood: cell.state === "done" || (cell.end === undefined && !data.end),
    }))
    .sort((a, b) => a.begin - b.begin);
}

function readNode(data, metrics) {
  const groups = data.groups.map((group) => readGroup(group, metrics));
  const cells = readCells(data);
  const levels = [...new Set(groups.map((group) => group.level))].filter((level) => level);
  // Without any duration nothing could be divided by it.
  const last = cells.reduce(
    (most, cell) => Math.max(most, cell.end),
    Math.max(data.last * 1e-6, 1e-6),
  );
  return { ...data, metrics, groups, cells, levels, last };
}

// Where only one node was told of cells, they are those of all: their wall clock is the same.
function shareCells(nodes) {
  const knowing = nodes.find((node) => node.cells.length > 0);
  for (const node of nodes) {
    if (!knowing || node.cells.length > 0) continue;
    const later = laterOn(node, knowing);
    node.cells = knowing.cells.map((cell) => ({
      ...cell,
      begin: Math.max(cell.begin + later, 0),
      end: Math.max(cell.end + later, 0),
    }));
    node.last = node.cells.reduce((most, cell) => Math.max(most, cell.end), node.last);
  }
}

// The nodes, and what is to be shown of which one at first.
function readData(text) {
  const data = JSON.parse(text),
    nodes = data.nodes.map((node) => readNode(node, data.metrics)),
    lead = nodes[data.node];
  shareCells(nodes);
  if (nodes.length > 1) nodes.unshift({ ...allNodes([...nodes], lead), tables: data.tables });
  const model = nodes.length > 1 ? nodes[0] : lead;
  const level = model.levels.includes(data.level) ? data.level : model.levels[0] || "";
  return {
    ...data,
    nodes,
    model,
    level,
    from: 0,
    to: model.last,
    range: data.from === undefined ? undefined : [data.from * 1e-6, data.to * 1e-6],
    measurement: data.measurement && readMeasurement(data.measurement),
  };
}

// The columns of one metric at LEVEL, or, of what GPUs do, those of no level.
function columnsOf(model, level, metric) {
  if (model.parts) return columnsOfAll(model, level, metric);
  const isOfGpu = /^gpu_(util|band|mem|power)$/.test(metric);
  const groups = (isOfGpu ? [level, ""] : [level]).flatMap((wanted) =>
    model.groups.filter((group) => group.level === wanted),
  );
  const found = groups.map(({ columns }) => columns.filter((column) => column.metric === metric));
  return found.find((columns) => columns.length > 0) || [];
}

// One column for all of them: their sum, or, where they are shares, their mean, without those that
// are not known.
function together(columns, share) {
  if (columns.length < 2) return columns[0];
  const values = new Float64Array(columns[0].values.length),
    known = new Uint32Array(values.length);
  for (const column of columns)
    column.values.forEach((value, i) => {
      if (Number.isNaN(value)) return;
      values[i] += value;
      known[i]++;
    });
  known.forEach((count, i) => {
    if (count === 0) values[i] = NaN;
    else if (share) values[i] /= count;
  });
  return { ...columns[0], values };
}
