import {
  isFinal,
  isFinished,
  type FlowVersionReader,
  type RecordedStep,
  type RunFamilies,
  type RunJournal,
  type RunToExecute,
  type RunWaits,
} from '@millrace/domain';
import {
  aFlowVersion,
  anEnding,
  aChildRun,
  branch,
  codeStep,
  fallback,
  HandDrivenClock,
  loop,
  pieceStep,
  recordingRunEvents,
  router,
} from '@millrace/domain/testing';
import {
  DEFAULT_EXECUTION_LIMITS,
  SystemRunClock,
  type CodeCall,
  type PieceCall,
  type PieceOutcome,
} from '@millrace/engine';
import pLimit from 'p-limit';
import { CompiledFlows } from '../compiled-flows';
import { FlowRunner } from '../flow-runner';
import { OwnedRuns } from '../ownership/owned-runs';
import type { RunOwnership } from '../ownership/run-ownership';
import { MortalJournal, MortalPieceRunner, WorkerLife, type EndOfLife, type Fate } from './mortal-worker';

// Workers die at every boundary of a run in turn, and another worker continues the run. These rules hold at each
// boundary:
//
// K1. The run ends, once.
// K2. The end of a worker repeats at most one effect, under the same idempotency key.
// K3. A step that is on record is not executed again, and before an effect happens everything before it is on record.
// K4. Each wait of the run begins once, however often workers die around it, and its ending reaches the step.
// K5. A worker that wakes after another worker took its run finishes the call it was about to make, and makes no other.

export interface RunsUnderTest {
  journal: RunJournal;
  waits: RunWaits;
  families: RunFamilies;
  /** Adds a run with this payload that no worker has touched, and returns its id. */
  add(payload: string): Promise<string>;
  /** Lets the lease of the last owner expire. */
  endLease(runId: string): Promise<void>;
  /** Makes the timer that the run waits for due. */
  comeDue(runId: string): Promise<void>;
  childrenOf(runId: string): Promise<string[]>;
  /** The server that receives the effects and counts them; absent when effects are only recorded in memory. */
  outside?: {
    act(runId: string, stepKey: string): Promise<void>;
    /** The idempotency keys under which effects of the run arrived. */
    arrivedFrom(runId: string): string[];
  };
}

const ALWAYS = [[{ operator: 'TEXT_EXACTLY_MATCHES', firstValue: 'a', secondValue: 'a' } as const]];
/**
 * Has effects in a row, in a loop and in branches; one after a failure that the flow continues past, and one that is
 * retried; two waits side by side, and a wait for a child.
 */
const FLOW = aFlowVersion([
  pieceStep('first', { to: '{{ trigger.items }}' }),
  codeStep('between', { got: '{{ first }}' }),
  loop('each', '{{ trigger.items }}', [
    pieceStep('in_loop', { item: '{{ each.item }}', got: '{{ between.got }}' }),
    router('which', [
      branch(
        'one',
        [[{ operator: 'NUMBER_IS_EQUAL_TO', firstValue: '{{ each.item }}', secondValue: '1' }]],
        [pieceStep('in_branch', { item: '{{ each.item }}' })],
      ),
      fallback([codeStep('in_fallback', { item: '{{ each.item }}' })]),
    ]),
  ]),
  pieceStep('passed_over', {}, { errorHandlingOptions: { continueOnFailure: { value: true } } }),
  pieceStep('again', {}, { errorHandlingOptions: { retryOnFailure: { value: true } } }),
  router('aside', [branch('one', ALWAYS, [pieceStep('timer')]), branch('two', ALWAYS, [pieceStep('human')])], {
    executionType: 'EXECUTE_ALL_MATCH',
  }),
  pieceStep('child', { of: '{{ human }}' }),
  pieceStep('last', { of: '{{ child }}' }),
]);
/** Each test executes dozens of runs, perhaps on a real database. */
const TIME_LIMIT_MS = 60_000;
const PAYLOAD = '{"items":[1,2]}';
const EFFECTS_IN_ORDER = [
  'first',
  'each[0].in_loop',
  'each[0].in_branch',
  'each[1].in_loop',
  'passed_over',
  'again',
  'again',
  'timer',
  'human',
  'timer resumed',
  'human resumed',
  'child',
  'child resumed',
  'last',
];
const MOST_LIVES = 30;
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);

