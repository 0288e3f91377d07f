import type { PackageWebhook } from '../handshakes/package-webhook';
import type { FlowVersion } from './flow-version';

/** What determines the version that a new run of the flow executes. */
export interface PublishedFlow {
  flowId: string;
  projectId: string;
  status: 'ENABLED' | 'DISABLED';
  publishedVersionId: string | null;
}

/** What intake needs to know about a flow. */
export interface TriggeredFlow extends PublishedFlow {
  /** The piece of the published version's trigger; null without a published version or a piece. */
  triggerPiece: string | null;
  /** The input of that trigger, as its author wrote it; its secrets are references. */
  triggerInput: unknown;
  /** Present when the trigger is one of a package and takes webhooks. */
  packageWebhook?: PackageWebhook | null;
  /** Present while such a trigger is being enabled, whose handshakes are answered already. */
  enablingWebhook?: PackageWebhook | null;
}

/** What intake needs to know about the latest version of a flow, whether it is published or not. */
export interface DraftFlow {
  flowId: string;
  projectId: string;
  versionId: string;
  /** Whether the version was valid when it was edited last. Its code was compiled then. */
  isValid: boolean;
  /** The piece of the version's trigger; null when no piece is chosen. */
  triggerPiece: string | null;
  /** The input of the trigger, as its author wrote it; its secrets are references. */
  triggerInput: unknown;
  /** Present when the trigger is one of a package and takes webhooks. */
  packageWebhook?: PackageWebhook | null;
  /** The name of the trigger, under which its sample data is kept. */
  triggerName: string;
}

/** The names of the webhook piece: our name, and the public one that an imported flow may keep. */
const WEBHOOK_PIECES: ReadonlySet<string | null> = new Set(['webhook', '@activepieces/piece-webhook']);

/** Whether senders outside may start the flow with a webhook. Only its own trigger starts any other flow. */
export const takesWebhooks = ({
  triggerPiece,
  packageWebhook,
}: Pick<TriggeredFlow, 'triggerPiece' | 'packageWebhook'>): boolean =>
  WEBHOOK_PIECES.has(triggerPiece) || Boolean(packageWebhook);

/** Whether people start the flow by sending its form. */
export const startsByForm = ({ triggerPiece }: Pick<TriggeredFlow, 'triggerPiece'>): boolean =>
  triggerPiece === 'human_input';

/** Reads which version a run executes, and the version itself, on the hot path. Edits go through FlowRepository. */
export abstract class FlowVersionReader {
  /** The flow for intake; null when it is unknown. Calls at the same time share one statement. */
  abstract findPublished(flowId: string): Promise<TriggeredFlow | null>;
  /** The latest version of the flow, for intake; null when the flow is unknown. */
  abstract findDraft(flowId: string): Promise<DraftFlow | null>;
  /**
   * The project's flow with this id or external id. When several flows have the external id, an enabled flow is
   * preferred.
   */
  abstract findCallable(projectId: string, flowIdOrExternalId: string): Promise<PublishedFlow | null>;
  /** The published versions of enabled flows, those first that were made last: at most so many. */
  abstract enabledVersions(most: number): Promise<string[]>;
  /** The version with this id, for a worker. Throws EntityNotFoundError. */
  abstract getVersion(versionId: string): Promise<FlowVersion>;
}
