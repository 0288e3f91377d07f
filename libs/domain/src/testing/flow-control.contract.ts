import type { ControlSettings } from '../flows/control-settings';
import { controlDemand, type ControlKeys } from '../flow-control/control-demand';
import type { FlowControl } from '../flow-control/flow-control';
import type { FlowRunStatus } from '../run-status';
import { anId } from './an-id';

export interface ControlledRunRow {
  status: FlowRunStatus;
  statusReason: string | null;
  /** The output of the trigger. */
  payload: unknown;
}

export interface FlowControlUnderTest {
  control: FlowControl;
  /** Adds a run that has been accepted at this time. */
  addRun(run: { id: string; flowId: string; payload: string; isAwaited?: boolean; retryOf?: string }): Promise<void>;
  /** Sets the status of a run, as a worker or a person does. */
  setStatus(runId: string, status: FlowRunStatus): Promise<void>;
  rowOf(runId: string): Promise<ControlledRunRow>;
  /** The runs that have got a job so far, in that order. */
  woken(): string[];
  /** Records that a version of the flow with these settings was published. */
  publish(flowId: string, settings: ControlSettings): Promise<void>;
  passTime(ms: number): Promise<void>;
}

const PROJECT = 'project';
const LIMIT = 1_000;
const MINUTE_MS = 60_000;

