import type { Flow, PopulatedFlow } from './flow';
import type { FlowVersion } from './flow-version';

/** What an operation changed; written in one transaction. */
export interface FlowChange {
  flow: Flow;
  /** The latest version after the operation. */
  version: FlowVersion;
  /** True when `version` is a row that did not exist before. */
  isNewVersion: boolean;
}

/** Flows and their versions. A read on behalf of a caller names the project; a foreign flow is an unknown flow. */
export abstract class FlowRepository {
  abstract insert(flow: Flow, version: FlowVersion): Promise<void>;
  /** The flow with its latest version, or with `versionId`; throws EntityNotFoundError. */
  abstract get(flowId: string, projectIds: readonly string[] | 'any', versionId?: string): Promise<PopulatedFlow>;
  /**
   * Loads the flow with its latest version under a row lock, lets `operation` decide, and writes what it returns.
   * Operations on one flow are serialised here; listeners of the flow are told when it has committed.
   */
  abstract change(
    flowId: string,
    projectIds: readonly string[] | 'any',
    operation: (current: PopulatedFlow) => FlowChange | Promise<FlowChange>,
  ): Promise<PopulatedFlow>;
  /** Deletes the definition; runs and their history remain. */
  abstract delete(flowId: string, projectIds: readonly string[] | 'any'): Promise<void>;
  abstract countEnabled(projectId: string): Promise<number>;
}

/** Tells this process that a flow changed (published, enabled, disabled, deleted) anywhere in the installation. */
export abstract class FlowChanges {
  /** `listener` gets the flow's id, or null when changes may have been missed and everything cached is doubtful. */
  abstract subscribe(listener: (flowId: string | null) => void): void;
}
