import type { StoredText } from '../connections/value-references';
import type { RunEnvironment } from '../run-status';
import type { TriggerKind } from '../trigger-kind';

/** The run that a step starts. When the step waits for its ending, the step's record contains this description. */
export interface NewChildRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  environment: RunEnvironment;
  triggeredBy: string;
  triggerType: TriggerKind;
  /** Null when the step waits for the run: then the wait makes sure that the run starts once. */
  idempotencyKey: `step:${string}` | null;
  payload: StoredText;
  parent: RunParent;
}

export interface RunParent {
  runId: string;
  /** Any ending but SUCCEEDED fails the parent. */
  failOnFailure: boolean;
  /** How many runs are above the new run: 1 when its parent has no parent. */
  depth: number;
}
