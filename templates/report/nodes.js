"use strict";
// Several nodes as one, by the rules of src/report/report.c. Its clock and cells are the lead's.

function sumOf(a, b) {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + b;
}

function smaller(a, b) {
  return Number.isNaN(a) || b < a ? b : a;
}

// By how much a time of NODE is later than that of LEAD at the same moment of the wall clock.
function laterOn(node, lead) {
  return (lead.head.start - node.head.start) * 1e-6;
}

function headOf(nodes, lead) {
  const total = (number) => nodes.reduce((sum, { head }) => sum + number(head), 0);
  const limited = nodes.some(({ head }) => head.memory_limit > 0);
  return {
    ...lead.head,
    host: nodes.map(({ head }) => head.host).join(", "),
    cpus: total((head) => head.cpus),
    cpu_list: "",
    memory_total: total((head) => head.memory_total),
    memory_limit: limited ? total((head) => head.memory_limit || head.memory_total) : 0,
    gpus: nodes.flatMap(({ head }) => head.gpus),
  };
}

// Each once, with the nodes that it is about where that is not all of them.
function notesOf(nodes) {
  const hosts = new Map();
  for (const { head, notes } of nodes)
    for (const note of notes) hosts.set(note, [...(hosts.get(note) || []), head.host]);
  return [...hosts].map(([note, names]) =>
    names.length === nodes.length ? note : `${names.join(", ")}: ${note}`,
  );
}

function endOf(nodes) {
  const bad = nodes.find(({ end }) => end && end.status !== 0);
  return nodes.every(({ end }) => end) ? (bad || nodes[0]).end : undefined;
}

function allNodes(nodes, lead) {
  const others = nodes.filter((node) => node !== lead);
  return {
    ...lead,
    parts: nodes,
    lead,
    sums: new Map(),
    head: headOf(nodes, lead),
    groups: [lead, ...others].flatMap((node) => node.groups),
    levels: [...new Set([lead, ...others].flatMap((node) => node.levels))],
    last: nodes.reduce((most, node) => Math.max(most, node.last - laterOn(node, lead)), lead.last),
    due: nodes.reduce((sum, node) => sum + node.due, 0),
    missed: nodes.reduce((sum, node) => sum + node.missed, 0),
    truncated: nodes.some((node) => node.truncated),
    notes: notesOf(nodes),
    end: endOf(nodes),
  };
}

// ---- columns ----

// COLUMN of a node at the times of TIMELINE, which are the lead's.
function columnAt(timeline, column, later, instance) {
  const values = timeline.times.map((moment) => valueAt(column, moment + later));
  return { ...column, ...timeline, instance, values, marks: undefined };
}

// Its times by the lead's clock.
function timelineOf({ column, later }) {
  return {
    times: column.times.map((moment) => moment - later),
    begins: column.begins.map((moment) => moment - later),
  };
}

// What is known of the run on all nodes, which ends at LAST.
function wholeOf(columns, last) {
  if (!columns.some((column) => column.last < Infinity)) return {};
  const growths = columns.map((column) =>
    column.last < Infinity ? column.whole : growthIn(column, -Infinity, Infinity)[0],
  );
  return { whole: growths.reduce((sum, growth) => sum + growth, 0), last };
}

// At the times of the first node that has such: cores and GPUs one by one, else their sum.
function sumColumns(model, level, metric) {
  const isApart = /^(core_cpu|gpu_)/.test(metric);
  const found = model.parts.flatMap((node) =>
    columnsOf(node, level, metric).map((column) => ({ column, later: laterOn(node, model.lead) })),
  );
  if (found.length === 0) return [];
  const timeline = timelineOf(found[0]);
  const columns = found.map((one, i) => columnAt(timeline, one.column, one.later, i));
  if (isApart) return columns;
  const parts = found.map(({ column }) => column);
  return [{ ...together(columns, false), ...wholeOf(parts, model.last) }];
}

// A column for each node whose cores are known: the mean of all of them.
function coresOfNodes(model) {
  const found = model.parts.flatMap((node, i) => {
    const columns = columnsOf(node, "system", "core_cpu");
    const later = laterOn(node, model.lead);
    return columns.length > 0 ? [{ column: together(columns, true), later, instance: i }] : [];
  });
  return found.length > 0
    ? found.map((one) => columnAt(timelineOf(found[0]), one.column, one.later, one.instance))
    : [];
}

function columnsOfAll(model, level, metric) {
  const key = level + " " + metric;
  if (!model.sums.has(key)) model.sums.set(key, sumColumns(model, level, metric));
  return model.sums.get(key);
}

// ---- figures ----

// The whole run there; of a cell its own run of it; else the same time by the wall clock.
function stretchOn(node, model, from, to) {
  if (from === 0 && to === model.last) return [0, node.last];
  const cell = model.cells.find((one) => one.begin === from && one.end === to);
  const isSame = (one) => cell && one.number === cell.number;
  const twin = node.cells.filter(isSame)[model.cells.filter(isSame).indexOf(cell)];
  const later = laterOn(node, model.lead);
  return twin ? [twin.begin, twin.end] : [from + later, to + later];
}

function addAmounts(sum, more) {
  return {
    low: sumOf(sum.low, more.low),
    high: sumOf(sum.high, more.high),
    mean: sumOf(sum.mean, more.mean),
  };
}

// MORE is of percentages, of COUNT things behind the first OLD ones.
function addShares(sum, more, old, count) {
  if (Number.isNaN(more.mean)) return sum;
  const mean = (sum.mean * old + more.mean * count) / (old + count);
  return {
    low: smaller(sum.low, more.low),
    high: larger(sum.high, more.high),
    mean: Number.isNaN(sum.mean) ? more.mean : mean,
  };
}

function addMeasures(sum, more, weight, add) {
  const added = {};
  for (const [name, value] of Object.entries(more)) {
    if (name === "seconds") added[name] = larger(sum[name], value);
    else if (name === "cpu") added[name] = addShares(sum[name], value, weight.cpus, add.cpus);
    else if (name === "gpu") added[name] = addShares(sum[name], value, weight.gpus, add.gpus);
    else if (typeof value === "number") added[name] = sumOf(sum[name], value);
    else added[name] = addAmounts(sum[name], value);
  }
  return added;
}

function measuresOfAll(model, level, from, to) {
  const weight = { cpus: 0, gpus: 0 };
  let sum;
  for (const node of model.parts.filter(({ levels }) => levels.includes(level))) {
    const measures = measuresOf(node, level, ...stretchOn(node, model, from, to));
    const add = { cpus: cpusOf(node, level) * measures.seconds, gpus: node.head.gpus.length };
    if (Number.isNaN(measures.cpu.mean)) add.cpus = 0;
    sum = sum ? addMeasures(sum, measures, weight, add) : measures;
    weight.cpus += add.cpus;
    weight.gpus += add.gpus;
  }
  return sum || measuresOf(model.lead, level, from, to);
}
