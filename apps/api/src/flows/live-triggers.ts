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

/** Makes the triggers of a flow follow a change that was decided and is not written yet. */
export type FollowChange = (
  before: PopulatedFlow,
  after: { flow: Flow; version: FlowVersion },
  surroundings: FlowSurroundings,
) => Promise<void>;

/** Keeps what listens equal to what is published and enabled: a trigger and its flow change together, or neither does. */
@Injectable()
export class LiveTriggers {
  private readonly logger = new Logger(LiveTriggers.name);

  constructor(private readonly registry: TriggerRegistry) {}

  /** Runs the transaction; when it fails after all, what `follow` did in it is taken back. */
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

  /** The caller learns why the change failed, and the log that something still listens, or does not any more. */
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
