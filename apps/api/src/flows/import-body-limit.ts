import type { RouteBodyLimit } from '@millrace/http';

const MB = 1024 * 1024;

/** A flow travels as one body in which each step nests one level. Other operations are small. */
export const IMPORT_BODY_LIMIT: RouteBodyLimit = {
  bytes: 25 * MB,
  depth: 1_200,
  appliesTo: (body) => typeof body === 'object' && body !== null && 'type' in body && body.type === 'IMPORT_FLOW',
};
