import type { JsonText } from '../json/json-text';
import type { RunEnvironment } from '../run-status';
import type { TriggerKind } from '../trigger-kind';

/** The run that a step starts and whose ending it waits for, as the step's record keeps it. */
export interface NewChildRun {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  environment: RunEnvironment;
  triggeredBy: string;
  triggerType: TriggerKind;
  /** Null: the wait itself makes sure that the run is started once. */
  idempotencyKey: `step:${string}` | null;
  payload: JsonText;
  parent: RunParent;
}

export interface RunParent {
  runId: string;
  /** Any ending but SUCCEEDED fails the parent. */
  failOnFailure: boolean;
  /** How many runs are above the new one: 1 for a child of a run that nobody started. */
  depth: number;
}
