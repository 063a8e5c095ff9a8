"use strict";
// What a column says of a stretch of time. A column is cut into segments: of a counter each lies
// between two samples and has a rate; of a gauge each begins with a sample and has its value.

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

function rateOf(grown, seconds) {
  return seconds > 0 ? grown / seconds : NaN;
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
function segmentsOf(column) {
  if (column.segments) return column.segments;
  const { times, values } = column;
  if (!column.counter) {
    column.segments = { starts: times, shown: values };
    return column.segments;
  }
  const kept = samplesApart(column);
  const starts = Float64Array.from(kept, (at) => times[at]);
  const shown = new Float64Array(Math.max(kept.length - 1, 0));
  for (let i = 0; i < shown.length; i++) {
    const seconds = starts[i + 1] - starts[i],
      grown = values[kept[i + 1]] - values[kept[i]];
    shown[i] = rateOf(Math.max(grown, 0), seconds);
  }
  column.segments = { starts, shown };
  return column.segments;
}

// What was measured at MOMENT: NaN before the first sample, and of a counter behind the last one.
function shownAt(column, moment) {
  const { starts, shown } = segmentsOf(column),
    index = countBefore(starts, moment) - 1;
  return index >= 0 && index < shown.length ? shown[index] : NaN;
}

// Lowest, highest and mean in each of COUNT equal parts of the time between FROM and TO. NaN where
// nothing was measured.
function reduceTo(column, from, to, count) {
  const { starts, shown } = segmentsOf(column);
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

// Which samples were read between FROM and TO: the first one, and the one behind the last.
function samplesWithin(column, from, to) {
  const { times, begins } = column;
  let first = countBefore(times, from);
  while (first > 0 && begins[first - 1] >= from) first--;
  while (first < times.length && begins[first] < from) first++;
  return [first, countBefore(times, to)];
}

// How many samples tell of the stretch or what was before it: what is read right
// behind its end is what the end left.
function countUntilEnd(column, from, to) {
  const { times, begins } = column,
    isMarked = !Number.isNaN(valueAtMark(column, to)),
    count = countBefore(times, to),
    gap = count < times.length ? begins[count] - to : -1,
    soon = Math.max(0.002, 0.01 * (to - from));
  return !isMarked && gap >= 0 && gap <= soon ? count + 1 : count;
}

// What the mark at MOMENT says, which is exact when cells begin and end; NaN: there is none.
function valueAtMark({ marks }, moment) {
  const count = marks ? countBefore(marks.times, moment) : 0;
  return count > 0 && marks.times[count - 1] === moment ? marks.values[count - 1] : NaN;
}

// The values of the marks at both ends of the stretch and in it.
function valuesOfMarks({ marks }, from, to) {
  return marks ? marks.values.slice(...samplesWithin(marks, from, to)) : [];
}

// A gauge at MOMENT, an end of the stretch that begins at FROM: what a mark says, or a sample.
function valueAtEnd(column, from, moment) {
  const { values } = column,
    marked = valueAtMark(column, moment);
  if (!Number.isNaN(marked)) return marked;
  let count = countUntilEnd(column, from, moment);
  while (column.metric === "rss" && count > 1 && values[count - 1] === 0) count--; // all have ended
  if (count === 0 && moment === from) count = 1;
  return count > 0 ? values[count - 1] : NaN;
}

// For how much of the stretch sample I of those from FIRST to before END stands: half of the time
// to the ones beside it.
function weightOf(times, i, first, end, from, to) {
  const momentIn = (at) => Math.min(Math.max(times[at], from), to),
    moment = momentIn(i),
    before = i === first ? moment - from : (moment - momentIn(i - 1)) / 2,
    behind = i + 1 === end ? to - moment : (momentIn(i + 1) - moment) / 2;
  return before + behind;
}

// Of a gauge: what was read in the stretch, else what was read before it. The mean is one over time.
function gaugeFigures(column, from, to) {
  const { times, values } = column,
    [first] = samplesWithin(column, from, to);
  let end = countUntilEnd(column, from, to),
    low = Infinity,
    high = -Infinity,
    count = 0,
    sum = 0,
    weighted = 0,
    weights = 0;
  for (let i = first; i < end; i++) {
    if (Number.isNaN(values[i])) continue;
    if (column.metric === "rss" && values[i] === 0) continue; // all have ended
    const weight = weightOf(times, i, first, end, from, to);
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
    count++;
    sum += values[i];
    weighted += weight * values[i];
    weights += weight;
  }
  const marked = valuesOfMarks(column, from, to);
  for (const value of marked) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (count > 0) return { low, high, mean: weights > 0 ? weighted / weights : sum / count };
  if (marked.length > 0)
    return { low, high, mean: marked.reduce((all, value) => all + value) / marked.length };
  while (column.metric === "rss" && end > 1 && values[end - 1] === 0) end--;
  const value = end > 0 ? values[end - 1] : NaN;
  return { low: value, high: value, mean: value };
}

// By how much a counter grew, and in how many seconds of the stretch: those between two of its samples,
// or all of the run if its end was recorded.
function growthIn(column, from, to) {
  const { times } = column,
    begin = Math.max(from, times[0]),
    end = Math.min(to, times[times.length - 1]);
  if (from === 0 && to === column.last) return [column.whole, to];
  if (!(end >= begin)) return [NaN, NaN];
  return [valueAt(column, to) - valueAt(column, from), end - begin];
}

// Of a counter: rates as samplesApart() has them, but of samples within the stretch.
function counterFigures(column, from, to) {
  const { times, values, span } = column,
    [first, end] = samplesWithin(column, from, to);
  const mean = rateOf(...growthIn(column, from, to));
  let low = Infinity,
    high = -Infinity,
    before = first;
  for (let i = first; i < end; i++) {
    const seconds = times[i] - times[before];
    if (seconds <= 0 || seconds < span * 0.999999) continue;
    const rate = rateOf(values[i] - values[before], seconds);
    low = Math.min(low, rate);
    high = Math.max(high, rate);
    before = i;
  }
  // Of a short stretch the mean tells more than the samples within.
  return { low: Math.min(low, mean), high: Math.max(high, mean), mean };
}

// TOTAL is by how much it changed.
function figuresOf(column, from, to) {
  const figures = column.counter
    ? counterFigures(column, from, to)
    : gaugeFigures(column, from, to);
  figures.total = column.counter
    ? growthIn(column, from, to)[0]
    : valueAtEnd(column, from, to) - valueAtEnd(column, from, from);
  return figures;
}

// The samples of a column and its marks, in the order of their times.
function withMarks(column) {
  const { marks } = column;
  if (!marks || column.withMarks) return column.withMarks || column;
  const looks = [column, marks].flatMap(({ times, values }) =>
    Array.from(times, (time, i) => ({ time, value: values[i] })),
  );
  looks.sort((a, b) => a.time - b.time);
  column.withMarks = {
    times: looks.map(({ time }) => time),
    values: looks.map(({ value }) => value),
  };
  return column.withMarks;
}

// The highest that a column reached where it rose between FROM and TO: a rise
// belongs to the stretch in which most of the time between its two samples lies.
// What the first sample says may have been long before it.
function highestRise(column, from, to) {
  const { times, values } = withMarks(column),
    first = Math.max(countBefore(times, from), 1);
  let highest = NaN,
    before = values[first - 1],
    begin,
    end = times[first - 1];
  for (let i = first; i < times.length && end <= to; i++) {
    begin = end;
    end = times[i];
    const inside = Math.min(end, to) - Math.max(begin, from),
      isMostly = inside >= 0 && (inside === end - begin || 2 * inside > end - begin);
    if (values[i] > before && isMostly) highest = larger(highest, values[i]);
    before = values[i];
  }
  return highest;
}
