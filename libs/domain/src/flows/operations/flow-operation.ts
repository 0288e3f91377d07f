import { InvalidRequestError } from '../../errors/invalid-request.error';
import { principalName, type Principal } from '../../identity/principal';
import { assertNotInUse } from '../edit-guard';
import type { PopulatedFlow } from '../flow';
import type { FlowTrigger, FlowVersion } from '../flow-version';
import type { FlowChange } from '../flow.repository';
import type { CheckedVersion } from '../version-validity';
import { isJsonObject, JsonReader, RequestProblems } from '../json-reader';
import { CHANGE_STATUS } from './change-status';
import { IMPORT_FLOW } from './import-flow';
import { LOCK_AND_PUBLISH } from './lock-and-publish';

// What can be done to a flow. Each operation is a file of its own: `parse` reads its request, `apply` is a function from
// the flow as it is to the change that is written. A new operation is a new file and a line in OPERATIONS.

/** What an operation may ask for. */
export interface OperationContext {
  principal: Principal;
  now: Date;
  /** For the new draft, should one be needed. */
  newVersionId: string;
  /** Sets `valid` everywhere and says why not. */
  check(version: FlowVersion): CheckedVersion | Promise<CheckedVersion>;
}

export interface FlowOperationRule<Request> {
  /** Throws InvalidRequestError. */
  parse(reader: JsonReader): Request;
  /** The definition that a request holds. */
  brings?(request: Request): FlowTrigger;
  apply(current: PopulatedFlow, request: Request, context: OperationContext): FlowChange | Promise<FlowChange>;
}

const OPERATIONS = { IMPORT_FLOW, LOCK_AND_PUBLISH, CHANGE_STATUS };

export type FlowOperationType = keyof typeof OPERATIONS;
export const FLOW_OPERATION_TYPES = Object.keys(OPERATIONS) as FlowOperationType[];

/** An operation with its request found good, ready to be applied. */
export interface FlowOperation {
  type: FlowOperationType;
  /** The definition that it puts in place of the flow's; null when it brings none. */
  brings: FlowTrigger | null;
  /** Throws FlowInUseError, and what the operation throws when it does not fit the flow. */
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
  const request = rule.parse(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return {
    type,
    brings: rule.brings?.(request) ?? null,
    async apply(current, context) {
      assertNotInUse(current.version, principalName(context.principal), context.now);
      return rule.apply(current, request, context);
    },
  };
}
