/**
 * The value below which this share of the values lies; 0 of none.
 * @param {readonly number[]} values in any order
 */
export function quantile(values, share, digits = 1) {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(digits));
}
