import { Inject, Injectable, Logger } from '@nestjs/common';
import { longestSince, mayBegin, RunJournal, SampleOutputs, type Moment, type RunToExecute } from '@millrace/domain';
import {
  runFlow,
  type CompiledControl,
  type CompiledFlow,
  type ExecutionPorts,
  type RunExit,
  type RunToWalk,
} from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { DeliveredRuns, isFree, type LoadedRun } from './delivered-runs';
import { isControlled, RunAdmission } from './control/run-admission';
import { lineOfRun } from './ownership/line-of-run';
import { OwnedRuns } from './ownership/owned-runs';
import type { RunOwnership } from './ownership/run-ownership';
import { RunServices } from './ownership/run-services';
import { RequestedRuns } from './requested-runs';
import type { DeliveryResult, RunDelivery } from './run-delivery';
import { RunEndings } from './run-endings';
import { TracedSink } from './ownership/run-tracer';
import { SlotOfWalk, type RunSlot } from './slots/run-slot';

/** How often one delivery walks a run whose waits end as soon as it pauses. Other runs get the slot afterwards. */
const MOST_WALKS = 100;
/**
 * How old loaded records may be at the claim. Another worker that appended to the run after the load holds a lease for
 * 15 s, so the claim is refused. After an older load the claim might be granted. The limit is shorter than the lease
 * because the clocks of two machines may not run equally fast.
 */
const TRUSTED_LOAD_MS = 10_000;

/** Where a walk gets its flow and the sample outputs of a step test. */
@Injectable()
export class FlowSources {
  constructor(
    readonly flows: CompiledFlows,
    readonly samples: SampleOutputs,
  ) {}
}

/** The ports through which the steps of all runs reach the outside. */
export type StepPorts = Omit<ExecutionPorts, 'sink' | 'slot'>;

/** The token of the StepPorts. */
export const STEP_PORTS = Symbol('StepPorts');

@Injectable()
export class FlowRunner {
  private readonly logger = new Logger(FlowRunner.name);
  private readonly admission: RunAdmission;
  private readonly endings: RunEndings;
  private readonly delivered: DeliveredRuns;
  private readonly requested: RequestedRuns;

  constructor(
    private readonly journal: RunJournal,
    private readonly sources: FlowSources,
    private readonly owned: OwnedRuns,
    @Inject(STEP_PORTS) private readonly ports: StepPorts,
    private readonly services: RunServices,
  ) {
    this.admission = new RunAdmission(services, ports.codeRunner);
    this.endings = new RunEndings(journal, services);
    this.delivered = new DeliveredRuns(journal, owned, services, this.endings);
    this.requested = new RequestedRuns(journal, owned, services, this.endings);
  }

  /**
   * Executes a run until it ends or pauses. Rejects only because of the service's own trouble; the run is then as its
   * records say.
   */
  async run(runId: string, delivery: RunDelivery = { wasLost: false }): Promise<DeliveryResult> {
    try {
      for (let walks = 0; walks < MOST_WALKS; walks++) {
        const result = await this.runOnce(runId, delivery);
        if (result !== 'resumed') return result;
      }
      return 'reenqueue';
    } catch (error) {
      if (this.services.meters) this.services.meters.attemptsFailed++;
      throw error;
    }
  }

  /** Ends a run as INTERNAL_ERROR after its last attempt failed, unless it has ended or another worker has it. */
  async giveUp(runId: string, reason: string): Promise<void> {
    const run = await this.journal.load(runId);
    if (isFree(run)) await this.endings.asRecorded(run, { kind: 'internalError', reason });
  }

  /** Ends a run without loading its records, because the store cannot serve them in time. */
  async giveUpUnread(runId: string, reason: string): Promise<void> {
    const run = await this.journal.loadHead(runId);
    if (isFree(run)) await this.endings.unread(run, reason);
  }

  /**
   * Lets the time of a run count from now at the latest, after a failed attempt that does not count. The run then ends
   * when its time is over, whichever worker has it. A run with control may still wait for its turn, so its time counts
   * from the first attempt that got so far as to execute it.
   */
  async noteBegun(runId: string): Promise<void> {
    const run = await this.journal.loadHead(runId);
    if (!isFree(run) || run.startTime !== null) return;
    const flow = isControlled(run) && (await this.sources.flows.get(run.flowVersionId));
    if (!flow || flow.control === null) await this.owned.noteBegun(run);
  }

  /** Whether the store answers for this run's row. */
  async canReadRow(runId: string): Promise<boolean> {
    return this.journal.loadHead(runId).then(
      () => true,
      () => false,
    );
  }

  /** Aborts all runs; each is released with the records that it has by then. */
  interruptAll(): void {
    this.owned.interruptAll();
  }

  /** Performs one walk. `resumed` means that the run can continue at once, and has to be loaded again. */
  private async runOnce(runId: string, delivery: RunDelivery): Promise<DeliveryResult | 'resumed'> {
    const loaded = await this.delivered.load(runId, delivery);
    if (typeof loaded === 'string') return loaded;
    const flow = await this.sources.flows.get(loaded.run.flowVersionId);
    const asked = this.requested.isFor(loaded.run, flow)
      ? await this.requested.prepare(loaded.run, flow, delivery)
      : null;
    if (asked !== null) return asked;
    if (flow.control === null || !isControlled(loaded.run)) return this.execute(loaded, flow, delivery);
    return this.executeControlled(loaded, { ...flow, control: flow.control }, delivery);
  }

