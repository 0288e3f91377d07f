// How old what a page shows of runs is.

/**
 * The moment at which a run was accepted, in milliseconds of the epoch: the id of a run (UUID version 7) begins with it.
 * @param {string} id
 */
export const momentOfRun = (id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/**
 * The milliseconds since a number of runs was all there were: the age of the first run that it does not count.
 * @param {readonly number[]} moments at which the runs were accepted, in order
 * @param {{ count: number, at: number }} look how many runs the page had counted at some moment
 */
export function ageOfCount(moments, { count, at }) {
  const missing = moments[count];
  return missing === undefined ? 0 : Math.max(0, at - missing);
}

/**
 * The sum of the figures that the counts of a page end with, such as “Succeeded 12,431”.
 * @param {readonly string[]} texts
 */
export const totalIn = (texts) =>
  texts.reduce((sum, text) => sum + Number((/[\d,]+$/.exec(text)?.[0] ?? '0').replaceAll(',', '')), 0);
