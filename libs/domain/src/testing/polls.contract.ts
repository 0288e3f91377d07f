import type { NewRun } from '../runs/run-intake';
import { triggerRunKey } from '../runs/idempotency-key';
import type { PollMemory } from '../triggers/polls/poll-memory';
import { POLL_SECONDS, POLL_WAIT_SECONDS } from '../triggers/polls/poll-time';
import type { StoreWrite } from '../store/store-writes';
import type { ClaimedPoll, ClaimLimits, Polls, SettledPoll } from '../triggers/polls/polls';
import type { TriggerFailure } from '../triggers/trigger-failure';
import { anId } from './an-id';
import { aNewRun } from './a-run';

export interface PollsUnderTest {
  polls: Polls;
  /** Makes an enabled flow that polls, in the given project or in a new one. */
  aFlow(more?: { projectId?: string; everyMinutes?: number }): Promise<{ flowId: string; projectId: string }>;
  /** Publishes another version, which is enabled. */
  republish(flowId: string): Promise<void>;
  disable(flowId: string): Promise<void>;
  passTime(ms: number): Promise<void>;
  /** The payloads of the flow's runs, in their order. */
  runsOf(flowId: string): Promise<string[]>;
  failureOf(flowId: string): Promise<TriggerFailure | null>;
  /** Begins to enable another trigger of the flow. */
  beginEnabling(flowId: string): Promise<void>;
  /** The value of a key in the store of the flow, or of its project; null when it has none. */
  storedBy(flow: { flowId: string; projectId: string }, scope: StoreWrite['scope'], key: string): Promise<unknown>;
}

const LEASE_MS = 60_000;
const LIMITS: ClaimLimits = { most: 1_000, mostOfProject: 1_000, leaseMs: LEASE_MS };
const MINUTE_MS = 60_000;
const MEMORY: PollMemory = {
  source: 'source',
  store: { etag: '"1"', list: [{ a: null }] },
  seen: ['k2', 'k1'],
  waiting: [{ key: 'k2', payload: '{"n":2}' }],
};

