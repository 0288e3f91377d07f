import { EntityNotFoundError } from '../errors/entity-not-found.error';
import { FlowNotEnabledError } from '../errors/flow-not-enabled.error';
import { RunTooDeepError } from '../errors/run-too-deep.error';
import type { PublishedFlow } from '../flows/flow-version.reader';
import type { JsonText } from '../json/json-text';
import { stepRunKey } from './idempotency-key';
import type { NewChildRun } from '../journal/new-child-run';
import { MAX_RUN_DEPTH } from './run-intake';

/** The run that starts another one. */
export interface CallingRun {
  runId: string;
  projectId: string;
  /** How many runs are above it. */
  depth: number;
}

/** What the new run is made of. */
export interface ChildRun {
  id: string;
  payload: JsonText;
  /** Any ending but SUCCEEDED fails the run above it. Not for one whose ending is waited for: who waits judges it. */
  failParentOnFailure: boolean;
  /** The key of the step that starts it: the same step starts one run of a flow. Absent for who makes sure itself. */
  stepKey?: string;
}

/**
 * The run of a flow that another run calls, on its published version. Throws EntityNotFoundError for a flow of another
 * project, FlowNotEnabledError, or RunTooDeepError.
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

/** A flow as a step names it, and what its trigger is given. */
export interface FlowCall {
  /** Id or external id. */
  flow: string;
  payload: JsonText;
}

/** Runs of other flows, for the steps that call them. All methods throw what childRunOf throws. */
export abstract class ChildRuns {
  /** One that is waited for: it starts when the wait is on record. */
  abstract prepare(call: FlowCall, caller: CallingRun): Promise<NewChildRun>;
  /** Starts one that nobody waits for; the same step starts it once. Answers its id. */
  abstract start(
    call: FlowCall & { failParentOnFailure: boolean; stepKey: string },
    caller: CallingRun,
  ): Promise<string>;
}
