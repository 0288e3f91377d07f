import {
  registerAllOrNothing,
  triggerChanges,
  TriggerRegistry,
  type Flow,
  type FlowSurroundings,
  type FlowVersion,
  type PopulatedFlow,
} from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';

/** Changes the triggers of a flow to fit a change that was decided but not yet written. */
export type FollowChange = (
  before: PopulatedFlow,
  after: { flow: Flow; version: FlowVersion },
  surroundings: FlowSurroundings,
) => Promise<void>;

/**
 * Keeps the registered triggers equal to the published and enabled flows. A trigger and its flow change together, or
 * neither changes.
 */
@Injectable()
export class LiveTriggers {
  private readonly logger = new Logger(LiveTriggers.name);

  constructor(private readonly registry: TriggerRegistry) {}

  /** Runs the transaction. When it fails, the registrations that `follow` made are undone. Rethrows the error. */
  async within<T>(transaction: (follow: FollowChange) => Promise<T>): Promise<T> {
    const undo: (() => Promise<void>)[] = [];
    try {
      return await transaction(async (before, after, surroundings) => {
        if (isHeardAlike(before, after.flow)) return;
        const published = await publishedVersion(before, surroundings);
        undo.push(await registerAllOrNothing(this.registry, triggerChanges({ flow: before, published }, after)));
      });
    } catch (error) {
      for (const takeBack of undo) await this.tryTo(takeBack);
      throw error;
    }
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
