const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * The growth of each process in a soak. Medians are compared, because memory swings between two collections of garbage.
 * @param {{ minute: number, rssMb: Record<string, number> }[]} samples
 * @param {{ fromMinute: number, windowMinutes: number }} windows the first window begins at `fromMinute`, and the last
 *   one ends with the samples
 * @returns {Record<string, { fromMb: number, toMb: number, percent: number }>}
 */
export function rssGrowth(samples, { fromMinute, windowMinutes }) {
  const end = samples.at(-1)?.minute ?? 0;
  const within = (from) => samples.filter(({ minute }) => minute >= from && minute <= from + windowMinutes);
  const [first, last] = [within(fromMinute), within(end - windowMinutes)];
  return Object.fromEntries(
    Object.keys(samples.at(-1)?.rssMb ?? {}).map((role) => {
      const [fromMb, toMb] = [first, last].map((window) => median(window.map(({ rssMb }) => rssMb[role] ?? 0)));
      const percent = fromMb > 0 ? Number((((toMb - fromMb) * 100) / fromMb).toFixed(1)) : 0;
      return [role, { fromMb, toMb, percent }];
    }),
  );
}
