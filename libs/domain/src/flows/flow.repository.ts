import type { Page, PageRequest } from '../page';
import type { FlowStatus } from '../flow-status';
import type { Flow, FlowSummary, PopulatedFlow } from './flow';
import type { FlowVersion, FlowVersionState, FlowVersionSummary } from './flow-version';
import type { OperationChange } from './trigger-operation';
import type { RenewalTimes, TriggerPlan } from '../triggers/trigger-plan';
import type { SampleDataChange } from './sample-data';
import type { PieceRef } from '../pieces/piece-package';
import type { TriggerSecret } from './trigger-secrets';

/** What an operation changed. One transaction writes it. */
export interface FlowChange {
  flow: Flow;
  /** The latest version after the operation. */
  version: FlowVersion;
  /** True when `version` is a row that did not exist before. */
  isNewVersion: boolean;
  sampleData?: SampleDataChange;
  /** The secrets to which the version refers and which are new. */
  triggerSecrets?: readonly TriggerSecret[];
  /** What the flow listens to after the change: null for nothing. Absent when this does not change. */
  listening?: ListeningTrigger | null;
  /** Ends or begins an operation of the flow's trigger. */
  operation?: OperationChange;
}

/** The trigger of the published version of an enabled flow, as it is put on record with the change that enables it. */
export interface ListeningTrigger {
  flowVersionId: string;
  plan: TriggerPlan;
  /** When the trigger is renewed. Absent for a trigger that needs no renewal. */
  renewal?: RenewalTimes;
}

/** Which flows a list shows. An absent member does not filter. */
export interface FlowFilter {
  projectId: string;
  /** Null selects the flows without a folder. */
  folderId?: string | null;
  status?: readonly FlowStatus[];
  /** A part of the latest version's name, compared without case. `%` and `_` are ordinary characters. */
  name?: string;
  /** The state of the latest version. */
  versionState?: FlowVersionState;
  externalIds?: readonly string[];
  /** Selects flows whose latest version uses any of these connections. */
  connectionExternalIds?: readonly string[];
  /** Selects flows whose latest version uses any of these agents. */
  agentExternalIds?: readonly string[];
}

/** The questions that a decision may ask while the flow is locked. The same transaction answers them. */
export interface FlowSurroundings {
  /**
   * How many flows of the project are enabled. No other change can enable a flow of the project until this one ends.
   */
  countEnabled(): Promise<number>;
  /** The version of this flow with this id; null when there is none. */
  findVersion(versionId: string): Promise<FlowVersion | null>;
  /** Whether the folder is in the flow's project. The folder stays there until the change ends. */
  hasFolder(folderId: string): Promise<boolean>;
  /** Those of the ids that are the ids of secrets of this flow. */
  knownSecrets(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the packages that are installed. They stay installed until the change ends. */
  keepPackages(refs: readonly PieceRef[]): Promise<readonly PieceRef[]>;
  /** Whether the user has a role in the flow's project. */
  hasMember(userId: string): Promise<boolean>;
}

/** Decides how the current flow changes. An error that it throws leaves the flow unchanged. */
export type FlowDecision = (current: PopulatedFlow, surroundings: FlowSurroundings) => FlowChange | Promise<FlowChange>;

/** Agrees to the deletion of a flow, or throws. It may begin an operation of the flow's trigger. */
export type FlowAgreement = (
  current: PopulatedFlow,
  surroundings: FlowSurroundings,
) => void | Promise<OperationChange | undefined> | Promise<void>;

/** Reads and changes flows and their versions. A flow outside the given projects counts as unknown. */
export abstract class FlowRepository {
  /** Throws EntityNotFoundError when the flow's folder is gone. */
  abstract insert(flow: Flow, version: FlowVersion): Promise<void>;
  /** The flow with its latest version, or with the version `versionId`. Throws EntityNotFoundError. */
  abstract get(flowId: string, projectIds: readonly string[] | 'any', versionId?: string): Promise<PopulatedFlow>;
  /** Lists the flows, newest first. */
  abstract list(filter: FlowFilter, page: PageRequest): Promise<Page<FlowSummary>>;
  abstract count(filter: Pick<FlowFilter, 'projectId' | 'folderId'>): Promise<number>;
  /** The flow's versions, newest first. Throws EntityNotFoundError for an unknown flow. */
  abstract listVersions(
    flowId: string,
    projectIds: readonly string[] | 'any',
    page: PageRequest,
  ): Promise<Page<FlowVersionSummary>>;
  /**
   * Loads the flow with its latest version under a row lock, calls `decide`, and writes the change that it returns.
   * Changes of one flow run one after another. Listeners of FlowChanges are notified after the commit.
   */
  abstract change(flowId: string, projectIds: readonly string[] | 'any', decide: FlowDecision): Promise<PopulatedFlow>;
  /**
   * Deletes the flow; its versions and runs remain. `agree` is called under the row lock.
   */
  abstract delete(flowId: string, projectIds: readonly string[] | 'any', agree: FlowAgreement): Promise<void>;
}

/** Notifies this process when a flow was published, enabled, disabled or deleted anywhere in the installation. */
export abstract class FlowChanges {
  /**
   * `listener` gets the id of the flow, or null when changes may have been missed and no cached flow can be trusted.
   */
  abstract subscribe(listener: (flowId: string | null) => void): void;
}
