import type { FlowRunStatus } from '../run-status';
import type { NewWait } from '../journal/step-wait';
import { canBecome, FLOW_RUN_STATUSES, isFinal } from '../runs/run-transitions';
import { aChildRun, aNewRun, anEnding, aPause, aWait } from './a-run';
import { anId } from './an-id';
import { claimedRun, LEASE, STARTED, storedRun, type JournalUnderTest } from './journal-under-test';

const FORTY_DAYS_MS = 40 * 24 * 60 * 60 * 1000;
const APPROVAL = { kind: 'approval' } as const;
/** The wait that ends when a test needs its run RUNNING. */
const FIRST_WAIT = aWait('first', { kind: 'human', until: null, request: APPROVAL });

/** A run in the status that a pair begins with. */
interface Run {
  id: string;
  epoch: number;
  seq: number;
  childId: string;
}

/** An operation of the ports that can set a status. */
interface Operation {
  name: string;
  to: FlowRunStatus;
  /** The statuses that the operation changes to `to`. In every other status it must leave the row unchanged. */
  from: readonly FlowRunStatus[];
  /** A second wait of the run, which the operation ends. */
  wait?: (run: Pick<Run, 'id' | 'childId'>) => NewWait;
  pausedForMs?: number;
  /** Whether the run has a child that fails it and for which it does not wait. */
  startsFailingChild?: boolean;
  /** A status in which the operation writes to the row all the same, but not to the status. */
  addsTo?: FlowRunStatus;
  perform: (at: JournalUnderTest, run: Run) => Promise<unknown>;
}

/** An ending by the run's worker cannot name RUNNING or PAUSED: the type of an ending has the final statuses only. */
const endings = FLOW_RUN_STATUSES.filter(isFinal).map((status): Operation => ({
  name: 'the ending by its worker',
  to: status,
  from: ['RUNNING'],
  ...(status === 'STOPPED' ? { addsTo: 'STOPPED' } : {}),
  perform: ({ journal }, { id, epoch, seq }) => journal.finish(anEnding(id, { epoch, seq, status })),
}));

const OPERATIONS: readonly Operation[] = [
  ...endings,
  {
    name: 'a second claim',
    to: 'RUNNING',
    from: [],
    perform: ({ journal }, { id, epoch }) => journal.claim({ runId: id, epoch }, STARTED, LEASE),
  },
  {
    name: 'a retry, which makes another run',
    to: 'RUNNING',
    from: [],
    perform: (at, { id }) => at.accept(aNewRun({ retryOfRunId: id })),
  },
  {
    name: 'a repeated acceptance',
    to: 'RUNNING',
    from: [],
    perform: (at, { id }) => at.accept(aNewRun({ id })),
  },
  {
    name: 'an answer',
    to: 'RUNNING',
    from: ['PAUSED'],
    wait: () => aWait('question', { kind: 'human', stepPath: 'step_2', until: null, request: APPROVAL }),
    perform: ({ waits }, { id }) => waits.answer(id, 'question', true),
  },
  {
    name: 'a timer',
    to: 'RUNNING',
    from: ['PAUSED'],
    wait: () => aWait('timer', { stepPath: 'step_2' }),
    perform: ({ waits }) => waits.endDue(1_000),
  },
  {
    name: 'the ending of an awaited child',
    to: 'RUNNING',
    from: ['PAUSED'],
    wait: ({ id, childId }) =>
      aWait('child', {
        kind: 'child',
        stepPath: 'step_2',
        until: null,
        child: aChildRun({ runId: id }, { id: childId }),
      }),
    perform: ({ journal, families }, { childId }) =>
      journal.finish(anEnding(childId)).then(() => families.notifyParent(childId)),
  },
  {
    name: 'a pause',
    to: 'PAUSED',
    from: ['RUNNING'],
    perform: ({ journal }, { id, epoch, seq }) =>
      journal.pause(aPause(id, [aWait('next', { stepPath: 'step_3' })], { epoch, seq })),
  },
  {
    name: 'a child that fails it',
    to: 'FAILED',
    from: ['RUNNING', 'PAUSED'],
    startsFailingChild: true,
    perform: ({ journal, families }, { childId }) =>
      journal.finish(anEnding(childId, { status: 'FAILED' })).then(() => families.notifyParent(childId)),
  },
  {
    name: 'the limit for paused runs',
    to: 'TIMEOUT',
    from: ['PAUSED'],
    wait: () => aWait('endless', { kind: 'human', stepPath: 'step_2', until: null, request: APPROVAL }),
    pausedForMs: FORTY_DAYS_MS,
    perform: ({ waits }) => waits.endDue(1_000),
  },
  { name: 'a cancel', to: 'STOPPED', from: ['RUNNING', 'PAUSED'], perform: (at, { id }) => at.cancel(id) },
];

