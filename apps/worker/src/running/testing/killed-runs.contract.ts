import type { FlowVersionReader, RecordedStep, RunJournal } from '@millrace/domain';
import {
  aFlowVersion,
  branch,
  codeStep,
  fallback,
  HandDrivenClock,
  loop,
  pieceStep,
  router,
} from '@millrace/domain/testing';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type CodeCall, type PieceOutcome } from '@millrace/engine';
import { CompiledFlows } from '../compiled-flows';
import { FlowRunner } from '../flow-runner.service';
import { OwnedRuns } from '../owned-runs';
import type { RunOwnership } from '../run-ownership';
import { MortalJournal, MortalPieceRunner, WorkerLife, type EndOfLife, type Fate } from './mortal-worker';

// Workers die at every boundary of a run in turn, and another one goes on. What has to hold, whatever the boundary:
//
// K1. The run ends, once.
// K2. A worker's end repeats one effect at most, under the key it had.
// K3. What is on record is not done again, and before an effect everything before it is on record.
// K4. A worker that comes back after another one took its run finishes the call it was about to make, and begins none.

export interface RunsUnderTest {
  journal: RunJournal;
  /** A run with this payload that no worker has touched; answers its id. */
  add(payload: string): Promise<string>;
  /** The time of the last owner's lease is over. */
  endLease(runId: string): Promise<void>;
  /** Where effects really happen, and are counted by those who feel them. */
  outside?: {
    act(runId: string, stepKey: string): Promise<void>;
    /** The keys under which effects of the run arrived. */
    arrivedFrom(runId: string): string[];
  };
}

/** Effects in a row, in a loop, in branches, after a failure that is passed over, and one that is tried again. */
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
  pieceStep('last', { of: '{{ again }}' }),
]);
/** Some dozen runs each, on a real database perhaps. */
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
  'last',
];

const LIMITS = { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: 0 };
const codeRunner = {
  run: ({ input }: CodeCall) => Promise.resolve({ kind: 'value' as const, output: input, logs: [] }),
};
const NO_SAMPLES = { load: () => Promise.resolve(new Map()) };
const isFinished = ({ status }: RecordedStep): boolean => status === 'SUCCEEDED' || status === 'FAILED';

/** Keeps what it took, to let go of runs whose worker has died. */
class KeptRuns extends OwnedRuns {
  private readonly taken: RunOwnership[] = [];

  override take(...run: Parameters<OwnedRuns['take']>): RunOwnership {
    const ownership = super.take(...run);
    this.taken.push(ownership);
    return ownership;
  }

  letGo(): void {
    for (const ownership of this.taken) this.drop(ownership);
  }
}

/** The outside world of one run: counts its effects and looks at the journal whenever one happens. */
class World {
  readonly effects: string[] = [];
  readonly brokenRules: string[] = [];
  endings = 0;

  constructor(
    private readonly runs: RunsUnderTest,
    readonly runId: string,
  ) {}

  /** Answers all that the worker of this life called until it died, or until the run had ended. */
  async live(fate: Fate | null): Promise<{ life: WorkerLife; running: Promise<unknown>; runner: KeptRuns }> {
    const life = new WorkerLife(fate);
    const journal = new MortalJournal(this.runs.journal, life);
    const clock = new HandDrivenClock();
    const runner = new KeptRuns(journal, clock, { flowTimeoutSeconds: 600 });
    const flows = new CompiledFlows({ getVersion: () => Promise.resolve(FLOW) } as unknown as FlowVersionReader);
    const pieceRunner = new MortalPieceRunner(({ run }) => this.effect(run.stepKey, fate, life), life);
    const ports = { codeRunner, pieceRunner, clock: new SystemRunClock(), limits: LIMITS };
    const running = new FlowRunner(journal, { flows, samples: NO_SAMPLES }, runner, ports, {
      clock,
      timeoutSeconds: 600,
    })
      .run(this.runId)
      .then((left) => {
        if (left === 'ended') this.endings++;
      });
    await Promise.race([life.ended, running]);
    return { life, running, runner };
  }

  private async effect(stepKey: string, fate: Fate | null, life: WorkerLife): Promise<PieceOutcome> {
    const path = stepKey.slice(`${this.runId}:`.length);
    if (!stepKey.startsWith(this.runId)) this.brokenRules.push(`${stepKey} is not of the run`);
    if (life.goesOnAfterSleep) this.brokenRules.push(`${path} is done by a worker that had lost the run`);
    if (fate?.end !== 'asleep') await this.checkRecords(path);
    await this.runs.outside?.act(this.runId, stepKey);
    this.effects.push(path);
    const isFirst = this.effects.filter((each) => each === path).length === 1;
    if (path === 'passed_over' || (path === 'again' && isFirst))
      return { kind: 'failed', message: 'The other side is away.', logs: [] };
    return { kind: 'value', output: JSON.stringify(path), logs: [] };
  }

