import {
  hasHook,
  pieceOf,
  listenAlike,
  liveTrigger,
  PieceCatalogue,
  publishedAfter,
  registerAllOrNothing,
  triggerChanges,
  TriggerInUseError,
  TriggerRegistry,
  type Flow,
  type FlowChange,
  type FlowSurroundings,
  type FlowVersion,
  type ListeningTrigger,
  type LiveTrigger,
  type OperationChange,
  type OperationStatus,
  type PopulatedFlow,
  type TriggerChanges,
  type TriggerOperation,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable, Logger } from '@nestjs/common';
import { AwaitedOperations } from './awaited-operations';

/** What is written with a change of a flow because its trigger begins or ends to listen. */
export type FollowedChange = Pick<FlowChange, 'listening' | 'operation'> & { operationStatus?: OperationStatus };

/** Changes the triggers of a flow to fit a change that was decided but not yet written. */
export type FollowChange = (
  before: PopulatedFlow,
  after: { flow: Flow; version: FlowVersion },
  surroundings: FlowSurroundings,
) => Promise<FollowedChange>;

/** Stops a transaction, because the hooks of a trigger have to be called first, without its locks. */
class EnablingNeeded extends Error {
  constructor(readonly operation: TriggerOperation) {
    super('The hooks of the trigger are called first.');
  }
}

/**
 * Keeps the registered triggers equal to the published and enabled flows. A trigger and its flow change together, or
 * neither changes. A trigger with hooks is enabled by a worker before the change is written, and disabled by one after
 * it. A trigger without hooks costs nothing here.
 */
@Injectable()
export class LiveTriggers {
  private readonly logger = new Logger(LiveTriggers.name);

  constructor(
    private readonly registry: TriggerRegistry,
    private readonly pieces: PieceCatalogue,
    private readonly operations: AwaitedOperations,
  ) {}

  /**
   * Runs the transaction, and again after the hooks of a trigger were called that is to listen. When it fails, what
   * `follow` registered is undone. Rethrows the error.
   */
  async within<T>(transaction: (follow: FollowChange) => Promise<T>): Promise<T> {
    try {
      return await this.attempt(transaction, null);
    } catch (error) {
      if (!(error instanceof EnablingNeeded)) throw error;
      return this.withEnabling(error.operation, transaction);
    }
  }

  private async withEnabling<T>(
    operation: TriggerOperation,
    transaction: (follow: FollowChange) => Promise<T>,
  ): Promise<T> {
    await this.operations.perform(operation);
    try {
      return await this.attempt(transaction, operation);
    } catch (error) {
      await this.operations.undo(operation.id);
      if (error instanceof EnablingNeeded) throw new TriggerInUseError(operation.on?.flowVersionId ?? '');
      throw error;
    }
  }

  private async attempt<T>(
    transaction: (follow: FollowChange) => Promise<T>,
    enabled: TriggerOperation | null,
  ): Promise<T> {
    const undo: (() => Promise<void>)[] = [];
    const begun: TriggerOperation[] = [];
    try {
      const result = await transaction(async (before, after, surroundings) => {
        // A transaction is repeated after a deadlock.
        begun.length = 0;
        if (isHeardAlike(before, after.flow)) return {};
        if (before.operationStatus === 'ENABLING' && !enabled) throw new TriggerInUseError(before.version.id);
        const published = await publishedVersion(before, surroundings);
        const changes = triggerChanges({ flow: before, published }, after);
        const live = liveTrigger(after.flow, publishedAfter(after, published));
        await this.pieces.know([changes.register, changes.unregister, live].flatMap(pieceOf));
        const operation = this.operationFor(changes, enabled);
        undo.push(await registerAllOrNothing(this.registry, changes));
        if (operation?.kind === 'begin') begun.push(operation.operation);
        const listening = live && this.listeningOf(live);
        return { listening, ...(operation && { operation, operationStatus: statusDuring(operation) }) };
      });
      for (const operation of begun) await this.operations.start(operation);
      return result;
    } catch (error) {
      for (const takeBack of undo) await this.tryTo(takeBack);
      throw error;
    }
  }

  /** Throws EnablingNeeded when a trigger with hooks is to listen that is not `enabled` yet. */
  private operationFor(
    { register: on, unregister: old }: TriggerChanges,
    enabled: TriggerOperation | null,
  ): OperationChange | undefined {
    const off = old && hasHook(this.pieces, old, 'onDisable') ? [old] : [];
    const flow = on ?? old;
    if (!flow) return undefined;
    const operation = { id: newId(), flowId: flow.flowId, projectId: flow.projectId, off };
    if (on && hasHook(this.pieces, on, 'onEnable')) {
      if (!isFor(enabled, on)) throw new EnablingNeeded({ ...operation, kind: 'ENABLING', on, restore: old });
      return { kind: 'finish', operationId: enabled.id };
    }
    if (off.length === 0) return undefined;
    return { kind: 'begin', operation: { ...operation, kind: 'DISABLING', on: null, restore: null } };
  }

  /** A trigger that no piece knows is on record too, as one that is only looked up. */
  private listeningOf({ flowVersionId, trigger }: LiveTrigger): ListeningTrigger {
    const unknown = { flowVersionId, plan: { kind: 'MANUAL' } } as const;
    if (trigger.type === 'EMPTY') return unknown;
    const { pieceName, pieceVersion, triggerName, input } = trigger.settings;
    const known = this.pieces.findTrigger(pieceName, pieceVersion, triggerName);
    if (!known) return unknown;
    const { renewal } = known;
    return { flowVersionId, plan: known.plan(input), ...(renewal && { renewal }) };
  }

  /**
   * Undoes registrations. The caller gets the error of the change itself, so a failure here is only logged: a trigger
   * still listens, or no longer listens.
   */
  private async tryTo(takeBack: () => Promise<void>): Promise<void> {
    try {
      await takeBack();
    } catch (error) {
      this.logger.error({ msg: 'A registration of a trigger could not be taken back.' }, error);
    }
  }
}

const isHeardAlike = (before: Flow, after: Flow): boolean =>
  before.status === after.status && before.publishedVersionId === after.publishedVersionId;

async function publishedVersion(
  { publishedVersionId, version }: PopulatedFlow,
  surroundings: FlowSurroundings,
): Promise<FlowVersion | null> {
  if (publishedVersionId === null) return null;
  return version.id === publishedVersionId ? version : surroundings.findVersion(publishedVersionId);
}

const isFor = (
  enabled: TriggerOperation | null,
  { flowVersionId, trigger }: LiveTrigger,
): enabled is TriggerOperation =>
  enabled?.on?.flowVersionId === flowVersionId && listenAlike(enabled.on.trigger, trigger);

const statusDuring = ({ kind }: OperationChange): OperationStatus => (kind === 'begin' ? 'DISABLING' : 'NONE');