/**
 * Tries every pair of statuses by every operation that can set the second one. What the operations do must agree with
 * RUN_TRANSITIONS.
 */
export function describeRunStatuses(name: string, subject: () => JournalUnderTest): void {
  describe(`the statuses of a run: ${name}`, () => {
    let at: JournalUnderTest;

    beforeAll(() => {
      at = subject();
    });

    for (const from of FLOW_RUN_STATUSES)
      for (const to of FLOW_RUN_STATUSES)
        it(`${from} → ${to}: ${whatIsExpected(from, to)}`, async () => {
          const operations = OPERATIONS.filter((operation) => operation.to === to);
          expect(operations.some((operation) => operation.from.includes(from))).toBe(canBecome(from, to));

          for (const operation of operations) {
            const run = await aRunIn(at, from, operation);
            const before = await storedRun(at, run.id);
            await operation.perform(at, run);
            const after = await storedRun(at, run.id);

            const then = operation.from.includes(from) ? to : from;
            expect([operation.name, after.row.status]).toEqual([operation.name, then]);
            if (then === from && operation.addsTo !== from)
              expect([operation.name, after]).toEqual([operation.name, before]);
          }
        });
  });
}

function whatIsExpected(from: FlowRunStatus, to: FlowRunStatus): string {
  const operations = OPERATIONS.filter((operation) => operation.to === to);
  const [made, adds, refused] = [
    operations.filter((operation) => operation.from.includes(from)),
    operations.filter((operation) => operation.addsTo === from),
    operations.filter((operation) => !operation.from.includes(from) && operation.addsTo !== from),
  ].map((those) => those.map((operation) => operation.name).join(', '));
  return [made && `by ${made}`, adds && `${adds} adds the last records only`, refused && `not by ${refused}`]
    .filter(Boolean)
    .join('; ');
}

/** Makes a run that has been paused once and is now in this status. Its worker holds a lease when it is RUNNING. */
async function aRunIn(at: JournalUnderTest, status: FlowRunStatus, operation: Operation): Promise<Run> {
  const { wait, pausedForMs = 0, startsFailingChild = false } = operation;
  const [id, childId] = [await claimedRun(at), anId()];
  if (startsFailingChild) await at.accept(aChildRun({ runId: id, failOnFailure: true }, { id: childId }));
  const waits = [FIRST_WAIT, ...(wait ? [wait({ id, childId })] : [])];
  expect(await at.journal.pause(aPause(id, waits))).toBe('paused');
  await at.letPass(id, pausedForMs);
  if (status === 'PAUSED') return { id, childId, epoch: 2, seq: 1 };
  expect(await at.waits.answer(id, FIRST_WAIT.requestId, true)).toBe('answered');
  expect(await at.journal.claim({ runId: id, epoch: 2 }, STARTED, LEASE)).toBe(3);
  if (isFinal(status))
    expect(await at.journal.finish(anEnding(id, { epoch: 3, seq: 1, records: [], status }))).toBe(true);
  return { id, childId, epoch: 3, seq: 1 };
}