const LIMITS = { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: 0 };
const codeRunner = {
  run: ({ input }: CodeCall) => Promise.resolve({ kind: 'value' as const, output: input, logs: [] }),
};
const NO_SAMPLES = { load: () => Promise.resolve(new Map()) };
/** Marks the effect that a step has when its wait has ended. */
const RESUMED = ' resumed';

/** Remembers the ownerships that it handed out, so that a test can drop those of a dead worker. */
class KeptRuns extends OwnedRuns {
  private readonly taken: RunOwnership[] = [];

  override take(...run: Parameters<OwnedRuns['take']>): RunOwnership {
    const ownership = super.take(...run);
    this.taken.push(ownership);
    return ownership;
  }

  dropAll(): void {
    for (const ownership of this.taken) this.drop(ownership);
  }
}

interface Lived {
  life: WorkerLife;
  running: Promise<unknown>;
  runner: KeptRuns;
}

async function wakeUp(asleep: readonly Lived[]): Promise<void> {
  for (const { life, running } of asleep) {
    life.wakeUp();
    await running.catch((error: unknown) => expect(String(error)).toContain("another worker's"));
  }
}

/** Everything outside the workers of one run: counts its effects, and checks the journal at each effect. */
class World {
  readonly effects: string[] = [];
  readonly brokenRules: string[] = [];
  endings = 0;

  constructor(
    private readonly runs: RunsUnderTest,
    readonly runId: string,
  ) {}

  /** Lets a worker execute the run until the worker dies or leaves the run. */
  async live(fate: Fate | null): Promise<Lived> {
    const life = new WorkerLife(fate);
    const journal = new MortalJournal(this.runs.journal, life);
    const clock = new HandDrivenClock(new Date());
    const { events } = recordingRunEvents();
    const services = { clock, timeoutSeconds: 600, events };
    const runner = new KeptRuns(journal, services);
    const flows = new CompiledFlows({ getVersion: () => Promise.resolve(FLOW) } as unknown as FlowVersionReader);
    const pieceRunner = new MortalPieceRunner((call) => this.effect(call, fate, life), life);
    const ports = { codeRunner, pieceRunner, clock: new SystemRunClock(), limits: LIMITS };
    const running = new FlowRunner(journal, { flows, samples: NO_SAMPLES }, runner, ports, services)
      .run(this.runId)
      .then((left) => {
        if (left === 'ended') this.endings++;
      });
    await Promise.race([life.ended, running]);
    return { life, running, runner };
  }

  private async effect(call: PieceCall, fate: Fate | null, life: WorkerLife): Promise<PieceOutcome> {
    const { stepKey } = call.run;
    const path = stepKey.slice(`${this.runId}:`.length);
    const effect = call.resumed ? path + RESUMED : path;
    if (!stepKey.startsWith(this.runId)) this.brokenRules.push(`${stepKey} is not of the run`);
    if (life.goesOnAfterSleep) this.brokenRules.push(`${effect} is done by a worker that had lost the run`);
    if (fate?.end !== 'asleep') await this.checkRecords(effect);
    await this.runs.outside?.act(this.runId, stepKey);
    this.effects.push(effect);
    const isFirst = this.effects.filter((each) => each === effect).length === 1;
    if (path === 'passed_over' || (path === 'again' && isFirst))
      return { kind: 'failed', message: 'The other side is away.', logs: [] };
    return call.resumed ? given(call.resumed.kind) : (waitOf(path, this.runId) ?? given(path));
  }

