import type { Page, PageRequest } from '../page';
import type { Flow, FlowStatus, FlowSummary, PopulatedFlow } from './flow';
import type { FlowVersion, FlowVersionState, FlowVersionSummary } from './flow-version';
import type { SampleDataChange } from './sample-data';

/** What an operation changed; written in one transaction. */
export interface FlowChange {
  flow: Flow;
  /** The latest version after the operation. */
  version: FlowVersion;
  /** True when `version` is a row that did not exist before. */
  isNewVersion: boolean;
  sampleData?: SampleDataChange;
}

/** Which flows a list shows; what is absent does not filter. */
export interface FlowFilter {
  projectId: string;
  /** Null: flows in no folder. */
  folderId?: string | null;
  status?: readonly FlowStatus[];
  /** Part of the latest version's name, compared without case; `%` and `_` are letters. */
  name?: string;
  /** Of the latest version. */
  versionState?: FlowVersionState;
  externalIds?: readonly string[];
  /** Flows whose latest version uses any of these connections. */
  connectionExternalIds?: readonly string[];
  /** Flows whose latest version uses any of these agents. */
  agentExternalIds?: readonly string[];
}

/** What may be asked while a flow is locked, answered from the same transaction. */
export interface FlowSurroundings {
  /** Enabled flows of the flow's project. No other change of the project can enable one before this one has ended. */
  countEnabled(): Promise<number>;
  /** A version of this flow; null when there is none of that id. */
  findVersion(versionId: string): Promise<FlowVersion | null>;
  /** Whether the folder is in the flow's project; it stays there until the change has ended. */
  hasFolder(folderId: string): Promise<boolean>;
  /** Whether the user has a role in the flow's project. */
  hasMember(userId: string): Promise<boolean>;
}

/** Decides, for the flow as it is now, what becomes of it. Whatever it throws leaves the flow as it was. */
export type FlowDecision = (current: PopulatedFlow, surroundings: FlowSurroundings) => FlowChange | Promise<FlowChange>;

/** Flows and their versions. A read on behalf of a caller names the project; a foreign flow is an unknown flow. */
export abstract class FlowRepository {
  /** Throws EntityNotFoundError when the flow's folder is gone. */
  abstract insert(flow: Flow, version: FlowVersion): Promise<void>;
  /** The flow with its latest version, or with `versionId`; throws EntityNotFoundError. */
  abstract get(flowId: string, projectIds: readonly string[] | 'any', versionId?: string): Promise<PopulatedFlow>;
  /** Newest first. */
  abstract list(filter: FlowFilter, page: PageRequest): Promise<Page<FlowSummary>>;
  abstract count(filter: Pick<FlowFilter, 'projectId' | 'folderId'>): Promise<number>;
  /** The flow's versions, newest first; throws EntityNotFoundError for an unknown flow. */
  abstract listVersions(
    flowId: string,
    projectIds: readonly string[] | 'any',
    page: PageRequest,
  ): Promise<Page<FlowVersionSummary>>;
  /**
   * Loads the flow with its latest version under a row lock, lets `decide` decide, and writes what it returns.
   * Changes of one flow are serialised here; listeners of the flow are told when it has committed.
   */
  abstract change(flowId: string, projectIds: readonly string[] | 'any', decide: FlowDecision): Promise<PopulatedFlow>;
  /** Deletes the definition; runs and their history remain. `agree` is asked under the row lock and may throw. */
  abstract delete(
    flowId: string,
    projectIds: readonly string[] | 'any',
    agree: (current: PopulatedFlow, surroundings: FlowSurroundings) => void | Promise<void>,
  ): Promise<void>;
}

/** Tells this process that a flow changed (published, enabled, disabled, deleted) anywhere in the installation. */
export abstract class FlowChanges {
  /** `listener` gets the flow's id, or null when changes may have been missed and everything cached is doubtful. */
  abstract subscribe(listener: (flowId: string | null) => void): void;
}
