import type { FlowVersion } from './flow-version';

/** What intake needs to know of a flow, and nothing more. */
export interface PublishedFlow {
  flowId: string;
  projectId: string;
  status: 'ENABLED' | 'DISABLED';
  publishedVersionId: string | null;
}

/** Which version a run is to execute, and what is in it: the questions of the hot path. Editing goes through FlowRepository. */
export abstract class FlowVersionReader {
  /** What intake asks: null for an unknown flow. Calls made at the same time share one statement. */
  abstract findPublished(flowId: string): Promise<PublishedFlow | null>;
  /** The flow of the project that has the id or external id; of several with the external id an enabled one first. */
  abstract findCallable(projectId: string, flowIdOrExternalId: string): Promise<PublishedFlow | null>;
  /** A version by id, for a worker; throws EntityNotFoundError. */
  abstract getVersion(versionId: string): Promise<FlowVersion>;
}
