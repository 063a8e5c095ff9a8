"use strict";
// The figures of a stretch of time at one level, by the rules of src/report/measure.c.

const NO_FIGURES = { low: NaN, high: NaN, mean: NaN, total: NaN };

// All instances of a metric as one column, which is made once.
function columnOf(model, level, metric, share) {
  model.columns = model.columns || new Map();
  const key = level + " " + metric;
  if (!model.columns.has(key))
    model.columns.set(key, together(columnsOf(model, level, metric), share));
  return model.columns.get(key);
}

function levelFigures(model, level, metric, from, to) {
  const column = columnOf(model, level, metric, metric === "gpu_util");
  return column ? figuresOf(column, from, to) : NO_FIGURES;
}

function larger(a, b) {
  return Number.isNaN(a) || b > a ? b : a;
}

function measuresOf(model, level, from, to) {
  if (model.parts) return measuresOfAll(model, level, from, to);
  const of = (metric) => levelFigures(model, level, metric, from, to);
  const cpus = cpusOf(model, level),
    cpu = of(cpuMetric(model, level)),
    share = (rate) => (rate / cpus) * 100;
  const held = columnsOf(model, level, "gpu_process_mem").length > 0;
  const memory = of(level === "system" ? "memory_used" : "rss");
  const rising = columnOf(model, level, "peak_rss", false);
  const measures = {
    seconds: to - from,
    coreSeconds: cpu.total,
    memory,
    cpu: { low: share(cpu.low), high: share(cpu.high), mean: share(cpu.mean) },
    memoryPeak: rising ? larger(memory.high, highestRise(rising, from, to)) : memory.high,
    memoryChange: memory.total,
    read: of("read_chars").total,
    written: of("write_chars").total,
    storageRead: of("read_bytes").total,
    storageWritten: of("write_bytes").total,
    received: of("net_received").total,
    sent: of("net_sent").total,
    gpu: of("gpu_util"),
    gpuMemory: of(held ? "gpu_process_mem" : "gpu_mem"),
  };
  const { end } = model;
  if (level === "process" && from === 0 && to === model.last && end && end.user + end.system > 0)
    measures.memoryPeak = larger(measures.memoryPeak, end.peak_rss);
  return measures;
}

// ---- at the top of the page ----

function limitText(model, level, peak) {
  const own = level === "process" || level === "slurm";
  const limit =
    own && model.head.memory_limit > 0 ? model.head.memory_limit : model.head.memory_total;
  return limit > 0 ? `${formatPercent((peak / limit) * 100)} of ${formatBytes(limit)}` : "";
}

function tilesOf(model, level, has) {
  const cpus = cpusOf(model, level),
    cores = formatSeconds((has.cpu.mean * cpus) / 100);
  return [
    ["Time", formatDuration(has.seconds), ""],
    [
      "Processor use",
      formatPercent(has.cpu.mean),
      `${cores} of ${cpus} CPUs, at most ${formatPercent(has.cpu.high)}`,
    ],
    ["Processor time", formatSeconds(has.coreSeconds), "core-seconds"],
    ["Peak memory", formatBytes(has.memoryPeak), limitText(model, level, has.memoryPeak)],
    ["Read and written", `${formatBytes(has.read)} read`, `${formatBytes(has.written)} written`],
    [
      "Storage",
      `${formatBytes(has.storageRead)} read`,
      `${formatBytes(has.storageWritten)} written`,
    ],
    ["Network", `${formatBytes(has.received)} received`, `${formatBytes(has.sent)} sent`],
    ["GPU use", formatPercent(has.gpu.mean), `at most ${formatPercent(has.gpu.high)}`],
    ["GPU memory", formatBytes(has.gpuMemory.high), "at most"],
  ].filter(([, text]) => !text.startsWith(NONE));
}

function fillSummary(view) {
  const has = measuresOf(view.model, view.level, view.from, view.to);
  byId("summary").replaceChildren(
    ...tilesOf(view.model, view.level, has).map(([name, text, more]) =>
      element(
        "div",
        {},
        cellOf("dt", name),
        element("dd", {}, cellOf("strong", text), cellOf("span", more)),
      ),
    ),
  );
}