/** What every flow control does. */
export function describeFlowControl(store: string, makeSubject: () => FlowControlUnderTest): void {
  describe(`flow control in ${store}`, () => {
    let subject: FlowControlUnderTest;
    let flowId: string;
    let cameMs: number;
    let added: Set<string>;

    beforeAll(() => {
      subject = makeSubject();
    });
    beforeEach(() => {
      flowId = anId();
      cameMs = Date.now() - 10 * MINUTE_MS;
      added = new Set();
    });

    const add = async (more: { isAwaited?: boolean; retryOf?: string } = {}, afterMs = 1): Promise<string> => {
      const id = anId(new Date((cameMs += afterMs)));
      added.add(id);
      await subject.addRun({ id, flowId, payload: JSON.stringify({ n: id }), ...more });
      return id;
    };
    const admit = (runId: string, settings: ControlSettings, keys: ControlKeys = {}, epoch = 0) =>
      subject.control.admit({
        runId,
        flowId,
        projectId: PROJECT,
        epoch,
        demand: controlDemand(flowId, settings, keys),
      });
    const arrive = async (settings: ControlSettings, keys?: ControlKeys, more?: Parameters<typeof add>[0]) => {
      const runId = await add(more);
      return { runId, ...(await admit(runId, settings, keys)) };
    };
    const leave = async (runId: string, how: 'ended' | 'paused' = 'ended', epoch = 0): Promise<void> => {
      await subject.setStatus(runId, how === 'ended' ? 'SUCCEEDED' : 'PAUSED');
      await subject.control.leave({ runId, flowId, projectId: PROJECT, epoch }, how);
    };
    const woken = (): string[] => subject.woken().filter((runId) => added.has(runId));

    it('admits as many runs as a concurrency has places, and lets the others in one by one, the oldest first', async () => {
      const settings = { concurrency: { limit: 2 } };
      const runs = [await add(), await add(), await add(), await add()] as const;

      expect((await admit(runs[3], settings)).isAdmitted).toBe(true);
      expect((await admit(runs[0], settings)).isAdmitted).toBe(true);
      expect((await admit(runs[2], settings)).isAdmitted).toBe(false);
      expect((await admit(runs[1], settings)).isAdmitted).toBe(false);
      await leave(runs[0]);
      expect(woken()).toEqual([runs[1]]);
      await leave(runs[3]);
      expect(woken()).toEqual([runs[1], runs[2]]);
      expect((await admit(runs[1], settings)).isAdmitted).toBe(true);
    });

    it('counts each key and each flow for itself', async () => {
      const settings = { concurrency: { limit: 1, key: '{{ trigger.k }}' } };

      expect((await arrive(settings, { concurrency: 'a' })).isAdmitted).toBe(true);
      expect((await arrive(settings, { concurrency: 'b' })).isAdmitted).toBe(true);
      expect((await arrive(settings, { concurrency: 'a' })).isAdmitted).toBe(false);
      flowId = anId();
      expect((await arrive(settings, { concurrency: 'a' })).isAdmitted).toBe(true);
    });

    it('admits a run again that is delivered again, and no other run with it', async () => {
      const settings = { concurrency: { limit: 1 }, rateLimit: { limit: 2, windowSeconds: 60 } };
      const { runId } = await arrive(settings);

      expect((await admit(runId, settings, {}, 2)).isAdmitted).toBe(true);
      expect((await admit(runId, settings, {}, 4)).isAdmitted).toBe(true);
      expect((await arrive(settings)).isAdmitted).toBe(false);
      await leave(runId, 'ended', 4);
      expect(woken()).toHaveLength(1);
    });

    it('lets a worker that has lost its run give up nothing', async () => {
      const settings = { concurrency: { limit: 1 } };
      const { runId } = await arrive(settings);
      await admit(runId, settings, {}, 3);
      await arrive(settings);

      await subject.control.leave({ runId, flowId, projectId: PROJECT, epoch: 1 }, 'paused');

      expect(woken()).toEqual([]);
    });

    it('gives the place of a paused run to others, and makes the run wait for one when it is resumed', async () => {
      const settings = { concurrency: { limit: 1 }, rateLimit: { limit: 1, windowSeconds: 60 } };
      const { runId } = await arrive({ concurrency: { limit: 1 } });
      const other = await arrive({ concurrency: { limit: 1 } });

      await leave(runId, 'paused', 1);
      expect(woken()).toEqual([other.runId]);
      await subject.setStatus(runId, 'RUNNING');
      expect((await admit(runId, settings, {}, 2)).isAdmitted).toBe(false);
      await leave(other.runId);

      expect(woken()).toEqual([other.runId, runId]);
    });

    it('frees the places of runs that ended or paused without their workers’ word', async () => {
      const settings = { concurrency: { limit: 2 } };
      const [first, second] = [await arrive(settings), await arrive(settings)];
      const waiting = [await arrive(settings), await arrive(settings)].map(({ runId }) => runId);
      await subject.setStatus(first.runId, 'STOPPED');
      await subject.setStatus(second.runId, 'PAUSED');

      for (let after: string | null = null, isFirst = true; after !== null || isFirst; isFirst = false)
        after = (await subject.control.reviewLeft('admitted', after, 2)).nextAfterId;

      expect(woken()).toEqual(waiting);
    });

    it('passes over a waiting run that was cancelled', async () => {
      const settings = { concurrency: { limit: 1 } };
      const first = await arrive(settings);
      const cancelled = await arrive(settings);
      const next = await arrive(settings);
      await subject.setStatus(cancelled.runId, 'STOPPED');

      await leave(first.runId);

      expect(woken()).toEqual([next.runId]);
    });

    it('begins no more runs within a window than the rate allows, and the next when the window has moved', async () => {
      const settings = { rateLimit: { limit: 2, windowSeconds: 10 } };
      const [first] = [await arrive(settings), await arrive(settings)];
      const [third, fourth] = [await arrive(settings), await arrive(settings)];
      expect([third.isAdmitted, fourth.isAdmitted]).toEqual([false, false]);
      await leave(first.runId);

      await subject.passTime(5_000);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([]);
      await subject.passTime(5_001);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([third.runId, fourth.runId]);
      expect((await arrive(settings)).isAdmitted).toBe(false);
    });

    it('counts a run in its rate when it begins, however long it was under way to its worker', async () => {
      const settings = { concurrency: { limit: 2 }, rateLimit: { limit: 1, windowSeconds: 10 } };
      const first = await arrive(settings);
      const [second, third] = [await arrive(settings), await arrive(settings)].map(({ runId }) => runId);
      await leave(first.runId);
      await subject.passTime(10_001);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([second]);
      await subject.passTime(9_000);

      expect((await admit(second ?? '', settings)).isAdmitted).toBe(true);
      await subject.passTime(5_000);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([second]);
      await subject.passTime(5_001);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([second, third]);
    });

    it('lets a run that comes to its worker after its turn wait for another one, and give up its place', async () => {
      const settings = { concurrency: { limit: 1 }, rateLimit: { limit: 1, windowSeconds: 10 } };
      const late = await arrive(settings);
      await subject.passTime(10_001);
      const alone = { rateLimit: settings.rateLimit };
      expect((await arrive(alone)).isAdmitted).toBe(true);

      expect((await admit(late.runId, settings)).isAdmitted).toBe(false);
      expect((await arrive({ concurrency: { limit: 1 } })).isAdmitted).toBe(false);
      await subject.passTime(10_001);
      await subject.control.reviewDue(LIMIT);

      expect(woken()).toEqual([late.runId]);
      expect((await admit(late.runId, settings)).isAdmitted).toBe(true);
    });

    it('lets runs that wait begin by the limits of the version that is published meanwhile', async () => {
      const settings = { concurrency: { limit: 1 } };
      const first = await arrive(settings);
      const waiting = [await arrive(settings), await arrive(settings), await arrive(settings)].map(
        ({ runId }) => runId,
      );

      await subject.publish(flowId, { concurrency: { limit: 2 } });
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual(waiting.slice(0, 1));

      await subject.publish(flowId, { concurrency: { limit: 1 } });
      await subject.control.reviewDue(LIMIT);
      await leave(first.runId);
      expect(woken()).toEqual(waiting.slice(0, 1));

      await subject.publish(flowId, {});
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual(waiting);
      expect((await arrive(settings)).isAdmitted).toBe(true);
    });

    it('looks at runs that wait for a rate when the published version has a wider one', async () => {
      const settings = { rateLimit: { limit: 1, windowSeconds: 60 } };
      await arrive(settings);
      const waiting = [await arrive(settings), await arrive(settings)].map(({ runId }) => runId);

      await subject.publish(flowId, { rateLimit: { limit: 2, windowSeconds: 60 } });
      await subject.control.reviewDue(LIMIT);

      expect(woken()).toEqual(waiting.slice(0, 1));
    });

    it('drops the run for which there is no room, by choice, and names the rule', async () => {
      const settings = { concurrency: { limit: 1, overflow: 'drop' as const } };
      await arrive(settings);

      const { runId, isAdmitted, ended } = await arrive(settings, {}, { isAwaited: true });

      expect(isAdmitted).toBe(false);
      const statusReason = "The run was dropped by the flow's concurrency: at most 1 run at once.";
      expect(await subject.rowOf(runId)).toMatchObject({ status: 'STOPPED', statusReason });
      expect(ended).toMatchObject([{ run: { id: runId }, answer: { status: 'STOPPED', response: { status: 429 } } }]);
    });

    it('ends the later runs of a key within the window, and names the first', async () => {
      const settings = { dedupe: { key: '{{ trigger.k }}', windowSeconds: 60 } };
      const first = await arrive(settings, { dedupe: 'a' });
      const second = await arrive(settings, { dedupe: 'a' });
      const other = await arrive(settings, { dedupe: 'b' });
      const again = await admit(first.runId, settings, { dedupe: 'a' });
      const late = await add({}, 61_000);

      expect([first, second, other, again].map(({ isAdmitted }) => isAdmitted)).toEqual([true, false, true, true]);
      const statusReason = `The run is a duplicate of run ${first.runId}, which came first within 60 s.`;
      expect(await subject.rowOf(second.runId)).toMatchObject({ status: 'STOPPED', statusReason });
      expect((await admit(late, settings, { dedupe: 'a' })).isAdmitted).toBe(true);
    });

    it('executes a retry, whatever its key, within the limits', async () => {
      const settings = { dedupe: { key: '{{ trigger.k }}', windowSeconds: 60 }, concurrency: { limit: 1 } };
      const first = await arrive(settings, { dedupe: 'a' });
      await leave(first.runId);

      expect((await arrive(settings, { dedupe: 'a' }, { retryOf: first.runId })).isAdmitted).toBe(true);
      expect((await arrive(settings, { dedupe: 'a' }, { retryOf: first.runId })).isAdmitted).toBe(false);
    });

    it('executes the newest run of a debounced key when no newer one has come for the time', async () => {
      const settings = { debounce: { seconds: 5 } };
      const first = await arrive(settings);
      await subject.passTime(4_000);
      const older = await add();
      const newest = await arrive(settings);
      await admit(older, settings);
      await subject.passTime(4_000);
      await subject.control.reviewDue(LIMIT);
      expect(woken()).toEqual([]);
      await subject.passTime(1_001);
      await subject.control.reviewDue(LIMIT);

      expect(woken()).toEqual([newest.runId]);
      expect((await admit(newest.runId, settings)).isAdmitted).toBe(true);
      for (const runId of [first.runId, older])
        expect(await subject.rowOf(runId)).toMatchObject({
          status: 'STOPPED',
          statusReason: `The run was superseded by run ${newest.runId}, which came later with the same key.`,
        });
    });

    it('gives one run the payloads of a full batch, and the others join it', async () => {
      const settings = { batch: { size: 3, seconds: 60 } };
      const runs = [await arrive(settings), await arrive(settings), await arrive(settings)].map(({ runId }) => runId);
      const [leader, ...others] = runs;

      expect(woken()).toEqual([leader]);
      expect(await subject.rowOf(leader ?? '')).toMatchObject({
        status: 'RUNNING',
        payload: runs.map((n) => ({ n })),
      });
      for (const runId of others)
        expect(await subject.rowOf(runId)).toMatchObject({
          status: 'SUCCEEDED',
          statusReason: `The run joined run ${leader}, which executes with the payloads of the whole batch.`,
        });
    });

    it('executes a batch that is not full when its time has come, without the cancelled runs', async () => {
      const settings = { batch: { size: 9, seconds: 60 }, concurrency: { limit: 1 } };
      const runs = [await arrive(settings), await arrive(settings), await arrive(settings)].map(({ runId }) => runId);
      await subject.setStatus(runs[0] ?? '', 'STOPPED');

      await subject.passTime(60_001);
      await subject.control.reviewDue(LIMIT);

      expect(woken()).toEqual([runs[1]]);
      expect(await subject.rowOf(runs[1] ?? '')).toMatchObject({ payload: [{ n: runs[1] }, { n: runs[2] }] });
      expect((await admit(runs[1] ?? '', settings)).isAdmitted).toBe(true);
    });

    it('forgets starts and first runs that no decision needs', async () => {
      const settings = { rateLimit: { limit: 1, windowSeconds: 1 }, dedupe: { key: 'k', windowSeconds: 1 } };
      await arrive(settings);
      await subject.passTime(48 * 60 * MINUTE_MS);

      expect(await subject.control.forget(LIMIT)).toBeGreaterThanOrEqual(2);
      expect(await subject.control.forget(LIMIT)).toBe(0);
    });
  });
}
