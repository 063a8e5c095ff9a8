"use strict";
// Several nodes as one, whose clock and cells are the lead's.

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
  return { ...column, ...timeline, instance, values };
}

// Its times by the lead's clock.
function timelineOf({ column, later }) {
  return { times: column.times.map((moment) => moment - later) };
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
  return [together(columns)];
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
