import type { FlowStatus } from '../flow-status';
import type { FlowTrigger, FlowVersionState } from './flow-version';

/** A flow as the steps of its project see it: with its published version, or the latest where none was published. */
export interface FlowOfProject {
  id: string;
  projectId: string;
  externalId: string;
  status: FlowStatus;
  publishedVersionId: string | null;
  created: Date;
  updated: Date;
  version: {
    id: string;
    flowId: string;
    displayName: string;
    state: FlowVersionState;
    valid: boolean;
    /** Without the steps behind it. */
    trigger: Omit<FlowTrigger, 'nextAction'>;
  };
}

/** Lists flows for the steps of a project. */
export abstract class ProjectFlows {
  /** The flows of the project, newest first, with `externalIds` those that have one of them. At most 1,000. */
  abstract list(projectId: string, externalIds?: readonly string[]): Promise<FlowOfProject[]>;
}
