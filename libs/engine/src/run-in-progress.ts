import type {
  ExecutionSlot,
  JsonText,
  OutputFile,
  RecordedStep,
  RunPayload,
  RunResponse,
  StepRecord,
  WaitEnding,
} from '@millrace/domain';
import { endsTheRun } from './abort-reason';
import type { CodeRunner, RunningStep } from './code-runner';
import type { CompiledFlow, CompiledStep } from './compile-version';
import type { ConnectionSource } from './connection-source';
import type { ExecutionLimits } from './execution-limits';
import type { Halt } from './halt';
import { inBrief, isOver } from './json-size';
import { JsonValue } from './json-value';
import { KeptOutput } from './kept-output';
import type { LargeOutputs } from './large-outputs';
import type { PieceRunner } from './piece-runner';
import type { RunClock } from './run-clock';
import type { RunScope } from './run-scope';
import { RunStorage } from './run-storage';
import { secretsIn, withoutSecrets } from './secrets';
import type { StepSink } from './step-sink';
import { addTags } from './tags';
import { WaitsOfRun } from './waits-of-run';

/** A run as the engine is given it. */
export interface RunToWalk {
  id: string;
  flowId: string;
  projectId: string;
  triggerOutput: RunPayload;
  /** What earlier claims of this run recorded, or, for a retry, what is kept of the retried run. */
  recorded: readonly RecordedStep[];
  /** How waits of its paused steps ended, by request id; those that go on are absent. */
  waitEndings?: ReadonlyMap<string, WaitEnding>;
  /** How many runs are above it. */
  depth?: number;
  /** Test of one step: nothing else is executed. */
  only?: StepTest;
}

export interface StepTest {
  stepName: string;
  /** What the names of other steps mean, and of loops around the step. */
  samples: ReadonlyMap<string, JsonText>;
}

export interface ExecutionPorts {
  codeRunner: CodeRunner;
  /** Null: this installation runs no pieces. */
  pieceRunner: PieceRunner | null;
  /** Without one, expressions find no connections. */
  connections?: ConnectionSource;
  /** Without one, every output stays with the run. */
  largeOutputs?: LargeOutputs;
  sink: StepSink;
  /** Without one, the run keeps its place while it waits. */
  slot?: ExecutionSlot;
  clock: RunClock;
  limits: ExecutionLimits;
}

/** How a container has its body executed: it is given the function, so that steps do not depend on what calls them. */
export type ExecuteSteps = (
  steps: readonly CompiledStep[],
  scope: RunScope,
  run: RunInProgress,
) => Promise<Halt | null>;

const NONE: readonly string[] = [];
const ABORTED: Halt = { kind: 'aborted' };
/** Longest stretch of our own work between two turns of the event loop. */
const TURN_MS = 4;

/** What the steps of one run share while it is walked: its ports, what is on record, and its counters. */
export class RunInProgress {
  private readonly recordedSteps = new Map<string, RecordedStep>();
  private readonly countedPaths = new Set<string>();
  private readonly collections: StepRecord[][] = [];
  private turnStartedAt: number;
  private connectionsAreRead = false;
  private secrets = NONE;
  /** The path of the step on record with which the run ends. */
  private endedAt: string | null = null;
  private ownWaits: WaitsOfRun | null = null;
  /** Some entry of the scope holds nothing until it is fetched. */
  keepsLargeOutputs = false;
  stepsCount = 0;
  readonly storage: RunStorage;
  tags = NONE;
  response: RunResponse | undefined;

  constructor(
    readonly flow: CompiledFlow,
    readonly run: RunToWalk,
    readonly ports: ExecutionPorts,
    readonly signal: AbortSignal,
  ) {
    this.turnStartedAt = ports.clock.elapsedMs();
    this.storage = new RunStorage(ports.limits.storageBytes, run.recorded);
    for (const step of run.recorded) {
      this.recordedSteps.set(step.path, step);
      if (step.effects ?? step.wait) this.take(step);
      if (step.effects?.stop) this.endedAt = step.path;
      if (step.outputFile) this.keepsLargeOutputs = true;
      if (counts(step) && !this.countedPaths.has(step.path)) {
        this.countedPaths.add(step.path);
        this.stepsCount++;
      }
    }
  }

  recordedAt(path: string): RecordedStep | undefined {
    return this.recordedSteps.get(path);
  }

  /** Records of earlier claims whose path begins like this. */
  recordedUnder(pathPrefix: string): RecordedStep[] {
    return [...this.recordedSteps.values()].filter(({ path }) => path.startsWith(pathPrefix));
  }

  /** The run ended with a step whose path begins like this: what is around it has to be left in the same way. */
  endedUnder(pathPrefix: string): boolean {
    return this.endedAt?.startsWith(pathPrefix) === true;
  }

