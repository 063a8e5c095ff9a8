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

// The columns that FIND has for each node, at the times of the first of them by the lead's clock.
function columnsOfNodes(model, find) {
  const found = model.parts.flatMap((node, i) =>
    find(node, i).map((column) => ({ column, later: laterOn(node, model.lead) })),
  );
  if (found.length === 0) return [];
  const times = found[0].column.times.map((moment) => moment - found[0].later);
  return found.map(({ column, later }) => ({
    ...column,
    times,
    values: times.map((moment) => valueAt(column, moment + later)),
  }));
}

// Cores and GPUs one by one, else their sum.
function sumColumns(model, level, metric) {
  const columns = columnsOfNodes(model, (node) => columnsOf(node, level, metric));
  if (!/^(core_cpu|gpu_)/.test(metric)) return columns.length > 0 ? [together(columns)] : [];
  return columns.map((column, instance) => ({ ...column, instance }));
}

// A column for each node whose cores are known: the mean of all of them.
function coresOfNodes(model) {
  return columnsOfNodes(model, (node, instance) => {
    const columns = columnsOf(node, "system", "core_cpu");
    return columns.length > 0 ? [{ ...together(columns, true), instance }] : [];
  });
}

function columnsOfAll(model, level, metric) {
  const key = level + " " + metric;
  if (!model.sums.has(key)) model.sums.set(key, sumColumns(model, level, metric));
  return model.sums.get(key);
}