  /** Executes the run when the rules of its flow let it begin. */
  private async executeControlled(
    loaded: LoadedRun,
    flow: CompiledFlow & { control: CompiledControl },
    delivery: RunDelivery,
  ): Promise<DeliveryResult | 'resumed'> {
    const { run } = loaded;
    const admission = await this.admission.admit(flow, flow.control, run);
    if (admission.kind === 'held') return 'discarded';
    if (admission.kind === 'failed') {
      const { name, displayName } = flow.trigger;
      const step = { name, displayName, message: admission.message };
      return this.endings.asRecorded(run, { kind: 'failed', step, reason: null });
    }
    // This worker may have been frozen after the decision. Nothing is awaited between this look at the clock and the start.
    if (!mayBegin(admission, this.services.clock)) return 'resumed';
    const begun = { ...run, startTime: run.startTime ?? admission.startTime };
    return this.execute({ ...loaded, run: begun }, flow, delivery);
  }

  private async execute(
    loaded: LoadedRun,
    flow: CompiledFlow,
    delivery: RunDelivery,
  ): Promise<DeliveryResult | 'resumed'> {
    const ownership = this.owned.take(loaded.run);
    try {
      if (!(await this.claim(ownership, loaded.at, delivery.wasLost))) return 'resumed';
      const exit = await this.walk(ownership, flow, delivery.slot);
      const result = await this.settle(ownership, exit);
      if (flow.control !== null && (result === 'ended' || result === 'paused')) await this.leave(ownership, result);
      return result;
    } catch (error) {
      // Another worker has the run now and continues it: nothing of the run has failed.
      if (ownership.signal.reason === 'claimLost') return 'discarded';
      // `noteBegun` does not know whether a run with control has had its turn.
      if (flow.control !== null) await ownership.claim().catch(() => undefined);
      await this.releaseQuietly(ownership);
      throw error;
    } finally {
      this.owned.drop(ownership);
    }
  }

  /** The run is as it should be already, so a failure here does not fail its job. */
  private async leave({ run, claimHeld }: RunOwnership, how: 'ended' | 'paused'): Promise<void> {
    if (!isControlled(run)) return;
    await this.admission
      .leave(run, claimHeld, how)
      .catch((error: unknown) => this.logger.warn(lineOfRun(run, 'frees its place later', error)));
  }

  /**
   * Claims a run before it executes, when another worker may have it in hand or when the run may kill its worker.
   * Returns false when the load is too old: the former owner may have appended records and died between the load and
   * the claim.
   */
  private async claim(ownership: RunOwnership, loadedAt: Moment, wasLost: boolean): Promise<boolean> {
    if (ownership.run.epoch === 0 && !wasLost) return true;
    await this.owned.claim(ownership);
    if (longestSince(loadedAt, this.services.clock) <= TRUSTED_LOAD_MS) return true;
    await ownership.release();
    return false;
  }

  private async walk(ownership: RunOwnership, flow: CompiledFlow, slot: RunSlot | undefined): Promise<RunExit> {
    const run = { ...ownership.run, startTime: ownership.startTime };
    const toWalk =
      run.testStep === null ? { ...run, triggerOutput: run.payload } : await this.stepTest(run, run.testStep);
    const ports = this.portsOf(ownership, slot);
    const { tracer } = this.services;
    if (!tracer) return runFlow(flow, toWalk, ports, ownership.signal);
    const traced = tracer.begin(run);
    let exit: RunExit | null = null;
    try {
      exit = await runFlow(flow, toWalk, { ...ports, sink: new TracedSink(ownership, traced) }, ownership.signal);
      return exit;
    } finally {
      traced.end(exit);
    }
  }

  /** Each port by its name: a spread would leave out the getters and methods of a class. */
  private portsOf(ownership: RunOwnership, slot: RunSlot | undefined): ExecutionPorts {
    const { codeRunner, pieceRunner, connections, largeOutputs, clock, limits } = this.ports;
    const ofWalk = { sink: ownership, slot: slot && new SlotOfWalk(slot, ownership) };
    return { codeRunner, pieceRunner, connections, largeOutputs, clock, limits, ...ofWalk };
  }

  /** Walks only the tested step. Sample outputs stand in for the outputs of the steps before it. */
  private async stepTest(run: RunToExecute, stepName: string): Promise<RunToWalk> {
    const samples = await this.sources.samples.load(run.flowId);
    return { ...run, triggerOutput: run.payload, only: { stepName, samples } };
  }

  /** Writes the result of the walk. */
  private async settle(ownership: RunOwnership, exit: RunExit): Promise<DeliveryResult | 'resumed'> {
    switch (exit.kind) {
      case 'paused':
        return this.pause(ownership, exit);
      case 'interrupted':
        if (ownership.signal.reason === 'claimLost') return 'discarded';
        await ownership.release();
        return 'reenqueue';
      default:
        return this.endings.finish(ownership, exit);
    }
  }

  private async pause(
    ownership: RunOwnership,
    { waits, stepsCount, tags }: Extract<RunExit, { kind: 'paused' }>,
  ): Promise<DeliveryResult | 'resumed'> {
    const { startTime, run, untoldResponse } = ownership;
    const result = await ownership.pause({ startTime, stepsCount, tags, waits });
    if (result === 'claimLost') return 'discarded';
    if (untoldResponse) await this.services.events.answered(run.id, { status: 'PAUSED', response: untoldResponse });
    return result;
  }

  /**
   * Releases the run after the service's own trouble, so that the next attempt finds it free and no death is counted.
   */
  private async releaseQuietly(ownership: RunOwnership): Promise<void> {
    if (!ownership.claimed) return;
    await ownership
      .release()
      .catch((error: unknown) => this.logger.warn(lineOfRun(ownership.run, 'could not be released', error)));
  }
}
