/** Writes what a proof has shown as lines for a terminal, and as rows that the page of guarantees has too. */

/**
 * What is said of a worker that is killed in a long step and does not come back in time.
 * @param {{ goesOnAfterMs: number, cancelledAfterMs: number, problem?: string }} seen
 * @param {{ goesOnWithinMs: number, cancelledWithinMs: number }} limits
 */
export function problemsOfTime({ goesOnAfterMs, cancelledAfterMs, problem }, { goesOnWithinMs, cancelledWithinMs }) {
  if (problem) return []; // it is told already
  return [
    ...(goesOnAfterMs > goesOnWithinMs
      ? [
          `A run whose worker was killed in a step of 60 s went on after ${seconds(goesOnAfterMs)}, later than ${seconds(goesOnWithinMs)}.`,
        ]
      : []),
    ...(cancelledAfterMs > cancelledWithinMs
      ? [
          `A step of 60 s ended ${seconds(cancelledAfterMs)} after its cancel, later than ${seconds(cancelledWithinMs)}.`,
        ]
      : []),
  ];
}

export const seconds = (milliseconds) =>
  Number.isFinite(milliseconds) ? `${(milliseconds / 1_000).toFixed(1)} s` : 'never';
export const amount = (number) => number.toLocaleString('en');

const NAMES_OF_QUEUES = { postgres: 'PostgreSQL', redis: 'Redis' };
export const queueOf = ({ plan }) => NAMES_OF_QUEUES[plan.queue];

/** The rows of the ledger: what is counted, and the count. */
export function ledgerRows({ figures, longStep }) {
  return [
    ['webhooks sent', amount(figures.sent)],
    ['acknowledged', amount(figures.acknowledged)],
    ['refused: no run was accepted, and none is there', amount(figures.refused)],
    ['outcome not known to the sender', amount(figures.unknown)],
    ['runs found', amount(figures.runs)],
    ['runs by final status', statuses(figures.byStatus)],
    ['**acknowledged and lost**', amount(figures.lost)],
    ['**with more than one run**', amount(figures.doubled)],
    ['**stuck**', amount(figures.stuck)],
    ['**final status changed**', amount(figures.changed)],
    ['slowest run of each kind', slowest(figures.slowest)],
    ['effects', amount(figures.effects)],
    ['effects repeated, with the same key', amount(figures.effectsRepeated)],
    ['most calls of one effect', amount(figures.mostCallsOfOneEffect)],
    ['processes ended by faults', amount(figures.processesEnded)],
    ['processes that ended by themselves', amount(figures.processesEndedByThemselves)],
    ['worker killed in a step of 60 s: the run goes on after', seconds(longStep.goesOnAfterMs)],
    ['cancel of that step: it has ended after', seconds(longStep.cancelledAfterMs)],
  ];
}

const slowest = (byKind) =>
  Object.entries(byKind)
    .map(([kind, milliseconds]) => `${kind} ${seconds(milliseconds)}`)
    .join(', ') || 'none';

const statuses = (byStatus) =>
  Object.entries(byStatus)
    .map(([status, count]) => `${status} ${amount(count)}`)
    .join(', ') || 'none';

export const FAULT_COLUMNS = ['Fault', 'What shows it', 'Not taken', 'Longest silence', 'Ready again', 'Caught up'];

/** One row for each fault, as FAULT_COLUMNS names them. */
export const faultRows = ({ faults }) =>
  faults.map((fault) => [
    `${fault.number}. ${fault.sentence}`,
    fault.proof ?? fault.problem ?? '',
    amount(fault.notTaken),
    seconds(fault.longestSilenceMs),
    seconds(fault.readyAgainMs),
    seconds(fault.caughtUpMs),
  ]);

/** The lines for a terminal. The last one says whether everything held. */
export function linesOf(proof) {
  const { plan, problems, leftOut, memoryPeaks } = proof;
  const faults = faultRows(proof).flatMap(([fault, proven, notTaken, silence, ready, caughtUp]) => [
    `  ${fault}: ${proven}`,
    `     not taken ${notTaken}, longest silence ${silence}, ready again after ${ready}, caught up after ${caughtUp}`,
  ]);
  return [
    `Queue on ${queueOf(proof)}, seed ${plan.seed}`,
    ...table(ledgerRows(proof).map(([what, count]) => [`  ${what.replaceAll('**', '')}`, count])),
    'Faults',
    ...faults,
    ...leftOut.map((each) => `  Left out: ${each}.`),
    `Most memory: ${Object.entries(memoryPeaks)
      .map(([name, mb]) => `${name} ${mb} MB`)
      .join(', ')}`,
    ...problems.map((each) => `BROKEN: ${each}`),
    problems.length === 0 ? 'Everything held.' : `Again: ${commandOf(plan)}`,
  ];
}

const commandOf = ({ queue, seed, webhooks, rate, faults, kinds }) =>
  `npm run chaos -- --queue=${queue} --seed=${seed} --webhooks=${webhooks} --rate=${rate} --faults=${faults}${kinds ? ` --kinds=${kinds}` : ''}`;

function table(rows) {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
