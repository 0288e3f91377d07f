import {
  liveTrigger,
  PieceCatalogue,
  publishedAfter,
  registerAllOrNothing,
  triggerChanges,
  TriggerRegistry,
  type Flow,
  type FlowSurroundings,
  type FlowVersion,
  type ListeningTrigger,
  type LiveTrigger,
  type PopulatedFlow,
  type TriggerPlan,
} from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';

/**
 * Changes the triggers of a flow to fit a change that was decided but not yet written. Resolves with what the flow
 * listens to after the change, to be written with it; undefined when this does not change.
 */
export type FollowChange = (
  before: PopulatedFlow,
  after: { flow: Flow; version: FlowVersion },
  surroundings: FlowSurroundings,
) => Promise<ListeningTrigger | null | undefined>;

/**
 * Keeps the registered triggers equal to the published and enabled flows. A trigger and its flow change together, or
 * neither changes.
 */
@Injectable()
export class LiveTriggers {
  private readonly logger = new Logger(LiveTriggers.name);

  constructor(
    private readonly registry: TriggerRegistry,
    private readonly pieces: PieceCatalogue,
  ) {}

  /** Runs the transaction. When it fails, the registrations that `follow` made are undone. Rethrows the error. */
  async within<T>(transaction: (follow: FollowChange) => Promise<T>): Promise<T> {
    const undo: (() => Promise<void>)[] = [];
    try {
      return await transaction(async (before, after, surroundings) => {
        if (isHeardAlike(before, after.flow)) return undefined;
        const published = await publishedVersion(before, surroundings);
        undo.push(await registerAllOrNothing(this.registry, triggerChanges({ flow: before, published }, after)));
        const live = liveTrigger(after.flow, publishedAfter(after, published));
        return live && { flowVersionId: live.flowVersionId, plan: this.planOf(live) };
      });
    } catch (error) {
      for (const takeBack of undo) await this.tryTo(takeBack);
      throw error;
    }
  }

  /** A trigger that no piece knows is on record too, as one that is only looked up. */
  private planOf({ trigger }: LiveTrigger): TriggerPlan {
    if (trigger.type === 'EMPTY') return { kind: 'MANUAL' };
    const { pieceName, pieceVersion, triggerName, input } = trigger.settings;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName)?.plan(input) ?? { kind: 'MANUAL' };
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