/** The promises of every Polls. `subject` returns new polls each time. */
export function describePolls(name: string, subject: () => Promise<PollsUnderTest>): void {
  describe(`Polls: ${name}`, () => {
    let test: PollsUnderTest;
    let polls: Polls;
    beforeEach(async () => {
      test = await subject();
      ({ polls } = test);
    });

    const claimOne = async (limits = LIMITS): Promise<ClaimedPoll> => {
      const [claimed] = await polls.claimDue(limits);
      if (!claimed) throw new Error('Nothing is due.');
      return claimed;
    };
    const runFor = ({ flowId, projectId, flowVersionId }: ClaimedPoll, item: string): NewRun =>
      aNewRun({
        id: anId(),
        projectId,
        flowId,
        flowVersionId,
        triggeredBy: 'polling',
        triggerType: 'POLLING',
        idempotencyKey: triggerRunKey(`poll ${item}`),
        payload: JSON.stringify(item),
      });
    const settled = (more: Partial<SettledPoll> = {}): SettledPoll => ({
      restMs: 5 * MINUTE_MS,
      failure: null,
      runs: [],
      ...more,
    });

    it('has a poll that is due at once when its flow is enabled', async () => {
      const { flowId, projectId } = await test.aFlow({ everyMinutes: 7 });

      const claimed = await claimOne();

      expect(claimed).toMatchObject({ flowId, projectId });
      expect(await polls.find(claimed)).toEqual({
        ...claimed,
        everyMinutes: 7,
        failures: 0,
        memory: { source: null, store: {}, seen: null, waiting: [] },
        refusal: null,
      });
    });

    it('gives a poll to one of two callers', async () => {
      const { flowId } = await test.aFlow();

      const claims = (await Promise.all([polls.claimDue(LIMITS), polls.claimDue(LIMITS)])).flat();

      expect(claims.map((claim) => claim.flowId)).toEqual([flowId]);
    });

    it('gives a poll again when its claim has run out, and the first claim has ended', async () => {
      await test.aFlow();
      const first = await claimOne();
      expect(await polls.claimDue(LIMITS)).toEqual([]);
      await test.passTime(LEASE_MS + 1);

      const second = await claimOne();

      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect(await polls.find(first)).toBeNull();
      expect(await polls.settle(first, settled({ runs: [runFor(first, 'a')], memory: MEMORY }))).toBe(false);
      expect(await test.runsOf(first.flowId)).toEqual([]);
      expect(await polls.find(second)).toMatchObject({ memory: { seen: null } });
    });

    it('keeps a poll that was taken up late from other callers until its source has answered', async () => {
      await test.aFlow();
      const claimed = await claimOne();
      await test.passTime(LEASE_MS - 5_000);
      await polls.find(claimed);
      await test.passTime((POLL_WAIT_SECONDS + POLL_SECONDS) * 1_000);

      expect(await polls.claimDue(LIMITS)).toEqual([]);
      expect(await polls.settle(claimed, settled({ memory: MEMORY }))).toBe(true);
    });

    it('rests as long as it was told', async () => {
      await test.aFlow();
      await polls.settle(await claimOne(), settled());

      await test.passTime(5 * MINUTE_MS - 2_000);
      expect(await polls.claimDue(LIMITS)).toEqual([]);
      await test.passTime(2_000);
      expect(await polls.claimDue(LIMITS)).toHaveLength(1);
    });

    it('writes the memory and the runs', async () => {
      const { flowId } = await test.aFlow();
      const claimed = await claimOne();

      const runs = [runFor(claimed, 'a'), runFor(claimed, 'b')];
      expect(await polls.settle(claimed, settled({ restMs: 0, runs, memory: MEMORY }))).toBe(true);

      expect(await test.runsOf(flowId)).toEqual(['"a"', '"b"']);
      expect((await polls.find(await claimOne()))?.memory).toEqual(MEMORY);
    });

    it('writes the store of the flow and of its project with the runs, and not for a claim that has ended', async () => {
      const flow = await test.aFlow();
      const claimed = await claimOne();
      const writesOf = (value: unknown): SettledPoll['writes'] => [
        { scope: 'FLOW', key: 'last', value },
        { scope: 'PROJECT', key: 'token', value },
      ];
      const runs = [runFor(claimed, 'a')];
      const stored = () => Promise.all([test.storedBy(flow, 'FLOW', 'last'), test.storedBy(flow, 'PROJECT', 'token')]);

      expect(await polls.settle(claimed, settled({ restMs: 0, runs, writes: writesOf(7) }))).toBe(true);
      expect(await polls.settle(claimed, settled({ restMs: 0, runs, writes: writesOf(8) }))).toBe(false);

      expect(await stored()).toEqual([7, 7]);
      expect(await test.runsOf(flow.flowId)).toEqual(['"a"']);
      expect(await polls.settle(await claimOne(), settled({ writes: writesOf(null) }))).toBe(true);
      expect(await stored()).toEqual([null, null]);
    });

    it('writes nothing into the store while another trigger of the flow is enabled, which writes there, too', async () => {
      const flow = await test.aFlow();
      const claimed = await claimOne();
      await test.beginEnabling(flow.flowId);
      const writes = [{ scope: 'FLOW' as const, key: 'last', value: 7 }];

      expect(await polls.settle(claimed, settled({ runs: [runFor(claimed, 'a')], writes }))).toBe(false);

      expect(await test.storedBy(flow, 'FLOW', 'last')).toBeNull();
      expect(await test.runsOf(flow.flowId)).toEqual([]);
      expect(await polls.settle(claimed, settled())).toBe(true);
    });

    it('keeps the memory when a poll settles without one', async () => {
      await test.aFlow();
      await polls.settle(await claimOne(), settled({ restMs: 0, memory: MEMORY }));
      await polls.settle(await claimOne(), settled({ restMs: 0 }));

      expect((await polls.find(await claimOne()))?.memory).toEqual(MEMORY);
    });

    it('lets one of two settle with the same claim', async () => {
      const { flowId } = await test.aFlow();
      const claimed = await claimOne();

      const outcomes = await Promise.all(
        ['a', 'b'].map((item) => polls.settle(claimed, settled({ runs: [runFor(claimed, item)] }))),
      );

      expect(outcomes.sort()).toEqual([false, true]);
      expect(await test.runsOf(flowId)).toHaveLength(1);
    });

    it('makes no second run with a key', async () => {
      const { flowId } = await test.aFlow();
      const first = await claimOne();
      await polls.settle(first, settled({ restMs: 0, runs: [runFor(first, 'a')] }));
      const second = await claimOne();

      expect(await polls.settle(second, settled({ runs: [runFor(second, 'a'), runFor(second, 'b')] }))).toBe(true);

      expect(await test.runsOf(flowId)).toEqual(['"a"', '"b"']);
    });

    it('shows the failures in a row, and a success ends them', async () => {
      const { flowId } = await test.aFlow();
      await polls.settle(await claimOne(), settled({ restMs: 0, failure: 'The server is away.' }));
      const first = await test.failureOf(flowId);
      await test.passTime(1_000);
      await polls.settle(await claimOne(), settled({ restMs: 0, failure: 'It is still away.' }));

      expect(first).toEqual({ message: 'The server is away.', since: expect.any(Date), failures: 1 });
      expect(await test.failureOf(flowId)).toEqual({ message: 'It is still away.', since: first?.since, failures: 2 });
      const third = await claimOne();
      expect(await polls.find(third)).toMatchObject({ failures: 2 });
      await polls.settle(third, settled());
      expect(await test.failureOf(flowId)).toBeNull();
    });

    it('shows that there is no room for runs, and does not count that as a failure', async () => {
      const { flowId } = await test.aFlow();
      const refused = settled({ restMs: 0, failure: 'The poll waits.', isRefused: true });
      await polls.settle(await claimOne(), refused);
      expect(await test.failureOf(flowId)).toMatchObject({ message: 'The poll waits.', failures: 0 });

      await polls.settle(await claimOne(), settled({ restMs: 0, failure: 'The server is away.' }));
      await polls.settle(await claimOne(), refused);

      expect(await test.failureOf(flowId)).toMatchObject({ message: 'The poll waits.', failures: 1 });
    });

    it('ends the claim when the flow is disabled, and goes on with its memory when it is enabled', async () => {
      const { flowId } = await test.aFlow();
      await polls.settle(await claimOne(), settled({ restMs: 0, memory: MEMORY }));
      const claimed = await claimOne();

      await test.disable(flowId);

      expect(await polls.find(claimed)).toBeNull();
      expect(await polls.settle(claimed, settled({ runs: [runFor(claimed, 'a')] }))).toBe(false);
      expect(await polls.claimDue(LIMITS)).toEqual([]);
      await test.republish(flowId);
      expect(await polls.settle(claimed, settled({ runs: [runFor(claimed, 'a')] }))).toBe(false);
      expect(await test.runsOf(flowId)).toEqual([]);
      expect((await polls.find(await claimOne()))?.memory).toEqual(MEMORY);
    });

    it('writes nothing for a version that is not published any more, and polls for the next one at once', async () => {
      const { flowId } = await test.aFlow();
      const claimed = await claimOne();
      const turn = await polls.find(claimed);

      await test.republish(flowId);

      expect(await polls.settle(turn ?? claimed, settled({ runs: [runFor(claimed, 'a')] }))).toBe(false);
      const next = await claimOne();
      expect(next.flowVersionId).not.toBe(claimed.flowVersionId);
      expect(await test.runsOf(flowId)).toEqual([]);
    });

    it('lets projects take turns, whatever one of them has had due for longer', async () => {
      const { projectId } = await test.aFlow();
      for (let i = 0; i < 4; i++) await test.aFlow({ projectId });
      await test.passTime(1_000);
      const other = await test.aFlow();

      const claimed = await polls.claimDue({ ...LIMITS, most: 3 });

      expect(claimed).toHaveLength(3);
      expect(claimed.map(({ flowId }) => flowId)).toContain(other.flowId);
    });

    it('bounds what is under way, of one project and in all', async () => {
      const { projectId } = await test.aFlow();
      for (let i = 0; i < 4; i++) await test.aFlow({ projectId });
      const other = await test.aFlow();

      const claimed = await polls.claimDue({ ...LIMITS, mostOfProject: 2 });
      expect(claimed.filter((claim) => claim.projectId === projectId)).toHaveLength(2);
      expect(claimed.map(({ flowId }) => flowId)).toContain(other.flowId);
      expect(await polls.claimDue({ ...LIMITS, mostOfProject: 2 })).toEqual([]);
      expect(await polls.claimDue({ ...LIMITS, most: 4 })).toHaveLength(1);
      expect(await polls.claimDue({ ...LIMITS, most: 4 })).toEqual([]);
    });
  });
}
