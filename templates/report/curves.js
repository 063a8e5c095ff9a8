"use strict";
// The curve of a column of samples, which is drawn in segments: of a counter each lies between two samples and has a
// rate; of a gauge each begins with a sample and has its value. Figures of tables are not made here: the C side has
// made them.

// How many of TIMES are at or before MOMENT.
function countBefore(times, moment) {
  let low = 0,
    high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A counter grows evenly between two samples; a gauge keeps its value until the next one.
function valueAt(column, moment) {
  const { times, values } = column,
    next = countBefore(times, moment);
  if (next === 0) return values[0];
  if (next === times.length || !column.counter) return values[next - 1];
  const part = (moment - times[next - 1]) / (times[next] - times[next - 1]);
  return values[next - 1] + part * (values[next] - values[next - 1]);
}

// The samples between which there are rates: those that are far enough apart.
function samplesApart(column) {
  const { times, span } = column,
    kept = times.length > 0 ? [0] : [];
  for (let i = 1; i < times.length; i++) {
    if (times[i] - times[kept[kept.length - 1]] >= span * 0.999999) kept.push(i);
  }
  if (kept[kept.length - 1] !== times.length - 1) {
    if (kept.length > 1) kept.pop();
    kept.push(times.length - 1);
  }
  return kept;
}

// Where segments begin, with the end of the last one of a counter, and their values. Two samples at the
// same moment have no rate between them.
function makeSegments(column) {
  const { times, values } = column;
  if (!column.counter) return { starts: times, shown: values };
  const kept = samplesApart(column);
  const starts = Float64Array.from(kept, (at) => times[at]);
  const shown = new Float64Array(Math.max(kept.length - 1, 0));
  for (let i = 0; i < shown.length; i++) {
    const seconds = starts[i + 1] - starts[i],
      grown = values[kept[i + 1]] - values[kept[i]];
    shown[i] = seconds > 0 ? Math.max(grown, 0) / seconds : NaN;
  }
  return { starts, shown };
}

const segmentsMade = new WeakMap(); // by the values: a column may be made of another one

function segmentsOf(column) {
  if (!segmentsMade.has(column.values)) segmentsMade.set(column.values, makeSegments(column));
  return segmentsMade.get(column.values);
}

// What was measured at MOMENT: NaN before the first sample, and of a counter after the last one.
function shownAt(column, moment) {
  const { starts, shown } = segmentsOf(column),
    index = countBefore(starts, moment) - 1;
  return index >= 0 && index < shown.length ? shown[index] : NaN;
}

// Lowest, highest and mean in the time of each pixel of a frame. NaN where nothing was measured.
function reduceTo(column, { from, to, left, right }) {
  const { starts, shown } = segmentsOf(column);
  const count = Math.max(Math.round(right - left), 1);
  const low = new Float64Array(count).fill(NaN);
  const high = new Float64Array(count).fill(NaN);
  const mean = new Float64Array(count).fill(NaN);
  const step = (to - from) / count;
  let index = Math.max(countBefore(starts, from) - 1, 0);
  for (let part = 0; part < count; part++) {
    const begin = from + part * step,
      end = begin + step;
    let least = Infinity,
      most = -Infinity,
      sum = 0,
      seconds = 0;
    for (; index < shown.length && starts[index] < end; index++) {
      const value = shown[index],
        stop = index + 1 < starts.length ? starts[index + 1] : Infinity;
      const overlap = Math.min(stop, end) - Math.max(starts[index], begin);
      if (overlap > 0 && value === value) {
        least = value < least ? value : least;
        most = value > most ? value : most;
        sum += value * overlap;
        seconds += overlap;
      }
      if (stop > end) break;
    }
    if (seconds > 0) {
      low[part] = least;
      high[part] = most;
      mean[part] = sum / seconds;
    }
  }
  return { low, high, mean };
}