  private async checkRecords(effect: string): Promise<void> {
    const recorded = (await this.runs.journal.load(this.runId))?.recorded ?? [];
    const finished = recorded.filter(isFinished).map(({ path }) => path);
    const begun = recorded.filter(({ status }) => status === 'PAUSED').map(({ path }) => path);
    const onRecord = new Set([...finished, ...finished.map((path) => path + RESUMED), ...begun]);
    if (onRecord.has(effect)) this.brokenRules.push(`${effect} happens again, although it is on record`);
    for (const earlier of new Set(this.effects))
      if (earlier !== effect && !onRecord.has(earlier))
        this.brokenRules.push(`${effect} happens before ${earlier} is on record`);
  }

  /** Ends the first open wait of the run. */
  async endWait(run: RunToExecute): Promise<void> {
    const { journal, waits, families } = this.runs;
    const wait = run.recorded.findLast(({ path }) => path === this.firstOpenPath(run))?.wait;
    if (wait?.kind === 'timer') {
      await this.runs.comeDue(run.id);
      await waits.endDue(1_000);
    } else if (wait?.kind === 'human') {
      await waits.answer(run.id, wait.requestId, { approved: true });
    } else if (wait?.childRunId) {
      await journal.finish(anEnding(wait.childRunId));
      await families.notifyParent(wait.childRunId);
    } else this.brokenRules.push('the run is paused and waits for nothing');
  }

  private firstOpenPath({ recorded, waitEndings }: RunToExecute): string | undefined {
    const finished = new Set(recorded.filter(isFinished).map(({ path }) => path));
    return recorded.find(({ path, wait }) => wait && !waitEndings.has(wait.requestId) && !finished.has(path))?.path;
  }
}

const given = (output: string): PieceOutcome => ({ kind: 'value', output: JSON.stringify(output), logs: [] });

/** The wait that a step asks for; null for a step without a wait. Each call for a child names a new child run. */
function waitOf(path: string, runId: string): PieceOutcome | null {
  const asked = { requestId: `${runId}-${path}`, until: null, request: null, child: null };
  switch (path) {
    case 'timer':
      return { kind: 'waiting', wait: { ...asked, kind: path, until: IN_AN_HOUR }, logs: [] };
    case 'human':
      return { kind: 'waiting', wait: { ...asked, kind: path, request: { kind: 'approval' } }, logs: [] };
    case 'child':
      return { kind: 'waiting', wait: { ...asked, kind: path, child: aChildRun({ runId }) }, logs: [] };
    default:
      return null;
  }
}

