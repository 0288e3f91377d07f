import type { ChangedFlow, FlowRun, FlowRunRepository, LiveFeed } from '@millrace/domain';
import type { LiveOutput } from './live-output';
import { ProjectRooms } from './project-rooms';

const PROJECT = '019a0000-0000-7000-8000-00000000000a';
const OTHER = '019a0000-0000-7000-8000-00000000000b';

const idOf = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const aFlow = (id: string): ChangedFlow => ({ id, projectId: PROJECT, change: 'updated' }) as ChangedFlow;

function setUp(projectOf: (id: string) => string = () => PROJECT) {
  const sent: { name: string; body: { counts?: object; runs?: FlowRun[] }; at: number }[] = [];
  const findAll = jest.fn((ids: readonly string[]) =>
    Promise.resolve(ids.map((id) => ({ id, projectId: projectOf(id), status: 'STOPPED' }) as FlowRun)),
  );
  const feed = { watch: () => Promise.resolve(), unwatch: () => undefined };
  const output = {
    send: (_room: string, name: string, body: object) => sent.push({ name, body, at: performance.now() }),
  };
  const rooms = new ProjectRooms(
    { findAll } as unknown as FlowRunRepository,
    feed as unknown as LiveFeed,
    output as unknown as LiveOutput,
  );
  rooms.opened(`project:${PROJECT}`);
  return { rooms, sent, findAll };
}

describe('ProjectRooms', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('sum up once a second what changes a thousand times', async () => {
    const { rooms, sent, findAll } = setUp();

    for (let i = 0; i < 1_000; i++) {
      rooms.runsChanged({ projectId: PROJECT, counts: { RUNNING: 1 }, runIds: [idOf(i)] });
      await pass(3);
    }
    await pass(2_000);

    expect(sent).toHaveLength(4);
    expect(sent.every(({ at }, i) => i === 0 || at - (sent[i - 1]?.at ?? 0) >= 1_000)).toBe(true);
    const total = sent.reduce((sum, { body }) => sum + ((body.counts as { RUNNING: number }).RUNNING ?? 0), 0);
    expect(total).toBe(1_000);
    expect(Math.max(...findAll.mock.calls.map(([ids]) => ids.length))).toBe(50);
    expect(sent.at(-1)?.body.runs?.[0]?.id).toBe(idOf(999));
  });

  it('show no run of another project', async () => {
    const { rooms, sent } = setUp((id) => (id === idOf(1) ? OTHER : PROJECT));

    await rooms.unplacedChanged([{ id: idOf(1), status: 'TIMEOUT' }, { id: idOf(2) }]);
    await rooms.stopped([idOf(1), idOf(3)]);
    await pass(2_000);

    expect(sent.map(({ body }) => body.counts)).toEqual([{ STOPPED: 1 }]);
    expect(sent.flatMap(({ body }) => body.runs?.map(({ id }) => id))).toEqual([idOf(3), idOf(2)]);
  });

  it('read nothing for projects that nobody watches', async () => {
    const { rooms, findAll } = setUp();
    rooms.closed(`project:${PROJECT}`);

    rooms.runsChanged({ projectId: PROJECT, counts: { FAILED: 1 }, runIds: [idOf(1)] });
    await rooms.stopped([idOf(2)]);
    await pass(2_000);

    expect(findAll).not.toHaveBeenCalled();
  });

  it('send at most ten changes of flows a second, of each flow the last', async () => {
    const { rooms, sent } = setUp();

    for (let i = 0; i < 100; i++) rooms.flowChanged(aFlow(idOf(i % 20)));
    await pass(1_000);
    const inASecond = sent.length; // the first three went at once, before their flows changed again
    await pass(10_000);

    expect(inASecond).toBeLessThanOrEqual(10);
    expect(sent).toHaveLength(3 + 20);
  });
});
