"use strict";
// Numbers as people read them.

const MINUS = "\u2212",
  NONE = "\u2013",
  NARROW_BLANK = "\u202f";

function digits(number) {
  const size = Math.abs(number);
  if (size >= 1e15) return number.toExponential(2);
  return number.toFixed(size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2).replace("-", MINUS);
}

function withUnit(number, base, units) {
  if (!Number.isFinite(number)) return NONE;
  let power = 0;
  while (power + 1 < units.length && Math.abs(number) / base ** power >= base * 0.9995) power++;
  const text =
    power === 0 && Number.isInteger(number)
      ? String(number).replace("-", MINUS)
      : digits(number / base ** power);
  return units[power] ? text + NARROW_BLANK + units[power] : text;
}

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const COUNTS = ["", "k", "M", "G", "T"];

// Bytes and calls are whole numbers; a mean of processes may be one.
const formatBytes = (number) => withUnit(Math.round(number), 1024, BYTES);
const formatCount = (number) => withUnit(number, 1000, COUNTS);
const formatWhole = (number) => formatCount(Math.round(number));
const formatPercent = (number) =>
  Number.isFinite(number) ? digits(number) + NARROW_BLANK + "%" : NONE;
const perSecond = (format) => (number) => (Number.isFinite(number) ? format(number) + "/s" : NONE);

// 12.3 s, 4:05 min, 1:02:03 h
function formatDuration(seconds) {
  if (seconds === 0 || (seconds >= 0.9995 && seconds < 120))
    return digits(seconds) + NARROW_BLANK + "s";
  if (seconds < 0.9995e-3) return digits(seconds * 1e6) + NARROW_BLANK + "\u00b5s";
  if (seconds < 1) return digits(seconds * 1e3) + NARROW_BLANK + "ms";
  return formatClock(seconds, 0) + NARROW_BLANK + (seconds < 3599.5 ? "min" : "h");
}

// Seconds as h:mm:ss with DECIMALS, which are told apart at this scale.
function formatClock(seconds, decimals) {
  const unit = 10 ** decimals,
    whole = Math.round(seconds * unit);
  const rest = whole % (60 * unit),
    minutes = (whole - rest) / unit / 60;
  const tail = (rest / unit).toFixed(decimals);
  if (minutes === 0) return tail + NARROW_BLANK + "s";
  const padded = tail.padStart(decimals > 0 ? decimals + 3 : 2, "0");
  if (minutes < 60) return minutes + ":" + padded;
  return Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0") + ":" + padded;
}

function pad(number, width) {
  return String(Math.abs(number)).padStart(width, "0");
}

// The wall clock of the reader, with how far it is from UTC.
function formatWall(microseconds) {
  const date = new Date(microseconds / 1000),
    away = -date.getTimezoneOffset();
  if (Number.isNaN(date.getTime())) return NONE;
  const zone = (away < 0 ? MINUS : "+") + pad(Math.trunc(away / 60), 2) + ":" + pad(away % 60, 2);
  return (
    `${date.getFullYear()}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)} ` +
    `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}.` +
    `${pad(date.getMilliseconds(), 3)} ${zone}`
  );
}

// Where an axis has its marks: about COUNT round numbers between LOW and HIGH.
function roundMarks(low, high, count, steps) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = steps ? steps.find((one) => one >= rough * 0.95) : undefined;
  const size = step || [1, 2, 5, 10].find((one) => one * power >= rough * 0.95) * power;
  const marks = [];
  for (let i = Math.ceil(low / size - 1e-9); i * size <= high + size * 1e-9; i++)
    marks.push(i * size);
  return { marks, size };
}

// Round numbers of seconds are others than those of anything else.
const MINUTE_STEPS = [
  60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 345600, 604800,
];

function timeMarks(from, to, count) {
  const rough = (to - from) / Math.max(count, 1);
  const steps = rough > 30 ? MINUTE_STEPS : rough > 10 ? [15, 30] : undefined;
  const { marks, size } = roundMarks(from, to, count, steps);
  const decimals = Math.min(Math.max(-Math.floor(Math.log10(size) + 1e-9), 0), 6);
  return marks.map((at) => ({ at, text: formatClock(at, decimals) }));
}
