"use strict";
// Which timelines there are, and what each of them shows.

const COUNT_RATE = perSecond(formatCount),
  BYTE_RATE = perSecond(formatBytes);

// metrics: their labels. base: the factor between units of the axis (1000). format: of a value.
const PANELS = [
  {
    title: "Memory",
    metrics: {
      rss: "resident",
      memory_used: "not available",
      pss: "proportional (PSS)",
      uss: "unshared (USS)",
      peak_rss: "highest of one process",
      tmpfs: "files in memory (tmpfs)",
    },
    base: 1024,
    format: formatBytes,
  },
  {
    title: "Storage, bytes per second",
    metrics: { read_bytes: "read", write_bytes: "written" },
    base: 1024,
    format: BYTE_RATE,
  },
  {
    title: "Bytes of read and write calls per second",
    metrics: { read_chars: "read", write_chars: "written" },
    base: 1024,
    format: BYTE_RATE,
  },
  {
    title: "Read and write calls per second",
    metrics: { read_calls: "read", write_calls: "write" },
    format: COUNT_RATE,
  },
  {
    title: "Network bytes per second",
    metrics: { net_received: "received", net_sent: "sent" },
    base: 1024,
    format: BYTE_RATE,
  },
  {
    title: "Page faults per second",
    metrics: { minor_faults: "without input", major_faults: "with input" },
    format: COUNT_RATE,
  },
  {
    title: "Processes and threads",
    metrics: { processes: "processes", threads: "threads" },
    format: formatCount,
  },
  {
    title: "GPU use",
    metrics: { gpu_util: "in use" },
    most: 100,
    format: formatPercent,
  },
  {
    title: "GPU memory access",
    metrics: { gpu_band: "in use" },
    most: 100,
    format: formatPercent,
  },
  {
    title: "GPU memory",
    metrics: { gpu_mem: "in use" },
    base: 1024,
    format: formatBytes,
  },
  {
    title: "GPU memory that the processes hold",
    metrics: { gpu_process_mem: "held" },
    base: 1024,
    format: formatBytes,
  },
  {
    title: "GPU power",
    metrics: { gpu_power: "power" },
    factor: 1e-3,
    format: (watts) => withUnit(watts, 1000, ["W", "kW"]),
  },
];

function scaledColumn(column, factor) {
  return { ...column, values: scaled(column.values, factor) };
}

function linesOf(model, level, panel, [metric, name]) {
  const { factor } = panel,
    found = columnsOf(model, level, metric),
    columns = factor ? found.map((one) => scaledColumn(one, factor)) : found;
  const about = model.metrics[metric].title;
  if (columns.length === 0) return [];
  if (!metric.startsWith("gpu_")) return [{ label: name, about, column: together(columns) }];
  return columns.map((column) => ({
    label: columns.length > 1 ? `GPU ${column.instance}` : name,
    about,
    column,
  }));
}

// The level of the node has all of its processors, others those of the affinity mask.
function cpusOf(model, level) {
  if (model.parts)
    return model.parts
      .filter(({ levels }) => levels.includes(level))
      .reduce((sum, node) => sum + cpusOf(node, level), 0);
  return columnsOf(model, level, "core_cpu").length || Math.max(model.head.cpus, 1);
}

// As share of the processors that the program may use, which is what 100 % are.
function cpuPanel(model, level) {
  // The level of the node has the time of each core, others that of their processes.
  const isByCore = level === "system" && columnsOf(model, level, "cpu").length === 0,
    metric = isByCore ? "core_cpu" : "cpu";
  const found = columnsOf(model, level, metric);
  if (found.length === 0) return [];
  const cpus = cpusOf(model, level);
  const format = (share) =>
    Number.isFinite(share)
      ? `${formatPercent(share)} (${digits((share * cpus) / 100)} cores)`
      : NONE;
  const column = scaledColumn(together(found), 100 / cpus);
  return [
    {
      title: `Processor use, % of ${cpus} CPU${cpus === 1 ? "" : "s"}`,
      least: 1,
      right: cpus / 100,
      format,
      lines: [{ label: "processor", about: model.metrics[metric].title, column }],
    },
  ];
}

// The cores one by one, whoever uses them; of several nodes there would be too many to see any.
function corePanel(model) {
  const columns = model.parts ? coresOfNodes(model) : columnsOf(model, "system", "core_cpu");
  const what = model.parts ? "nodes, the mean of their cores" : "cores of the node";
  return columns.length > 0
    ? [{ title: `Use of the ${columns.length} ${what}`, cores: columns, lines: [] }]
    : [];
}

function panelsOf(model, level) {
  const memoryLimit = model.parts ? 0 : model.head.memory_limit; // of several each has its own
  const others = PANELS.map((panel) => ({
    ...panel,
    limit: panel.title === "Memory" ? memoryLimit : 0,
    lines: Object.entries(panel.metrics).flatMap((one) => linesOf(model, level, panel, one)),
  }));
  return [
    ...cpuPanel(model, level),
    ...corePanel(model),
    ...others.filter((panel) => panel.lines.length > 0),
  ];
}