  private async checkRecords(path: string): Promise<void> {
    const recorded = ((await this.runs.journal.load(this.runId))?.recorded ?? []).filter(isFinished);
    const onRecord = new Set(recorded.map((step) => step.path));
    if (onRecord.has(path)) this.brokenRules.push(`${path} happens again, although it is on record`);
    for (const earlier of new Set(this.effects))
      if (earlier !== path && !onRecord.has(earlier))
        this.brokenRules.push(`${path} happens before ${earlier} is on record`);
  }
}

export function describeKilledRuns(what: string, runsUnderTest: () => RunsUnderTest): void {
  async function lives(fates: readonly (Fate | null)[]) {
    const runs = runsUnderTest();
    const world = new World(runs, await runs.add(PAYLOAD));
    const all = [];
    for (const fate of fates) {
      all.push(await world.live(fate));
      await runs.endLease(world.runId);
    }
    for (const [index, { life, running }] of all.entries()) {
      if (fates[index]?.end !== 'asleep') continue;
      life.wakeUp();
      await running.catch((error: unknown) => expect(String(error)).toContain("another worker's"));
    }
    for (const { runner } of all) runner.letGo();
    const ended = await runs.journal.load(world.runId);
    return { world, ended, calls: all.map(({ life }) => life.calls) };
  }

  const repeatsOf = (effects: readonly string[]): string[] => {
    const expected = [...EFFECTS_IN_ORDER];
    return effects.filter((path) => {
      const index = expected.indexOf(path);
      if (index >= 0) expected.splice(index, 1);
      return index < 0;
    });
  };

  async function expectTheSameEnd(fates: readonly (Fate | null)[], untouched: readonly RecordedStep[]): Promise<void> {
    const { world, ended } = await lives(fates);
    const kills = fates.filter((fate) => fate !== null).length;
    const told = { fates, effects: world.effects, brokenRules: world.brokenRules };

    expect({ ...told, status: ended?.status }).toEqual({ ...told, brokenRules: [], status: 'SUCCEEDED' });
    const { outside } = runsUnderTest();
    if (outside) expect(outside.arrivedFrom(world.runId).sort()).toEqual(keysOf(world));
    expect({ ...told, repeats: repeatsOf(world.effects).length <= kills }).toEqual({ ...told, repeats: true });
    expect(new Set(world.effects)).toEqual(new Set(EFFECTS_IN_ORDER));
    expect(world.endings).toBeLessThanOrEqual(1); // the one who ended it may have died before it heard so
    expect(outputsOf(ended?.recorded ?? [])).toEqual(outputsOf(untouched));
  }

  const keysOf = ({ runId, effects }: World): string[] => effects.map((path) => `${runId}:${path}`).sort();

  /** The last record of each path, without times. */
  const outputsOf = (recorded: readonly RecordedStep[]) =>
    new Map(recorded.map(({ path, status, output, errorMessage }) => [path, { status, output, errorMessage }]));

  describe(what, () => {
    const ENDS: EndOfLife[] = ['before', 'after', 'asleep'];

    it('does each effect once, in order, when no worker dies', async () => {
      const { world, ended, calls } = await lives([null]);

      expect(world.effects).toEqual(EFFECTS_IN_ORDER);
      expect(world.brokenRules).toEqual([]);
      expect(world.endings).toBe(1);
      expect(ended?.status).toBe('SUCCEEDED');
      expect(calls[0]?.slice(0, 6)).toEqual(['load', 'claim', 'effect', 'append', 'append', 'effect']);
      expect(calls[0]?.at(-1)).toBe('finish');
    });

    it.each(ENDS)(
      'ends as if nothing had happened when a worker dies once, at any call: %s it',
      async (end) => {
        const { ended, calls } = await lives([null]);
        const untouched = ended?.recorded ?? [];

        for (let atCall = 1; atCall <= (calls[0]?.length ?? 0); atCall++)
          await expectTheSameEnd([{ atCall, end }, null], untouched);
      },
      TIME_LIMIT_MS,
    );

    it.each(ENDS)(
      'ends as if nothing had happened when the next worker dies too: %s its call',
      async (end) => {
        const { ended, calls } = await lives([null]);
        const untouched = ended?.recorded ?? [];

        for (let atCall = 1; atCall <= (calls[0]?.length ?? 0); atCall += 2)
          for (const next of [2, 3, 4])
            await expectTheSameEnd([{ atCall, end: 'after' }, { atCall: next, end }, null], untouched);
      },
      TIME_LIMIT_MS,
    );

    it('does not repeat an effect more often than workers died, when all die at the effect', async () => {
      const atFirstEffect: Fate = { atCall: 3, end: 'after' };
      const { world, ended } = await lives([atFirstEffect, atFirstEffect, atFirstEffect, null]);

      expect(world.effects.filter((path) => path === 'first')).toHaveLength(4);
      expect(world.effects).toHaveLength(EFFECTS_IN_ORDER.length + 3);
      expect(ended?.status).toBe('SUCCEEDED');
    });
  });
}
