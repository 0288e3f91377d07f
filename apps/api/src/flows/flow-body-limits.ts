import { DEFAULT_BODY_LIMIT, type BodyLimit, type RouteBodyLimit } from '@millrace/http';

// A body nests each step of a flow one level deeper than the step before.

const DEPTH = 1_200;

/** The limit for whole flows: imports and templates. */
export const FLOW_BODY_LIMIT: BodyLimit = { bytes: 25 * 1024 * 1024, depth: DEPTH };

const STEPS_BODY_LIMIT: BodyLimit = { bytes: DEFAULT_BODY_LIMIT.bytes, depth: DEPTH };

const LIMIT_OF_OPERATION = new Map<unknown, BodyLimit>([
  ['IMPORT_FLOW', FLOW_BODY_LIMIT],
  ['UPDATE_TRIGGER', STEPS_BODY_LIMIT],
  ['ADD_ACTION', STEPS_BODY_LIMIT],
  ['UPDATE_ACTION', STEPS_BODY_LIMIT],
]);

/** The limit for flow operations. Each type of operation has its own. */
export const OPERATION_BODY_LIMIT: RouteBodyLimit = {
  ...FLOW_BODY_LIMIT,
  limitOf: (body) =>
    (typeof body === 'object' && body !== null && 'type' in body && LIMIT_OF_OPERATION.get(body.type)) ||
    DEFAULT_BODY_LIMIT,
};
