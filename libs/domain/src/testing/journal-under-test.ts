import type { FlowRunStatus } from '../run-status';
import type { RunFamilies } from '../runs/run-families';
import type { NewRun } from '../runs/run-intake';
import type { RunJournal, RunToExecute } from '../runs/run-journal';
import type { RunWaits } from '../runs/run-waits';
import type { StepRecord } from '../journal/step-record';
import { aNewRun, anEnding, aPause, aWait } from './a-run';
import { anId } from './an-id';
import type { InMemoryJobQueue } from './in-memory-job-queue';

/** A journal and the ports that change the same runs, for the suites that every journal must pass. */
export interface JournalUnderTest {
  journal: RunJournal;
  waits: RunWaits;
  families: RunFamilies;
  /** The queue that all these ports use. */
  queue: InMemoryJobQueue;
  accept(run: NewRun): Promise<unknown>;
  /** Cancels the run as a person does. */
  cancel(runId: string): Promise<void>;
  /** Reads everything that is stored in the run's row. */
  rowOf(runId: string): Promise<JournalRow>;
  now(): Date;
  /** Lets so much time pass for this run, by the clock of the journal. */
  letPass(runId: string, ms: number): Promise<void>;
}

/** The parts of a run's row that the journal writes but does not load. A row of a real store has more parts. */
export interface JournalRow {
  status: FlowRunStatus;
  stepsCount: number;
  statusReason: string | null;
  tags: readonly string[];
}

export const LEASE = 15;
/** The length of a lease that has expired at once. */
export const EXPIRED = -1;
export const STARTED = new Date('2026-01-01T00:00:00.000Z');

export const doneStep = (path: string): StepRecord => ({ path, type: 'ACTION', status: 'SUCCEEDED', duration: 1 });

/** Accepts a run. Resolves with its id. */
export async function acceptedRun(at: JournalUnderTest, more: Partial<NewRun> = {}): Promise<string> {
  const run = aNewRun(more);
  await at.accept(run);
  return run.id;
}

/** Accepts a run and claims it. The run is then in epoch 1. Resolves with its id. */
export async function claimedRun(
  at: JournalUnderTest,
  more: Partial<NewRun> = {},
  leaseSeconds = LEASE,
): Promise<string> {
  const runId = await acceptedRun(at, more);
  expect(await at.journal.claim({ runId, epoch: 0 }, STARTED, leaseSeconds)).toBe(1);
  return runId;
}

/** Accepts a run that one worker claims and another takes over after the lease. The run is then in epoch 2. */
export async function takenOverRun(at: JournalUnderTest): Promise<string> {
  const runId = await claimedRun(at, {}, EXPIRED);
  expect(await at.journal.claim({ runId, epoch: 1 }, STARTED, LEASE)).toBe(2);
  return runId;
}

export async function loadedRun(at: JournalUnderTest, runId: string): Promise<RunToExecute> {
  const run = await at.journal.load(runId);
  if (!run) throw new Error(`There is no run ${runId}.`);
  return run;
}

export async function releasedRun(at: JournalUnderTest): Promise<string> {
  const runId = await claimedRun(at);
  expect(await at.journal.release({ runId, epoch: 1 })).toBe(true);
  return runId;
}

export async function pausedRun(at: JournalUnderTest): Promise<string> {
  const runId = await claimedRun(at);
  expect(await at.journal.pause(aPause(runId, [aWait(anId())], { records: [] }))).toBe('paused');
  return runId;
}

export async function endedRun(at: JournalUnderTest): Promise<string> {
  const runId = await claimedRun(at);
  expect(await at.journal.finish(anEnding(runId, { epoch: 1, records: [] }))).toBe(true);
  return runId;
}

export async function cancelledRun(at: JournalUnderTest): Promise<string> {
  const runId = await claimedRun(at);
  await at.cancel(runId);
  return runId;
}

/** Runs whose claim of epoch 1 no longer holds, by what has ended the claim. */
export const LOST_CLAIMS: [string, (at: JournalUnderTest) => Promise<string>][] = [
  ['another worker has taken the run over', takenOverRun],
  ['the worker has released the run', releasedRun],
  ['the run has paused', pausedRun],
  ['the run has ended', endedRun],
  ['the run was cancelled', cancelledRun],
];

export const recordedPaths = async (at: JournalUnderTest, runId: string): Promise<string[]> =>
  (await loadedRun(at, runId)).recorded.map(({ path }) => path);

/** Reads the run's row and records. Waits are rows of their own, which may end while their run executes. */
export async function storedRun(at: JournalUnderTest, runId: string) {
  return { row: await at.rowOf(runId), recorded: (await loadedRun(at, runId)).recorded };
}
