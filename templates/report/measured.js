"use strict";
// A measurement as the C side wrote it (src/report/profile_html.c): what was found, tables, call paths and their times.

// By call path, of one thread or of all: seconds with what it calls, visits.
function readTimes(data, count) {
  const total = new Float64Array(count),
    visits = new Float64Array(count),
    [ran, times, numbers] = [data.ran, data.total, data.visits].map(decodeNumbers);
  ran.forEach((path, i) => {
    total[path] = times[i] * 1e-9;
    visits[path] = numbers[i];
  });
  return { total, visits };
}

// Times of the page's clock, which begins OFFSET nanoseconds before that of the measurement.
function readTimeline(data, offset) {
  return {
    ...data,
    times: decodeNumbers(data.times).map((time) => (time + offset) * 1e-9),
    paths: decodeNumbers(data.paths),
    end: (data.end + offset) * 1e-9,
  };
}

function readMeasurement(data) {
  const parents = decodeNumbers(data.paths.parents),
    count = parents.length,
    depths = new Uint16Array(count),
    children = Array.from({ length: count }, () => []);
  for (let path = 1; path < count; path++) {
    depths[path] = depths[parents[path]] + 1;
    children[parents[path]].push(path);
  }
  return {
    ...data,
    parents,
    depths,
    children,
    nameOf: decodeNumbers(data.paths.names),
    kindOf: decodeNumbers(data.paths.kinds),
    all: readTimes(data.all, count),
    locations: data.locations.map((location) => ({
      label: location.label,
      name: location.name,
      ...readTimes(location, count),
      timelines: location.timelines.map((timeline) => readTimeline(timeline, data.offset)),
    })),
  };
}

const pathName = (measured, path) => measured.names[measured.nameOf[path]];

// ---- colours ----

// A kind of time has a colour, and a function one of three shades of it, so that neighbours differ.
function pathColours({ measurement, colours }) {
  return Array.from(measurement.kindOf, (kind, path) => {
    let hash = 7;
    for (const letter of pathName(measurement, path)) hash = (hash * 31 + letter.codePointAt(0)) | 0;
    return colours.kinds[kind % colours.kinds.length][Math.abs(hash) % 3];
  });
}

// ---- findings and tables ----

function findingItem(finding) {
  const place = [finding.cell || "the whole run", finding.place].filter(Boolean).join(", ");
  const save =
    finding.seconds === undefined ? "" : `, at most ${formatDuration(finding.seconds)} to save`;
  return element(
    "li",
    {},
    cellOf("strong", place, "user"),
    cellOf("span", ` ${finding.finding || finding.name}: ${finding.certainty}${save}`, "hint"),
    cellOf("p", finding.evidence + ".", "user"),
    cellOf("p", `Try: ${finding.advice}.`),
  );
}

function fillFindings(view) {
  const { findings } = view.measurement;
  byId("findings-section").hidden = false;
  if (findings.length > 0) byId("findings").replaceChildren(...findings.map(findingItem));
  else
    byId("findings").replaceWith(
      cellOf("p", "Nothing to gain here: no rule of the diagnosis applies."),
    );
}

function measuredTable({ title, columns, rows }) {
  const table = element("table");
  const cells = (row) =>
    columns.map((column, i) =>
      column.unit === "text" ? textCell(row[i]) : cellOf("td", figureText(column, row[i])),
    );
  fillSorted(
    table,
    columns,
    rows.map((row) => ({ element: element("tr", {}, ...cells(row)), values: row })),
    { column: -1, down: false },
  );
  return element(
    "section",
    { className: "measured" },
    element("h2", { textContent: title }),
    element("div", { className: "scroll", tabIndex: 0 }, table),
  );
}

function measuredFacts(measured) {
  const facts = [
    ["Measurement", measured.directory],
    ["Measured", formatDuration(measured.seconds)],
    ["Processes", String(measured.processes)],
    ["Threads", String(measured.threads)],
  ];
  if (measured.events > 0) facts.push(["Events", formatWhole(measured.events)]);
  else facts.push(["Call paths", String(measured.call_paths)]);
  return facts;
}

// What did not fit into the page.
function measuredNotes(measured) {
  const notes = [],
    { threads, locations, parents } = measured,
    roots = 2;
  if (threads > locations.length) notes.push(`The page has the first ${locations.length} threads.`);
  if (measured.call_paths + roots > parents.length)
    notes.push(`The page has the ${parents.length - roots} call paths with the most time.`);
  if (locations.some(({ timelines }) => timelines.length > 0 && timelines[0].width > 0))
    notes.push(
      "In timelines, stretches of time are one: they have what took more than half of each.",
    );
  return notes;
}

// What does not depend on what is shown.
function fillMeasured(view) {
  const { cells, ...others } = view.measurement.tables;
  fillFindings(view);
  if (cells) byId("measured-cells").replaceChildren(measuredTable(cells));
  byId("measured-tables").replaceChildren(
    ...Object.values(others).map(measuredTable),
  );
  byId("search-section").hidden = false;
  listenToSearch(view);
  listenToIcicle(view);
}

// ---- search ----

// The call paths whose function has the text in its name; undefined: nothing is searched.
function listenToSearch(view) {
  byId("search").addEventListener("input", () => {
    const wanted = byId("search").value.trim().toLowerCase(),
      { measurement } = view;
    view.matches = undefined;
    byId("found").textContent = "";
    if (wanted !== "") {
      const names = measurement.names.map((name) => name.toLowerCase().includes(wanted));
      view.matches = measurement.nameOf.map((name) => (names[name] ? 1 : 0));
      const count = names.filter(Boolean).length;
      byId("found").textContent =
        `${count} function${count === 1 ? "" : "s"}, ` +
        formatPercent((matchedTime(view) / measurement.all.total[0]) * 100) +
        " of the time of all threads";
    }
    drawCharts(view);
    drawIcicle(view);
  });
}

// What is called by a function that matches counts once.
function matchedTime(view) {
  const { children, all } = view.measurement,
    open = [0];
  let time = 0;
  while (open.length > 0) {
    const path = open.pop();
    if (view.matches[path] === 1) time += all.total[path];
    else open.push(...children[path]);
  }
  return time;
}
