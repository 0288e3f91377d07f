import type { FlowVersion } from './flow-version';

/** Which version of a flow a new run executes. */
export interface PublishedFlow {
  flowId: string;
  projectId: string;
  status: 'ENABLED' | 'DISABLED';
  publishedVersionId: string | null;
}

/** What intake needs to know of a flow, and nothing more. */
export interface TriggeredFlow extends PublishedFlow {
  /** The piece of the published version's trigger; null when there is none. */
  triggerPiece: string | null;
}

/** As a flow names the piece: by our name, or by the public one that an imported flow may keep. */
const WEBHOOK_PIECES: ReadonlySet<string | null> = new Set(['webhook', '@activepieces/piece-webhook']);

/** Anybody may post to such a flow. Any other is started by what its trigger is for, and by nobody else. */
export const takesWebhooks = ({ triggerPiece }: TriggeredFlow): boolean => WEBHOOK_PIECES.has(triggerPiece);

/** Which version a run is to execute, and what is in it: the questions of the hot path. Editing goes through FlowRepository. */
export abstract class FlowVersionReader {
  /** What intake asks: null for an unknown flow. Calls made at the same time share one statement. */
  abstract findPublished(flowId: string): Promise<TriggeredFlow | null>;
  /** The flow of the project that has the id or external id; of several with the external id an enabled one first. */
  abstract findCallable(projectId: string, flowIdOrExternalId: string): Promise<PublishedFlow | null>;
  /** A version by id, for a worker; throws EntityNotFoundError. */
  abstract getVersion(versionId: string): Promise<FlowVersion>;
}
