const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const inPercent = (part, whole) => (whole ? `${Math.round((part * 100) / Math.abs(whole))} %` : '');

/** The numbers of a report by their paths, such as `redis workloads W1 finishedPerSecond`. */
function figuresOf(value, path = []) {
  if (typeof value === 'number') return [[path.join(' '), value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => figuresOf(inner, [...path, name]));
}

const figuresOfReport = ({ results }) =>
  Object.fromEntries(results.flatMap(({ queue, ...figures }) => figuresOf(figures, [queue])));

/**
 * Compares the reports of two versions.
 * @returns {Record<string, { before: number, after: number, ratio: number, spread: string }>} the medians of each figure
 *   that both have and that is not the same in all reports, their ratio, and the wider spread of the two in percent: a
 *   ratio within the spread says nothing
 */
export function compareFigures(before, after) {
  const [first, second] = [before, after].map((reports) => reports.map(figuresOfReport));
  /** @type {ReturnType<typeof compareFigures>} */
  const compared = {};
  for (const name of Object.keys(first[0] ?? {})) {
    const [old, now] = [first, second].map((reports) => reports.map((figures) => figures[name]));
    const all = [...old, ...now];
    if (all.includes(undefined) || new Set(all).size === 1) continue;
    const spreadOf = (values) => (Math.max(...values) - Math.min(...values)) / Math.abs(median(values) || 1);
    compared[name] = {
      before: median(old),
      after: median(now),
      ratio: Number((median(now) / median(old)).toFixed(3)),
      spread: inPercent(Math.max(spreadOf(old), spreadOf(now)), 1),
    };
  }
  return compared;
}
