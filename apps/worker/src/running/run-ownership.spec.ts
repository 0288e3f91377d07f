import type { StepRecord } from '@millrace/domain';
import { finishRun } from '@millrace/domain';
import { HandDrivenClock, InMemoryRunJournal } from '@millrace/domain/testing';
import { LEASE_SECONDS } from './owned-runs';
import { RunOwnership } from './run-ownership';

const startTime = new Date('2026-01-01T00:00:00.000Z');
const step = (path: string): StepRecord => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  input: '{}',
  output: '1',
});
const succeeded = finishRun(
  { kind: 'succeeded', stepsCount: 1, tags: [] },
  { startTime, finishTime: startTime, timeoutSeconds: 600 },
);

async function setUp() {
  const journal = new InMemoryRunJournal(new HandDrivenClock());
  const row = journal.add({ id: 'run' });
  const take = async () => new RunOwnership((await journal.load('run'))!, startTime, journal, LEASE_SECONDS);
  return { journal, row, take };
}

describe('RunOwnership', () => {
  it('ends a short run with one write and no claim', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'));
    expect(await ownership.finish(succeeded)).toBe(true);

    expect(row).toMatchObject({ status: 'SUCCEEDED', epoch: 0, segments: [[{ path: 'a', output: 1 }]] });
  });

  it('claims the run before anything has to be durable, and numbers its segments', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'));
    await ownership.durable();
    ownership.record(step('b'));
    await ownership.durable();
    await ownership.durable();
    ownership.record(step('c'));
    await ownership.finish(succeeded);

    expect(row).toMatchObject({ epoch: 1, segments: [[{ path: 'a' }], [{ path: 'b' }], [{ path: 'c' }]] });
  });

  it('stops and writes nothing more once another owner has come', async () => {
    const { row, take } = await setUp();
    const cutOff = await take();
    await cutOff.claim();
    row.epoch++; // the other one's claim

    cutOff.record(step('late'));
    await expect(cutOff.durable()).rejects.toThrow(/another worker/);

    expect(cutOff.signal.reason).toBe('claimLost');
    expect(await cutOff.finish(succeeded)).toBe(false);
    expect(row).toMatchObject({ status: 'RUNNING', segments: [] });
  });

  it('lets one of two endings win', async () => {
    const { row, take } = await setUp();
    const [one, two] = [await take(), await take()];

    expect(await one.finish(succeeded)).toBe(true);
    expect(await two.finish({ ...succeeded, status: 'FAILED' })).toBe(false);
    expect(row.status).toBe('SUCCEEDED');
  });

  it('keeps what is done when it hands the run back', async () => {
    const { row, take } = await setUp();
    const ownership = await take();

    ownership.record(step('a'));
    await ownership.release();

    expect(row).toMatchObject({ status: 'RUNNING', epoch: 1, leaseUntil: null, segments: [[{ path: 'a' }]] });
  });

  it('sends a segment again whose write failed, as it was and before what came after it', async () => {
    const { journal, row, take } = await setUp();
    const ownership = await take();
    await ownership.claim();
    ownership.record(step('a'));
    journal.before = () => Promise.reject(new Error('The database is away.'));

    await expect(ownership.durable()).rejects.toThrow('away');
    journal.before = () => Promise.resolve();
    ownership.record(step('b'));
    await ownership.finish(succeeded);

    expect(row.segments).toMatchObject([[{ path: 'a' }], [{ path: 'b' }]]);
  });
});