  get waits(): WaitsOfRun {
    return (this.ownWaits ??= new WaitsOfRun(this.run.waitEndings));
  }

  /** Puts the flow's connections into the scope, once. False when the run was aborted meanwhile. */
  async readConnections(scope: RunScope): Promise<boolean> {
    const { connections } = this.ports;
    const { connectionIds } = this.flow;
    if (this.connectionsAreRead || !connections || connectionIds.length === 0) return true;
    const found = await this.unlessAborted(() => connections.find(this.run.projectId, connectionIds));
    if (!found) return false;
    this.connectionsAreRead = true;
    this.secrets = secretsIn([...found.values()]);
    scope.setForRun('connections', JsonValue.ofValue(Object.fromEntries(found)));
    return true;
  }

  /** A text that is kept, without what the run knows from connections. */
  masked(text: string): string {
    return this.secrets.length === 0 ? text : withoutSecrets(text, this.secrets);
  }

  runningStep(path: string): RunningStep {
    const { id, flowId, projectId } = this.run;
    return { id, flowId, projectId, stepKey: `${id}:${path}` };
  }

  /** Time and the sink's promise are the only costs here: nothing is copied. */
  record(unmasked: StepRecord): void | Promise<void> {
    const step = this.secrets.length === 0 ? unmasked : this.withoutSecrets(unmasked);
    if (counts(step) && !(this.countedPaths.size > 0 && this.countedPaths.has(step.path))) this.stepsCount++;
    this.storage.add(step);
    if (step.effects ?? step.wait) this.take(step);
    for (const collection of this.collections) collection.push(step);
    return this.ports.sink.record(step);
  }

  /** From the record, so that a walk after a crash takes the same, in the same order. */
  private take(step: StepRecord | RecordedStep): void {
    const { tags, response, opens } = step.effects ?? {};
    if (tags) this.tags = addTags(this.tags, tags);
    if (response) this.response = response;
    if (opens ?? step.wait) this.waits.note(step);
  }

  /** The entry of an output that is kept outside the run. */
  keptOutput(stepName: string, file: OutputFile): KeptOutput {
    this.keepsLargeOutputs = true;
    return new KeptOutput(stepName, file);
  }

  /** The input as a record has it: what is too large for one is not kept, because what gave it is. */
  inputOnRecord(input: JsonText): JsonText {
    const { largeOutputs, limits } = this.ports;
    return largeOutputs && isOver(input, limits.inlineOutputBytes) ? inBrief(input, limits.inlineOutputBytes) : input;
  }

  private withoutSecrets(step: StepRecord): StepRecord {
    const { errorMessage, logs } = step;
    return {
      ...step,
      ...(errorMessage !== undefined && { errorMessage: this.masked(errorMessage) }),
      ...(logs && { logs: logs.map((line) => this.masked(line)) }),
    };
  }

  /** A recorded step was passed over: it belongs to what is being collected too. */
  notePassed({ input, output, ...step }: RecordedStep): void {
    if (!this.isCollecting) return;
    const record = { ...step, input: JSON.stringify(input ?? null), output: JSON.stringify(output ?? null) };
    for (const collection of this.collections) collection.push(record);
  }

  get isCollecting(): boolean {
    return this.collections.length > 0;
  }

  /** From here on every record also goes into the returned list, until it is given to `stopCollecting`. */
  startCollecting(): StepRecord[] {
    const collection: StepRecord[] = [];
    this.collections.push(collection);
    return collection;
  }

  stopCollecting(collection: StepRecord[]): void {
    this.collections.splice(this.collections.indexOf(collection), 1);
  }

  durationSince(startedAt: number): number {
    return Math.max(0, Math.round((this.ports.clock.elapsedMs() - startedAt) * 100) / 100);
  }

  get isDueToYield(): boolean {
    return this.ports.clock.elapsedMs() - this.turnStartedAt >= TURN_MS;
  }

  async yield(): Promise<void> {
    await this.ports.clock.yield();
    this.turnStartedAt = this.ports.clock.elapsedMs();
  }

  /** Waits for a port. Null when the run was aborted meanwhile: how the port took that does not matter. */
  async unlessAborted<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) return null;
      throw error;
    }
  }

  /** Without its slot: for time that passes, not for work of ours. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    const { slot } = this.ports;
    return slot ? slot.whileWaiting(wait) : wait();
  }

  /** Puts the step that was under way on record, when the run ends here; another worker would begin it again. */
  async abort(step: Omit<StepRecord, 'status'>): Promise<Halt> {
    if (endsTheRun(this.signal.reason)) await this.record({ ...step, status: 'STOPPED' });
    return ABORTED;
  }

  get aborted(): Halt | null {
    return this.signal.aborted ? ABORTED : null;
  }
}

const counts = ({ status }: { status: string }): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED' || status === 'PAUSED';
