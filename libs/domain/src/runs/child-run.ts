import type { StoredText } from '../connections/value-references';
import { EntityNotFoundError } from '../errors/entity-not-found.error';
import { FlowNotEnabledError } from '../errors/flow-not-enabled.error';
import { RunTooDeepError } from '../errors/run-too-deep.error';
import type { PublishedFlow } from '../flows/flow-version.reader';
import { stepRunKey } from './idempotency-key';
import type { NewChildRun } from '../journal/new-child-run';
import { MAX_RUN_DEPTH } from './run-intake';

/** The run that starts a child run. */
export interface CallingRun {
  runId: string;
  projectId: string;
  /** How many runs are above this run. */
  depth: number;
}

/** What the caller decides about the new run. */
export interface ChildRun {
  id: string;
  payload: StoredText;
  /** Any ending but SUCCEEDED fails the parent. False when a step waits for the child: that step judges the ending. */
  failParentOnFailure: boolean;
  /** The key of the starting step, which starts one run of a flow. Absent when the wait makes sure of that. */
  stepKey?: string;
}

/**
 * The child run that executes the published version of the called flow. Throws EntityNotFoundError for a flow of
 * another project, FlowNotEnabledError, or RunTooDeepError.
 */
export function childRunOf(flow: PublishedFlow, caller: CallingRun, child: ChildRun): NewChildRun {
  if (flow.projectId !== caller.projectId) throw new EntityNotFoundError('flow', flow.flowId);
  if (flow.status !== 'ENABLED' || flow.publishedVersionId === null) throw new FlowNotEnabledError(flow.flowId);
  const depth = caller.depth + 1;
  if (depth > MAX_RUN_DEPTH) throw new RunTooDeepError(MAX_RUN_DEPTH);
  return {
    id: child.id,
    projectId: flow.projectId,
    flowId: flow.flowId,
    flowVersionId: flow.publishedVersionId,
    environment: 'PRODUCTION',
    triggeredBy: 'subflow',
    triggerType: 'SUBFLOW',
    idempotencyKey: child.stepKey === undefined ? null : stepRunKey(child.stepKey),
    payload: child.payload,
    parent: { runId: caller.runId, failOnFailure: child.failParentOnFailure, depth },
  };
}

/** The flow that a step calls, and the payload for its trigger. */
export interface FlowCall {
  /** The id or the external id of the flow. */
  flow: string;
  payload: StoredText;
}

/** Starts runs of other flows for the steps that call them. All methods throw what childRunOf throws. */
export abstract class ChildRuns {
  /** Prepares a run whose ending the step waits for. The run starts when the wait is on record. */
  abstract prepare(call: FlowCall, caller: CallingRun): Promise<NewChildRun>;
  /** Starts a run without waiting for its ending; the same step starts it once. Resolves with the run's id. */
  abstract start(
    call: FlowCall & { failParentOnFailure: boolean; stepKey: string },
    caller: CallingRun,
  ): Promise<string>;
}
