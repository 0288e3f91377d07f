// Figures and their budgets, over several rounds.
import { quantile } from '../quantile.mjs';

/**
 * @typedef {{ what: string, unit: string, value: number, atMost?: number }} Figure what was measured, and its budget if it
 *   has one
 * @typedef {Figure & { part: string, rounds: number[] }} Result `value` is the median of the rounds
 */

/**
 * @param {string} part
 * @param {Figure[][]} found what each round found, the same figures each time
 * @returns {Result[]}
 */
export const overRounds = (part, found) =>
  found[0].map((figure, index) => {
    const values = found.map((figures) => Number(figures[index].value.toFixed(1)));
    return { part, ...figure, value: quantile(values, 0.5), rounds: values };
  });

/**
 * Whether a figure is within its budget: `–` where it has none.
 * @param {Figure} figure
 */
const verdictOf = ({ value, atMost }) => (atMost === undefined ? '–' : value <= atMost ? 'kept' : 'MISSED');

/**
 * The results as a person reads them.
 * @param {Result[]} results
 */
export const tableOf = (results) =>
  results.map((result) => ({
    part: result.part,
    what: result.what,
    value: `${result.value} ${result.unit}`,
    budget: result.atMost === undefined ? '–' : `${result.atMost} ${result.unit}`,
    verdict: verdictOf(result),
    rounds: result.rounds.length > 1 ? result.rounds.join(', ') : '',
  }));