export function describeKilledRuns(what: string, runsUnderTest: () => RunsUnderTest): void {
  /**
   * Executes one run with workers that have these fates in turn, and then with a worker that lives. A worker that lives
   * leaves the run at each wait, and the fate is left to the next worker.
   */
  async function lives(fates: readonly Fate[]) {
    const runs = runsUnderTest();
    const world = new World(runs, await runs.add(PAYLOAD));
    const all: Lived[] = [];
    const asleep: Lived[] = [];
    const left = [...fates];
    let run: RunToExecute | null = null;
    for (let lived = 0; lived < MOST_LIVES && !(run && isFinal(run.status)); lived++) {
      const fate = left.shift() ?? null;
      const one = await world.live(fate);
      all.push(one);
      if (one.life.isOver) {
        if (fate?.end === 'asleep') asleep.push(one);
        await runs.endLease(world.runId);
      } else if (fate) left.unshift({ ...fate, atCall: fate.atCall - one.life.calls.length });
      run = await runs.journal.load(world.runId);
      if (one.life.isOver) continue;
      // A worker that has not loaded the run yet would rightly take it after its wait has ended. A worker that has
      // loaded it must notice that it is late.
      await wakeUp(asleep.filter(({ life }) => life.calls.at(-1) === 'load'));
      if (run?.status === 'PAUSED') await world.endWait(run);
      await wakeUp(asleep.splice(0).filter(({ life }) => life.calls.at(-1) !== 'load'));
    }
    for (const { runner } of all) runner.dropAll();
    const ended = await runs.journal.load(world.runId);
    const children = await runs.childrenOf(world.runId);
    return { world, ended, children, calls: all.flatMap(({ life }) => life.calls) };
  }

  const repeatsOf = (effects: readonly string[]): string[] => {
    const expected = [...EFFECTS_IN_ORDER];
    return effects.filter((path) => {
      const index = expected.indexOf(path);
      if (index >= 0) expected.splice(index, 1);
      return index < 0;
    });
  };

  async function expectTheSameEnd(fates: readonly Fate[], untouched: readonly RecordedStep[]): Promise<void> {
    const { world, ended, children } = await lives(fates);
    const told = { fates, effects: world.effects, brokenRules: world.brokenRules };

    expect({ ...told, status: ended?.status }).toEqual({ ...told, brokenRules: [], status: 'SUCCEEDED' });
    expect({ ...told, children: children.length }).toEqual({ ...told, children: 1 });
    const { outside } = runsUnderTest();
    if (outside) expect(outside.arrivedFrom(world.runId).sort()).toEqual(keysOf(world));
    expect({ ...told, repeats: repeatsOf(world.effects).length <= fates.length }).toEqual({ ...told, repeats: true });
    expect(new Set(world.effects)).toEqual(new Set(EFFECTS_IN_ORDER));
    expect(world.endings).toBeLessThanOrEqual(1); // the worker that ended it may have died before it knew
    expect(outputsOf(ended?.recorded ?? [])).toEqual(outputsOf(untouched));
  }

  const keysOf = ({ runId, effects }: World): string[] =>
    effects.map((effect) => `${runId}:${effect.replace(RESUMED, '')}`).sort();

  /** Returns the last record of each path, without times. */
  const outputsOf = (recorded: readonly RecordedStep[]) =>
    new Map(recorded.map(({ path, status, output, errorMessage }) => [path, { status, output, errorMessage }]));

  describe(what, () => {
    const ENDS: EndOfLife[] = ['before', 'after', 'asleep'];

    it('does each effect once, in order, when no worker dies', async () => {
      const { world, ended, calls } = await lives([]);

      expect(world.effects).toEqual(EFFECTS_IN_ORDER);
      expect(world.brokenRules).toEqual([]);
      expect(world.endings).toBe(1);
      expect(ended?.status).toBe('SUCCEEDED');
      expect(calls.slice(0, 6)).toEqual(['load', 'claim', 'effect', 'append', 'append', 'effect']);
      expect(calls.filter((call) => call === 'pause')).toHaveLength(3);
      expect(calls.at(-1)).toBe('finish');
    });

    it.each(ENDS)(
      'ends as if nothing had happened when a worker dies once, at any call: %s it',
      async (end) => {
        const { ended, calls } = await lives([]);
        const untouched = ended?.recorded ?? [];

        await sideBySide(calls, (atCall) => expectTheSameEnd([{ atCall, end }], untouched));
      },
      TIME_LIMIT_MS,
    );

    it.each(ENDS)(
      'ends as if nothing had happened when the next worker dies too: %s its call',
      async (end) => {
        const { ended, calls } = await lives([]);
        const untouched = ended?.recorded ?? [];

        const everyFifth = calls.filter((_, index) => index % 5 === 0);
        await sideBySide(everyFifth, async (nth) => {
          const first: Fate = { atCall: 5 * (nth - 1) + 1, end: 'after' };
          for (const next of [2, 3, 4]) await expectTheSameEnd([first, { atCall: next, end }], untouched);
        });
      },
      TIME_LIMIT_MS,
    );

    it('does not repeat an effect more often than workers died, when all die at the effect', async () => {
      const atFirstEffect: Fate = { atCall: 3, end: 'after' };
      const { world, ended } = await lives([atFirstEffect, atFirstEffect, atFirstEffect]);

      expect(world.effects.filter((path) => path === 'first')).toHaveLength(4);
      expect(world.effects).toHaveLength(EFFECTS_IN_ORDER.length + 3);
      expect(ended?.status).toBe('SUCCEEDED');
    });
  });
}

/** Does the work for each call, numbered from 1, a few at a time: most of the work waits for the journal. */
async function sideBySide(calls: readonly unknown[], work: (nth: number) => Promise<void>): Promise<void> {
  const few = pLimit(4);
  await Promise.all(calls.map((_, index) => few(() => work(index + 1))));
}
