import type { FinalRunStatus } from '../run-status';
import type { NewChildRun, RunParent } from '../journal/new-child-run';
import type { NewRun } from '../runs/run-intake';
import type { RunToExecute } from '../runs/run-journal';
import type { NewWait } from '../journal/step-wait';
import type { StepRecord } from '../journal/step-record';
import { aChildRun, anEnding, aPause, aPausedRecord, aWait } from './a-run';
import {
  acceptedRun,
  claimedRun,
  doneStep as done,
  LEASE,
  loadedRun,
  STARTED,
  type JournalUnderTest,
} from './journal-under-test';

const FAR = new Date('2999-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const FORTY_DAYS_MS = 40 * 24 * 60 * 60 * 1000;
const WAITED_FOR: FinalRunStatus[] = ['SUCCEEDED', 'FAILED', 'TIMEOUT', 'STOPPED', 'INTERNAL_ERROR'];
const APPROVAL = { kind: 'approval' } as const;

/**
 * The promises of every journal about waits, together with the ports that end waits. `subject` is the same each time.
 */
export function describeWaitingRuns(name: string, subject: () => JournalUnderTest): void {
  describe(`runs that wait: ${name}`, () => {
    let at: JournalUnderTest;
    let requests = 0;

    beforeEach(() => {
      at = subject();
    });

    const requestId = (): string => `request-${++requests}-${Math.random()}`;
    const human = (id: string, more: Partial<NewWait> = {}): NewWait =>
      aWait(id, { kind: 'human', until: null, request: APPROVAL, ...more });
    const claimed = (more: Partial<NewRun> = {}): Promise<string> => claimedRun(at, more);
    const loaded = (runId: string): Promise<RunToExecute> => loadedRun(at, runId);
    const pause = (runId: string, waits: readonly NewWait[], more: Parameters<typeof aPause>[2] = {}) =>
      at.journal.pause(aPause(runId, waits, more));
    const paused = async (waits: readonly NewWait[]): Promise<string> => {
      const runId = await claimed();
      expect(await pause(runId, waits)).toBe('paused');
      return runId;
    };
    const jobsFor = (runId: string) =>
      at.queue
        .waiting()
        .filter(({ runs }) => runs.some((run) => run.runId === runId && run.executionType === 'RESUME'));
    const child = (runId: string, more: Partial<RunParent> = {}): NewChildRun => aChildRun({ runId, ...more });

    describe('a pause', () => {
      it('lets go of the run: PAUSED, without a lease, in the next epoch, with its record', async () => {
        const runId = await paused([human('a')]);

        expect(await loaded(runId)).toMatchObject({
          status: 'PAUSED',
          epoch: 2,
          isLeased: false,
          nextSegment: 1,
          recorded: [{ path: 'step_1', status: 'PAUSED', wait: { requestId: 'a' } }],
          waitEndings: new Map(),
        });
      });

      it('is lost under a passed epoch, and after the end', async () => {
        const [passed, ended] = [await claimed(), await claimed()];
        await at.journal.finish(anEnding(ended, { epoch: 1, records: [] }));

        expect(await pause(passed, [human(requestId())], { epoch: 0 })).toBe('claimLost');
        expect(await pause(ended, [human(requestId())])).toBe('claimLost');

        expect(await loaded(passed)).toMatchObject({ status: 'RUNNING', epoch: 1, recorded: [] });
      });

      it('is lost when the run was cancelled meanwhile', async () => {
        const runId = await claimed();
        await at.cancel(runId);

        expect(await pause(runId, [human('a')])).toBe('claimLost');

        expect(await at.waits.find(runId, 'a')).toBeNull();
      });

      it('cannot be claimed, renewed, appended to or finished', async () => {
        const runId = await paused([human('a')]);
        const claim = { runId, epoch: 2 };

        expect(await at.journal.claim(claim, STARTED, LEASE)).toBeNull();
        expect(await at.journal.renew([claim], LEASE)).toEqual(new Set());
        expect(await at.journal.append({ stepsCount: 1, ...claim, seq: 1, records: [done('b')] })).toBe(false);
        expect(await at.journal.finish(anEnding(runId, { epoch: 2, seq: 1 }))).toBe(false);
      });

      it('needs no records and no claim', async () => {
        const runId = await acceptedRun(at);

        expect(await pause(runId, [human('a')], { epoch: 0, records: [] })).toBe('paused');

        expect(await loaded(runId)).toMatchObject({ status: 'PAUSED', epoch: 1, startTime: STARTED, nextSegment: 0 });
      });

      it('is taken once of two that come at the same time', async () => {
        const runId = await claimed();

        expect(await Promise.all([pause(runId, [human('a')]), pause(runId, [human('a')])])).toEqual([
          'paused',
          'claimLost',
        ]);
      });

      it('starts the child that it waits for', async () => {
        const runId = await claimed();
        const started = child(runId, { failOnFailure: true });

        await pause(runId, [aWait('a', { kind: 'child', until: null, child: started })]);

        expect(await loaded(started.id)).toMatchObject({ status: 'RUNNING', parentRunId: runId, depth: 1 });
        expect(at.queue.waiting().some(({ runs }) => runs.some((run) => run.runId === started.id))).toBe(true);
      });
    });

    describe('an answer', () => {
      it('wakes the run, gives it to the queue, and its waiting time does not count', async () => {
        const runId = await claimed();
        await pause(runId, [human('a')]);
        await at.letPass(runId, 60_000);

        expect(await at.waits.answer(runId, 'a', { approved: true })).toBe('answered');

        const run = await loaded(runId);
        expect(run).toMatchObject({ status: 'RUNNING', epoch: 2, startTime: STARTED });
        expect(run.waitEndings).toEqual(new Map([['a', { kind: 'human', answer: { approved: true } }]]));
        expect(run.timeUsedMs).toBeLessThan(60_000);
        expect(jobsFor(runId)).toHaveLength(1);
      });

      it('is repeated by an equal one, whatever the order of its keys, and another is refused', async () => {
        const runId = await paused([human('a')]);
        await at.waits.answer(runId, 'a', { approved: true, comment: 'Yes.' });

        expect(await at.waits.answer(runId, 'a', { comment: 'Yes.', approved: true })).toBe('repeated');
        expect(await at.waits.answer(runId, 'a', { comment: 'No.', approved: false })).toBe('refused');

        expect(jobsFor(runId)).toHaveLength(1);
      });

      it('of many at the same time one is taken', async () => {
        const runId = await paused([human('a')]);

        const results = await Promise.all(Array.from({ length: 10 }, (_, i) => at.waits.answer(runId, 'a', { i })));

        expect(results.filter((result) => result === 'answered')).toHaveLength(1);
        expect(results.filter((result) => result === 'refused')).toHaveLength(9);
        expect(jobsFor(runId)).toHaveLength(1);
      });

      it('is refused when the run has ended, when nobody asked, and for what is no question', async () => {
        const cancelled = await paused([human('a')]);
        await at.cancel(cancelled);
        const timed = await paused([aWait('a', { until: FAR })]);

        expect(await at.waits.answer(cancelled, 'a', 1)).toBe('refused');
        expect(await at.waits.answer(timed, 'b', 1)).toBe('refused');
        expect(await at.waits.answer(timed, 'a', 1)).toBe('refused');
      });

      it('that comes before the pause is not lost', async () => {
        const runId = await claimed();
        const opened = { requestId: 'a', request: APPROVAL };
        await at.journal.append({
          stepsCount: 1,
          runId,
          epoch: 1,
          seq: 0,
          records: [{ ...done('links'), effects: { opens: [opened] } }],
        });

        expect(await at.waits.answer(runId, 'a', 'yes')).toBe('answered');
        expect(await pause(runId, [human('a')], { seq: 1 })).toBe('resumed');

        expect(await loaded(runId)).toMatchObject({ status: 'RUNNING', epoch: 2, isLeased: false });
        expect((await loaded(runId)).waitEndings).toEqual(new Map([['a', { kind: 'human', answer: 'yes' }]]));
        expect(await at.journal.claim({ runId, epoch: 2 }, STARTED, LEASE)).toBe(3);
      });

      it('that comes while the step runs whose request is open already is not lost', async () => {
        const runId = await claimed();
        await at.waits.open(runId, { requestId: 'a', request: APPROVAL });

        expect(await at.waits.answer(runId, 'a', 'yes')).toBe('answered');
        await at.waits.open(runId, { requestId: 'a', request: APPROVAL });
        expect(await pause(runId, [human('a')])).toBe('resumed');

        expect((await loaded(runId)).waitEndings).toEqual(new Map([['a', { kind: 'human', answer: 'yes' }]]));
      });

      it('has no request to answer that was to be opened for a run that does not execute', async () => {
        const runId = await paused([human('a')]);

        await at.waits.open(runId, { requestId: 'b', request: APPROVAL });

        expect(await at.waits.find(runId, 'b')).toBeNull();
      });

      it('is to the same question before the pause and after it, which the step only adds to', async () => {
        const runId = await claimed();
        const opened = { requestId: 'a', request: { ...APPROVAL, message: 'Is 40 too dear?' } };
        const records = [{ ...done('links'), effects: { opens: [opened] } }];
        await at.journal.append({ stepsCount: 1, runId, epoch: 1, seq: 0, records });

        await pause(runId, [human('a', { request: { ...APPROVAL, stepDisplayName: 'Ask Ada' } })], { seq: 1 });

        const request = { ...APPROVAL, message: 'Is 40 too dear?', stepDisplayName: 'Ask Ada' };
        expect(await at.waits.find(runId, 'a')).toMatchObject({ request });
      });

      it('to a link that nothing waits for yet does not wake a run that waits for something else', async () => {
        const runId = await claimed();
        const opened = { requestId: 'early', request: APPROVAL };
        const records = [{ ...done('links'), effects: { opens: [opened] } }, aPausedRecord('step_1', 'other')];
        await pause(runId, [human('other')], { records });

        expect(await at.waits.answer(runId, 'early', 'yes')).toBe('answered');

        expect((await loaded(runId)).status).toBe('PAUSED');
      });

      it('to one branch wakes the run, and to another while it executes makes its next pause go on', async () => {
        const goesOn = human('b', { stepPath: 'step_2' });
        const runId = await paused([human('a'), goesOn]);
        await at.waits.answer(runId, 'a', 1);
        await at.journal.claim({ runId, epoch: 2 }, STARTED, LEASE);

        await at.waits.answer(runId, 'b', 2);

        expect(await pause(runId, [goesOn], { epoch: 3, seq: 1, records: [done('step_1')] })).toBe('resumed');
        expect((await loaded(runId)).waitEndings).toEqual(new Map([['b', { kind: 'human', answer: 2 }]]));
      });

      it('that the run has gone on with does not keep it from pausing again', async () => {
        const runId = await paused([human('a'), human('b', { stepPath: 'step_2' })]);
        await at.waits.answer(runId, 'a', 1);
        await at.journal.claim({ runId, epoch: 2 }, STARTED, LEASE);
        await at.journal.append({ stepsCount: 1, runId, epoch: 3, seq: 1, records: [done('step_1')] });

        expect(await pause(runId, [human('c', { stepPath: 'step_3' })], { epoch: 3, seq: 2 })).toBe('paused');
        expect(await at.waits.answer(runId, 'b', 1)).toBe('answered');

        expect((await loaded(runId)).status).toBe('RUNNING');
      });

      it('to a step that is not walked any more does not keep the run from waiting for another', async () => {
        const runId = await paused([human('gone')]);
        await at.waits.answer(runId, 'gone', 1);
        await at.journal.claim({ runId, epoch: 2 }, STARTED, LEASE);

        const other = human('other', { stepPath: 'step_2' });
        expect(await pause(runId, [other], { epoch: 3, seq: 1 })).toBe('paused');

        expect(await loaded(runId)).toMatchObject({ status: 'PAUSED', epoch: 4 });
      });

      it('is found with its request, and a request without one too', async () => {
        const runId = await paused([human('a'), aWait('timer', { stepPath: 'step_2', until: FAR })]);
        expect(await at.waits.find(runId, 'a')).toMatchObject({
          ...{ runId, request: APPROVAL, status: 'PAUSED', isOpen: true },
        });
        expect(await at.waits.find(runId, 'a')).not.toHaveProperty('answer');

        await at.waits.answer(runId, 'a', null);

        expect(await at.waits.find(runId, 'a')).toMatchObject({ answer: null, status: 'RUNNING', isOpen: false });
        expect(await at.waits.find(runId, 'timer')).toBeNull();
      });
    });

    describe('the time of a run', () => {
      it('stands still from its pause until a worker claims it', async () => {
        const runId = await claimed();
        await at.letPass(runId, HOUR_MS);
        await pause(runId, [human('a')]);
        const { timeUsedMs: used } = await loaded(runId);
        await at.letPass(runId, HOUR_MS);
        await at.waits.answer(runId, 'a', 1);
        await at.letPass(runId, HOUR_MS);
        expect((await loaded(runId)).timeUsedMs).toBe(used);

        expect(await at.journal.claim({ runId, epoch: 2 }, at.now(), LEASE)).toBe(3);
        await at.letPass(runId, HOUR_MS);

        const { timeUsedMs, startTime } = await loaded(runId);
        expect(startTime).toEqual(STARTED);
        expect(Math.floor(Number(used) / HOUR_MS)).toBe(1);
        expect(Math.floor(Number(timeUsedMs) / HOUR_MS)).toBe(2);
      });

      it('counts from the first claim by the clock of the journal, whatever the clock of the worker says', async () => {
        const runId = await acceptedRun(at);
        const anHourAgo = new Date(at.now().getTime() - HOUR_MS);

        await at.journal.claim({ runId, epoch: 0 }, anHourAgo, LEASE);

        const { startTime, timeUsedMs } = await loaded(runId);
        expect(startTime).toEqual(anHourAgo);
        expect(timeUsedMs).toBeLessThan(HOUR_MS / 2);
        expect(timeUsedMs).toBeGreaterThanOrEqual(0);
      });

      it('does not count any of its pauses', async () => {
        const runId = await claimed();
        for (const [turn, epoch] of [1, 3, 5].entries()) {
          await pause(runId, [human(`${turn}`)], { epoch, seq: turn });
          await at.letPass(runId, HOUR_MS);
          await at.waits.answer(runId, `${turn}`, 1);
          expect(await at.journal.claim({ runId, epoch: epoch + 1 }, at.now(), LEASE)).toBe(epoch + 2);
        }

        await at.letPass(runId, HOUR_MS);

        expect(Math.floor(Number((await loaded(runId)).timeUsedMs) / HOUR_MS)).toBe(1);
      });
    });

    describe('what is due', () => {
      it('ends timers whose moment has passed, and no other', async () => {
        const due = await paused([aWait('a')]);
        const later = await paused([aWait('a', { until: new Date(at.now().getTime() + 60_000) })]);

        expect((await at.waits.endDue(100)).ended).toBe(1);

        expect(await loaded(due)).toMatchObject({ status: 'RUNNING', epoch: 2 });
        expect([...(await loaded(due)).waitEndings.values()]).toMatchObject([{ kind: 'timer' }]);
        expect(jobsFor(due)).toHaveLength(1);
        expect((await loaded(later)).status).toBe('PAUSED');
        expect((await at.waits.endDue(100)).ended).toBe(0);
      });

      it('ends the oldest first, as many as asked for', async () => {
        const [second, first] = [await paused([aWait('a')]), await paused([aWait('a', { until: new Date(0) })])];

        expect((await at.waits.endDue(1)).ended).toBe(1);

        expect((await loaded(first)).status).toBe('RUNNING');
        expect((await loaded(second)).status).toBe('PAUSED');
        await at.waits.endDue(1);
      });

      it('ends a person’s wait without an answer when it named a moment', async () => {
        const runId = await paused([human('a', { until: new Date('2020-01-01') })]);

        await at.waits.endDue(100);

        expect((await loaded(runId)).waitEndings).toEqual(new Map([['a', { kind: 'unanswered' }]]));
        expect(await at.waits.find(runId, 'a')).toMatchObject({ status: 'RUNNING', isOpen: false });
        expect(await at.waits.answer(runId, 'a', 1)).toBe('refused');
      });

      it.each([
        ['names no moment', null],
        ['names one beyond the longest time that a run may be paused', FAR],
      ])('times the run out when its wait %s', async (_, until) => {
        const runId = await claimed();
        await pause(runId, [human('a', { until })]);
        await at.letPass(runId, FORTY_DAYS_MS);

        await at.waits.endDue(100);

        expect((await loaded(runId)).status).toBe('TIMEOUT');
        expect(await at.waits.answer(runId, 'a', 1)).toBe('refused');
      });

      it('does not time out a run that executes another branch', async () => {
        const runId = await claimed();
        const waits = [human('a'), human('b', { stepPath: 'step_2' })];
        await pause(runId, waits);
        await at.letPass(runId, FORTY_DAYS_MS);
        await at.waits.answer(runId, 'a', 1);

        await at.waits.endDue(100);

        expect((await loaded(runId)).status).toBe('RUNNING');
        expect(await at.waits.answer(runId, 'b', 1)).toBe('answered');
      });

      it('times it out all the same when it has paused again beside that branch', async () => {
        const runId = await claimed();
        const goesOn = human('b', { stepPath: 'step_2' });
        await pause(runId, [human('a'), goesOn]);
        await at.letPass(runId, FORTY_DAYS_MS);
        await at.waits.answer(runId, 'a', 1);
        await at.journal.claim({ runId, epoch: 2 }, STARTED, LEASE);
        expect(await pause(runId, [goesOn], { epoch: 3, seq: 1, records: [done('step_1')] })).toBe('paused');

        await at.waits.endDue(100);

        expect((await loaded(runId)).status).toBe('TIMEOUT');
      });

      it('leaves a cancelled run as it is, and asks for its waits once', async () => {
        const runId = await paused([aWait('a')]);
        await at.cancel(runId);

        await at.waits.endDue(100);

        expect((await loaded(runId)).status).toBe('STOPPED');
        expect(await at.waits.endDue(100)).toEqual({ ended: 0 });
      });
    });

    describe('a child', () => {
      const waitingFor = async (more: Partial<RunParent> = {}): Promise<[string, string]> => {
        const parentId = await claimed();
        const started = child(parentId, more);
        await pause(parentId, [aWait('a', { kind: 'child', until: null, child: started })]);
        return [parentId, started.id];
      };

      it.each(WAITED_FOR.map((status) => [status]))(
        'that ends as %s ends its parent’s wait, with its response and why it failed',
        async (status) => {
          const [parentId, childId] = await waitingFor();
          const response = { status: 201, headers: {}, body: { sum: 3 } };
          const answered: StepRecord = { ...done('answer'), effects: { response } };
          await at.journal.finish(anEnding(childId, { status, records: [answered], statusReason: 'So it is.' }));

          await at.families.notifyParent(childId);

          expect((await loaded(parentId)).status).toBe('RUNNING');
          const why = status === 'SUCCEEDED' ? {} : { message: 'So it is.' };
          expect((await loaded(parentId)).waitEndings).toEqual(
            new Map([['a', { kind: 'child', runId: childId, status, response, ...why }]]),
          );
          expect(jobsFor(parentId)).toHaveLength(1);
        },
      );

      it('tells its parent once, whoever tells', async () => {
        const [parentId, childId] = await waitingFor();
        await at.journal.finish(anEnding(childId));

        await Promise.all([
          at.families.notifyParent(childId),
          at.families.notifyParents(10),
          at.families.notifyParent(childId),
        ]);

        expect(jobsFor(parentId)).toHaveLength(1);
        expect(await at.families.notifyParents(10)).toBe(0);
      });

      it('has nothing to tell before it has ended', async () => {
        const [parentId, childId] = await waitingFor();

        await at.families.notifyParent(childId);

        expect((await loaded(parentId)).status).toBe('PAUSED');
      });

      it('that ended, and told so, before its parent waited for it ends the wait all the same', async () => {
        const parentId = await claimed();
        const started = child(parentId);
        await at.accept(started);
        await at.journal.finish(anEnding(started.id));
        await at.families.notifyParents(10);

        await pause(parentId, [aWait('a', { kind: 'child', until: null, child: started })]);
        await at.families.notifyParents(10);

        expect((await loaded(parentId)).status).toBe('RUNNING');
        expect((await loaded(parentId)).waitEndings).toEqual(
          new Map([['a', { kind: 'child', runId: started.id, status: 'SUCCEEDED', response: null }]]),
        );
      });

      it('that nobody waits for fails its parent when it was asked to, and the parent’s parent, in one go', async () => {
        const top = await claimed();
        const middle = child(top, { failOnFailure: true });
        await at.accept(middle);
        const bottom = child(middle.id, { failOnFailure: true, depth: 2 });
        await at.accept(bottom);
        await at.journal.finish(anEnding(bottom.id, { status: 'INTERNAL_ERROR' }));

        await at.families.notifyParents(10);

        expect((await loaded(middle.id)).status).toBe('FAILED');
        expect((await loaded(top)).status).toBe('FAILED');
        expect(await at.families.notifyParents(10)).toBe(0);
        expect(await at.journal.finish(anEnding(top, { epoch: 1 }))).toBe(false);
      });

      it.each([
        ['it succeeded', { status: 'SUCCEEDED', failOnFailure: true }],
        ['it was not asked to', { status: 'FAILED', failOnFailure: false }],
      ] as const)('that nobody waits for does not fail its parent when %s', async (_, { status, failOnFailure }) => {
        const parentId = await claimed();
        const started = child(parentId, { failOnFailure });
        await at.accept(started);
        await at.journal.finish(anEnding(started.id, { status }));

        expect(await at.families.notifyParents(10)).toBe(1);

        expect((await loaded(parentId)).status).toBe('RUNNING');
        expect(await at.families.notifyParents(10)).toBe(0);
      });
    });

    describe('a cancelled run', () => {
      it('keeps its ending, and takes what its worker had to record', async () => {
        const runId = await claimed();
        await at.cancel(runId);

        expect(await at.journal.finish(anEnding(runId, { epoch: 1, status: 'SUCCEEDED' }))).toBe(false);
        expect(await at.journal.finish(anEnding(runId, { epoch: 1, status: 'STOPPED' }))).toBe(true);

        expect(await loaded(runId)).toMatchObject({ status: 'STOPPED', recorded: [{ path: 'step_1' }] });
      });
    });

    describe('a run that failed with its child', () => {
      const failedBy = async (parentId: string): Promise<void> => {
        const started = child(parentId, { failOnFailure: true });
        await at.accept(started);
        await at.journal.finish(anEnding(started.id, { status: 'FAILED' }));
        await at.families.notifyParent(started.id);
      };

      it('stays FAILED, and takes what its worker had to record', async () => {
        const runId = await claimed();
        await failedBy(runId);

        expect(await at.journal.finish(anEnding(runId, { epoch: 1, status: 'SUCCEEDED' }))).toBe(false);
        expect(await at.journal.finish(anEnding(runId, { epoch: 1, status: 'STOPPED' }))).toBe(true);

        expect(await loaded(runId)).toMatchObject({ status: 'FAILED', recorded: [{ path: 'step_1' }] });
      });

      it('takes nothing more after its worker’s own ending', async () => {
        const runId = await claimed();
        await at.journal.finish(anEnding(runId, { epoch: 1, status: 'FAILED' }));

        expect(await at.journal.finish(anEnding(runId, { epoch: 1, status: 'STOPPED', records: [] }))).toBe(false);
      });
    });
  });
}
