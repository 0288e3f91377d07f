import type { FlowRun, FlowRunRepository, LiveFeed } from '@millrace/domain';
import type { LiveOutput } from './live-output';
import { RunRooms } from './run-rooms';

const ID = '019a0000-0000-7000-8000-000000000001';
const KEY = `run:${ID}`;

const aRun = (more: Partial<FlowRun> = {}): FlowRun =>
  ({ id: ID, status: 'RUNNING', stepsCount: 0, ...more }) as FlowRun;
const succeeded = (path: string) => ({ path, status: 'SUCCEEDED', duration: 1 }) as const;

function setUp() {
  const stored = { run: aRun() };
  const sent: { name: string; body: Record<string, unknown>; at: number }[] = [];
  const findAll = jest.fn(() => Promise.resolve([stored.run]));
  const feed = { watch: jest.fn(() => Promise.resolve()), unwatch: jest.fn() };
  const output = {
    send: (_room: string, name: string, body: object) => sent.push({ name, body: { ...body }, at: performance.now() }),
  };
  const rooms = new RunRooms(
    { findAll } as unknown as FlowRunRepository,
    feed as unknown as LiveFeed,
    output as unknown as LiveOutput,
  );
  const named = (name: string) => sent.filter((message) => message.name === name).map(({ body }) => body);
  return { rooms, stored, sent, feed, findAll, named };
}

const entered = async () => {
  const under = setUp();
  under.rooms.opened(KEY);
  await under.rooms.entered(KEY);
  return under;
};

describe('RunRooms', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('send a run when it has changed, and not when it was only said to', async () => {
    const { rooms, stored, named } = await entered();

    rooms.runsChanged([ID]);
    await pass(10);
    stored.run = aRun({ stepsCount: 1 });
    rooms.runsChanged([ID]);
    await pass(10);
    rooms.runsChanged([ID]);
    await pass(10);

    expect(named('flow_run.updated')).toEqual([stored.run]);
  });

  it('send at most ten messages in any second, the latest step first, and at last the end', async () => {
    const { rooms, stored, sent, named } = await entered();

    for (let i = 0; i < 1_000; i++) {
      rooms.stepChanged(ID, succeeded(`step_${i}`));
      await pass(3);
    }
    stored.run = aRun({ status: 'SUCCEEDED', stepsCount: 1_000 });
    rooms.runsChanged([ID]);
    await pass(10_000);

    const most = Math.max(...sent.map(({ at }) => sent.filter((one) => one.at >= at && one.at < at + 1_000).length));
    expect(most).toBeLessThanOrEqual(10);
    expect(named('flow_run.updated')).toEqual([stored.run]);
    const steps = named('flow_run.step').map(({ stepName }) => stepName);
    expect(steps).toContain('step_999');
    // What still waits a second after the end is dropped.
    expect(sent.at(-1)?.at).toBeLessThan(3_000 + 1_200);
  });

  it('find the end of a run whose messages were all lost', async () => {
    const { stored, named } = await entered();

    stored.run = aRun({ status: 'FAILED' });
    await pass(2_000);

    expect(named('flow_run.updated')).toEqual([stored.run]);
  });

  it('never tell a client that enters as its run ends an older state than it was sent', async () => {
    const { rooms, stored, findAll, named } = await entered();
    let read: (runs: FlowRun[]) => void = () => undefined;
    findAll.mockImplementationOnce(() => new Promise((resolve) => (read = resolve)));
    const running = stored.run;

    const second = rooms.entered(KEY);
    await pass(1);
    stored.run = aRun({ status: 'SUCCEEDED' });
    rooms.runsChanged([ID]);
    await pass(1);
    read([running]);
    const state = await second;
    await pass(1);

    expect(named('flow_run.updated')).toEqual([stored.run]);
    expect(state()).toEqual({ run: stored.run });
  });

  it('send the end to a client that was told a state from before it', async () => {
    const { rooms, stored, named } = setUp();
    rooms.opened(KEY);
    const state = await rooms.entered(KEY);
    const told = state();

    stored.run = aRun({ status: 'SUCCEEDED' });
    rooms.runsChanged([ID]);
    await pass(1);

    expect([told, named('flow_run.updated')]).toEqual([{ run: aRun() }, [stored.run]]);
  });

  it('read an ended run again when that failed after messages were missed', async () => {
    const { rooms, stored, findAll, named } = await entered();
    stored.run = aRun({ status: 'FAILED' });
    rooms.runsChanged([ID]);
    await pass(1);
    stored.run = aRun({ status: 'SUCCEEDED', stepsCount: 2 });
    findAll.mockRejectedValueOnce(new Error('The database is away.'));

    rooms.allChanged();
    await pass(2_000);

    expect(named('flow_run.updated').at(-1)).toEqual(stored.run);
  });

  it('read a run no more when it has ended', async () => {
    const { rooms, stored, findAll } = await entered();
    stored.run = aRun({ status: 'SUCCEEDED' });
    rooms.runsChanged([ID]);
    await pass(10);
    findAll.mockClear();

    await pass(60_000);

    expect(findAll).not.toHaveBeenCalled();
  });

  it('read again what could not be read', async () => {
    const { stored, findAll, named } = await entered();
    stored.run = aRun({ status: 'PAUSED' });
    findAll.mockRejectedValueOnce(new Error('The database is away.'));

    await pass(4_000);

    expect(named('flow_run.updated')).toEqual([stored.run]);
  });

  it('pass over changes when the last client has left', async () => {
    const { rooms, sent, feed, findAll } = await entered();
    rooms.closed(KEY);
    findAll.mockClear();

    rooms.runsChanged([ID]);
    rooms.stepChanged(ID, succeeded('late'));
    await pass(10_000);

    expect([sent, findAll.mock.calls, feed.unwatch.mock.calls]).toEqual([[], [], [[ID]]]);
  });

  it('refuse a client when other processes cannot be told', async () => {
    const { rooms, feed } = setUp();
    feed.watch.mockReturnValueOnce(Promise.reject(new Error('The database is away.')));

    rooms.opened(KEY);

    await expect(rooms.entered(KEY)).rejects.toThrow('away');
  });
});
