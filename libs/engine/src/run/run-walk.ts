import { isInside, RecordedRun, type OutputFile, type StepPath } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import type { CompiledFlow } from '../compile/compile-version';
import { JsonValue } from '../outputs/json-value';
import { KeptOutput } from '../outputs/kept-output';
import type { ExecutionPorts } from '../ports/execution-ports';
import { ABORTED, type Halt } from './halt';
import { Recorder } from './recorder';
import type { RunScope } from './run-scope';
import type { RunToWalk } from './run-to-walk';
import { secretsIn } from '../expressions/secrets';

/** Longest stretch of our own work between two turns of the event loop. */
const TURN_MS = 4;

/** One walk of a run through its flow: what all of its steps share. */
export class RunWalk {
  /** What earlier claims of the run recorded. */
  readonly recorded: RecordedRun;
  readonly recorder: Recorder;
  /** Some entry of the scope holds nothing until it is fetched. */
  readsLargeOutputs: boolean;
  private turnStartedAt: number;
  private connectionsAreRead = false;
  /** The step on record with which the run ends. */
  private readonly endedAt: StepPath | undefined;

  constructor(
    readonly flow: CompiledFlow,
    readonly run: RunToWalk,
    readonly ports: ExecutionPorts,
    readonly signal: AbortSignal,
  ) {
    const { sink, limits, clock } = ports;
    const { recorded, waitEndings } = run;
    this.turnStartedAt = clock.elapsedMs();
    this.recorded = new RecordedRun(recorded);
    this.recorder = new Recorder(this.recorded, { sink, storageBytes: limits.storageBytes, waitEndings });
    this.readsLargeOutputs = recorded.some(({ outputFile }) => outputFile);
    this.endedAt = recorded.findLast(({ effects }) => effects?.stop)?.path;
  }

  /** Whether the run ended with a step in this loop: the walk has to come to that step, and leave the loop as it did. */
  endedInside(loop: StepPath): boolean {
    return this.endedAt !== undefined && isInside(this.endedAt, loop);
  }

  /** Puts the flow's connections into the scope, once. False when the run was aborted meanwhile. */
  async readConnections(scope: RunScope): Promise<boolean> {
    const { connections } = this.ports;
    const { connectionIds } = this.flow;
    if (this.connectionsAreRead || !connections || connectionIds.length === 0) return true;
    const found = await this.unlessAborted(() => connections.find(this.run.projectId, connectionIds));
    if (!found) return false;
    this.connectionsAreRead = true;
    this.recorder.hide(secretsIn([...found.values()]));
    scope.setForRun('connections', JsonValue.ofValue(Object.fromEntries(found)));
    return true;
  }

  runningStep(path: StepPath): RunningStep {
    const { id, flowId, projectId } = this.run;
    return { id, flowId, projectId, stepKey: `${id}:${path}` };
  }

  /** The entry of an output that is kept outside the run. */
  keptOutput(stepName: string, file: OutputFile): KeptOutput {
    this.readsLargeOutputs = true;
    return new KeptOutput(stepName, file);
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

  /** Gives the run's slot up until the wait is over: for time that passes, not for work of ours. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    const { slot } = this.ports;
    return slot ? slot.whileWaiting(wait) : wait();
  }

  get aborted(): Halt | null {
    return this.signal.aborted ? ABORTED : null;
  }
}
