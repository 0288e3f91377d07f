import { InvalidRequestError } from '../../errors/invalid-request.error';
import type { Permission } from '../../identity/permissions';
import { principalName, type Principal } from '../../identity/principal';
import { assertNotInUse } from '../edit-guard';
import type { PopulatedFlow } from '../flow';
import type { FlowStep, FlowVersion } from '../flow-version';
import type { FlowChange, FlowSurroundings } from '../flow.repository';
import type { CheckedVersion } from '../version-validity';
import { isJsonObject, JsonReader, RequestProblems } from '../../json/json-reader';
import type { JsonSchema } from '../../json/json-schema';
import type { RequestShape } from '../../json/request-shape';
import { ADD_ACTION } from './add-action';
import { ADD_BRANCH } from './add-branch';
import { ADD_NOTE } from './add-note';
import { CHANGE_FOLDER } from './change-folder';
import { CHANGE_NAME } from './change-name';
import { CHANGE_STATUS } from './change-status';
import { DELETE_ACTION } from './delete-action';
import { DELETE_BRANCH } from './delete-branch';
import { DELETE_NOTE } from './delete-note';
import { DUPLICATE_ACTION } from './duplicate-action';
import { DUPLICATE_BRANCH } from './duplicate-branch';
import { IMPORT_FLOW } from './import-flow';
import { LOCK_AND_PUBLISH } from './lock-and-publish';
import { LOCK_FLOW } from './lock-flow';
import { MOVE_ACTION } from './move-action';
import { MOVE_BRANCH } from './move-branch';
import { SAVE_SAMPLE_DATA } from './save-sample-data';
import { SET_SKIP_ACTION } from './set-skip-action';
import { UPDATE_ACTION } from './update-action';
import { UPDATE_METADATA } from './update-metadata';
import { UPDATE_MINUTES_SAVED } from './update-minutes-saved';
import { UPDATE_NOTE } from './update-note';
import { UPDATE_OWNER } from './update-owner';
import { UPDATE_TRIGGER } from './update-trigger';
import { USE_AS_DRAFT } from './use-as-draft';

// The operations on a flow. Each operation is a file of its own: `request` says what its request is made of, and
// `apply` is a function from the current flow to the change that is written. A new operation is a new file and a line
// in OPERATIONS.

/** What an operation may use besides the flow and its request. */
export interface OperationContext extends Pick<FlowSurroundings, 'findVersion' | 'hasFolder' | 'hasMember'> {
  principal: Principal;
  now: Date;
  /** The id of the new draft, if the operation makes one. */
  newVersionId: string;
  /** A new id for anything else that the operation makes. */
  newId(): string;
  /** Sets `valid` in the version and its steps, and returns the problems. */
  check: (version: FlowVersion) => CheckedVersion | Promise<CheckedVersion>;
}

export interface FlowOperationRule<Request> {
  request: RequestShape<Request>;
  /** The first of the steps in the request. Their code is compiled before the flow's row is locked. */
  brings?(request: Request): FlowStep;
  apply(current: PopulatedFlow, request: Request, context: OperationContext): FlowChange | Promise<FlowChange>;
}

const OPERATIONS = {
  IMPORT_FLOW,
  LOCK_AND_PUBLISH,
  CHANGE_STATUS,
  LOCK_FLOW,
  USE_AS_DRAFT,
  CHANGE_NAME,
  CHANGE_FOLDER,
  UPDATE_METADATA,
  UPDATE_MINUTES_SAVED,
  UPDATE_OWNER,
  UPDATE_TRIGGER,
  ADD_ACTION,
  UPDATE_ACTION,
  DELETE_ACTION,
  MOVE_ACTION,
  DUPLICATE_ACTION,
  SET_SKIP_ACTION,
  ADD_BRANCH,
  DELETE_BRANCH,
  DUPLICATE_BRANCH,
  MOVE_BRANCH,
  SAVE_SAMPLE_DATA,
  ADD_NOTE,
  UPDATE_NOTE,
  DELETE_NOTE,
};

export type FlowOperationType = keyof typeof OPERATIONS;
export const FLOW_OPERATION_TYPES = Object.keys(OPERATIONS) as FlowOperationType[];

/**
 * Returns the permission that the operation in a request's body needs. A body without a known operation needs the
 * permission of most operations; it is refused anyway.
 */
export const permissionOfOperation = (body: unknown): Permission =>
  isJsonObject(body) && body['type'] === 'CHANGE_STATUS' ? 'UPDATE_FLOW_STATUS' : 'WRITE_FLOW';

/** The schema of the request of an operation. */
export const flowOperationRequest = (type: FlowOperationType): JsonSchema => OPERATIONS[type].request.schema;

/** An operation with a request that was read without problems. */
export interface FlowOperation {
  type: FlowOperationType;
  /** The first of the steps that the operation puts into the flow; null when it brings none. */
  brings: FlowStep | null;
  /** Throws FlowInUseError, and the operation's own errors when it does not fit the flow. */
  apply(current: PopulatedFlow, context: OperationContext): Promise<FlowChange>;
}

/** Reads the body `{type, request}`. Throws InvalidRequestError, which names every problem it found. */
export function parseFlowOperation(body: unknown): FlowOperation {
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be an object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const type = reader.oneOf('type', FLOW_OPERATION_TYPES);
  if (!reader.has('request')) reader.wrong('request', 'is required.');
  const requestReader = reader.inside('request');
  reader.refuseOthers();
  reader.throwIfWrong();
  return bind<never>(type, OPERATIONS[type] as FlowOperationRule<never>, requestReader);
}

function bind<Request>(type: FlowOperationType, rule: FlowOperationRule<Request>, reader: JsonReader): FlowOperation {
  const request = rule.request.read(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return {
    type,
    brings: rule.brings?.(request) ?? null,
    async apply(current, context) {
      assertNotInUse(current, principalName(context.principal), context.now);
      return stamped(current, await rule.apply(current, request, context), context);
    },
  };
}

/**
 * Notes in the flow who made the change and when, and raises its revision. An operation without a change notes nothing.
 */
function stamped(current: PopulatedFlow, change: FlowChange, { principal, now }: OperationContext): FlowChange {
  if (change.flow === current && change.version === current.version && !change.sampleData) return change;
  const { version: _version, ...flow } = change.flow as PopulatedFlow;
  const stamp = { updated: now, updatedBy: principalName(principal), revision: current.revision + 1 };
  return { ...change, flow: { ...flow, ...stamp } };
}
