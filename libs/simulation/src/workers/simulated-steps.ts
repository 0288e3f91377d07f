import type { Clock } from '@millrace/domain';
import {
  CodeRunner,
  PieceRunner,
  RunClock,
  type CodeCall,
  type CodeOutcome,
  type PieceCall,
  type PieceOutcome,
} from '@millrace/engine';
import type { RunChecker } from '../checker/run-checker';
import type { FaultyProcess, ProcessFaults } from '../faults/process-faults';
import type { Act } from '../model/drawn-flow';
import type { Outside } from '../model/outside';
import type { Schedule } from '../schedule/schedule';

// Executes the steps of drawn flows. Each step takes some virtual time, and its effect happens within that time.

type GuestFunction = (input: unknown) => unknown;

/** What the steps of a worker use. */
export interface StepSurroundings {
  schedule: Schedule;
  checker: RunChecker;
  processFaults: ProcessFaults;
  outside: Outside;
}

const compiled = new Map<string, GuestFunction>();

/** Runs code steps, whose output is their input, and evaluates expressions. */
export class SimulatedCodeRunner extends CodeRunner {
  constructor(
    private readonly around: StepSurroundings,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  async run({ program, input, run }: CodeCall, signal: AbortSignal): Promise<CodeOutcome> {
    if (program.kind === 'expressions') {
      const output = JSON.stringify(guestFunction(program)(JSON.parse(input)));
      return { kind: 'value', output, logs: [] };
    }
    const { checker } = this.around;
    const walk = checker.walkOf(run.projectId);
    const path = run.stepKey.slice(walk.runId.length + 1);
    checker.codeBegins(walk, path);
    const { ms } = JSON.parse(input) as { ms: number };
    const step = { title: `code ${path}`, runId: walk.runId, ms, signal };
    return perform(this.around, this.worker, step, async () => ({ kind: 'value', output: input, logs: [] }));
  }
}

function guestFunction(program: { script: string; hash: string }): GuestFunction {
  const known = compiled.get(program.hash);
  if (known) return known;
  // oxlint-disable-next-line typescript/no-implied-eval -- the code is that of the simulation's own flows
  const made = (new Function(`return (${program.script});`) as () => GuestFunction)();
  compiled.set(program.hash, made);
  return made;
}

export class SimulatedPieceRunner extends PieceRunner {
  constructor(
    private readonly around: StepSurroundings,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  async run(call: PieceCall, signal: AbortSignal): Promise<PieceOutcome> {
    const { checker, outside } = this.around;
    const walk = checker.walkOf(call.run.projectId);
    const { runId } = walk;
    const path = call.run.stepKey.slice(runId.length + 1);
    const act = JSON.parse(call.input) as Act;
    const begun = { path, waits: call.waits ?? 0, failures: outside.failuresOf(call) };
    checker.effectBegins(this.worker.name, walk, begun);
    const ms = act.does === 'effect' && !call.resumed ? act.ms : 1;
    const title = `${act.does} ${path}${call.resumed ? `, resumed by ${call.resumed.kind}` : ''}`;
    return perform(this.around, this.worker, { title, runId, ms, signal }, () => outside.act(act, call, runId));
  }
}

interface PerformedStep {
  title: string;
  runId: string;
  /** Virtual milliseconds. */
  ms: number;
  signal: AbortSignal;
}

/** Executes a step in its worker. Its effect happens at a random moment within its time. */
function perform<Result>(
  { schedule, processFaults }: StepSurroundings,
  worker: FaultyProcess,
  { title, runId, ms, signal }: PerformedStep,
  work: () => Promise<Result>,
): Promise<Result> {
  const { random, time } = schedule;
  const before = random.between(0, ms);
  schedule.note(() => `${worker.name}: ${runId} begins ${title}`);
  processFaults.mayHit(worker, ms);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const breakOff = (): void => reject(new Error('The step was broken off.'));
    const done = (result: Result): void => {
      signal.removeEventListener('abort', breakOff);
      resolve(result);
    };
    signal.addEventListener('abort', breakOff, { once: true });
    time.after(before, random.chance(0.5) ? worker : null, () => {
      work().then((result) => time.after(ms - before, worker, () => done(result)), reject);
    });
  });
}

/** The clock of the engine, in virtual time. Its time of day is that of the worker. */
export class VirtualRunClock extends RunClock {
  constructor(
    private readonly schedule: Schedule,
    private readonly worker: FaultyProcess,
    private readonly clock: Clock,
  ) {
    super();
  }

  elapsedMs(): number {
    return this.schedule.time.elapsed;
  }

  now(): Date {
    return this.clock.now();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const breakOff = (): void => reject(new Error('The wait was broken off.'));
      signal.addEventListener('abort', breakOff, { once: true });
      this.schedule.time.after(ms, this.worker, () => {
        signal.removeEventListener('abort', breakOff);
        resolve();
      });
    });
  }

  yield(): Promise<void> {
    return Promise.resolve();
  }
}
