import { isInside, RecordedRun, type ReferringTexts, type OutputFile, type StepPath } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import type { CompiledFlow } from '../compile/compile-version';
import { JsonValue } from '../outputs/json-value';
import { OffloadedOutput } from '../outputs/offloaded-output';
import type { ExecutionPorts } from '../ports/execution-ports';
import type { ConnectionsOfRun } from './connections-of-run';
import { ABORTED, type Halt } from './halt';
import { Recorder } from './recorder';
import type { RunScope } from './run-scope';
import type { RunToWalk } from './run-to-walk';

/** The engine works at most about this long between two turns of the event loop. */
const TURN_MS = 4;

export interface RevealedRun {
  run: RunToWalk;
  connections: ConnectionsOfRun;
}

/** One walk of a run through its flow, with everything that its steps share. */
export class RunWalk {
  /** The records of earlier claims of the run. */
  readonly recorded: RecordedRun;
  readonly recorder: Recorder;
  readonly run: RunToWalk;
  readonly texts: ReferringTexts;
  /** Whether the scope may have an offloaded output, which is fetched before an expression reads it. */
  readsLargeOutputs: boolean;
  private turnStartedAt: number;
  /** What `elapsedMs` of the clock said, or would have said, when the run began. */
  readonly begunAt: number;
  private connectionsAreRead = false;
  /** The connections that the flow names and the project does not have, as far as connections were read. */
  missingConnections: ReadonlySet<string> = new Set();
  /** The connections that exist and cannot be used, with the reason. */
  readonly brokenConnections: ReadonlyMap<string, string>;
  /** The path of the recorded step that ended the run. */
  private readonly endedAt: StepPath | undefined;

  constructor(
    readonly flow: CompiledFlow,
    { run, connections: { texts, broken } }: RevealedRun,
    readonly ports: ExecutionPorts,
    readonly signal: AbortSignal,
  ) {
    this.run = run;
    this.texts = texts;
    this.brokenConnections = broken;
    const { sink, limits, clock } = ports;
    const { recorded, waitEndings } = run;
    this.turnStartedAt = clock.elapsedMs();
    this.begunAt = this.turnStartedAt - (run.startTime ? clock.now().getTime() - run.startTime.getTime() : 0);
    this.recorded = new RecordedRun(recorded);
    const { hidden } = texts;
    this.recorder = new Recorder(this.recorded, { sink, hidden, storageBytes: limits.storageBytes, waitEndings });
    this.readsLargeOutputs = recorded.some(({ outputFile }) => outputFile);
    this.endedAt = recorded.findLast(({ effects }) => effects?.stop)?.path;
  }

  /** Whether a recorded step inside this loop ended the run. The loop is then walked again, down to that step. */
  endedInside(loop: StepPath): boolean {
    return this.endedAt !== undefined && isInside(this.endedAt, loop);
  }

  /** Puts the flow's connections into the scope at the first call. False when the run was aborted meanwhile. */
  async readConnections(scope: RunScope): Promise<boolean> {
    const { connectionIds } = this.flow;
    if (this.connectionsAreRead || !this.ports.connections || connectionIds.length === 0) return true;
    const isKnown = await this.unlessAborted(() => this.texts.know(connectionIds).then(() => true));
    if (!isKnown) return false;
    const found = this.texts.valuesOf(connectionIds);
    this.connectionsAreRead = true;
    this.missingConnections = new Set(connectionIds.filter((id) => !found.has(id) && !this.brokenConnections.has(id)));
    scope.setForRun('connections', JsonValue.ofValue(Object.fromEntries(found)));
    return true;
  }

  runningStep(path: StepPath): RunningStep {
    const { id, flowId, projectId } = this.run;
    return { id, flowId, projectId, stepKey: `${id}:${path}` };
  }

  /** Makes the scope entry of an offloaded output. */
  offloadedOutput(stepName: string, file: OutputFile): OffloadedOutput {
    this.readsLargeOutputs = true;
    return new OffloadedOutput(stepName, file);
  }

  get isDueToYield(): boolean {
    return this.ports.clock.elapsedMs() - this.turnStartedAt >= TURN_MS;
  }

  async yield(): Promise<void> {
    await this.ports.clock.yield();
    this.turnStartedAt = this.ports.clock.elapsedMs();
  }

  /** Waits for a port. Null when the port rejects after the run was aborted; other rejections pass through. */
  async unlessAborted<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) return null;
      throw error;
    }
  }

  /** Leaves the run's execution slot until the wait is over. It is for waits in which the engine does no work. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    const { slot } = this.ports;
    return slot ? slot.whileWaiting(wait) : wait();
  }

  get aborted(): Halt | null {
    return this.signal.aborted ? ABORTED : null;
  }
}
