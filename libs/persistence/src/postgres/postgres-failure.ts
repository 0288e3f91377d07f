import { DomainError, ServiceUnavailableError } from '@millrace/domain';

/**
 * What a failed statement means for the rows it carried.
 * `transient`: nothing was written, and the same statement may succeed now. `row`: one of the rows cannot be written,
 * whoever asks. `unavailable`: the database was not there, or did not answer in time; whether it wrote is unknown.
 */
export type PostgresFailure = 'transient' | 'row' | 'unavailable' | 'bug';

const TRANSIENT = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available
  '0A000', // a prepared statement's plan is out of date after a migration; the pool drops that connection
]);
/** Classes: data exception, integrity constraint, cardinality (two rows of one statement meet), program limit. */
const ROW = /^(?:22|23|21|54)/;
/**
 * Classes: connection, resources, operator intervention (also statement time-out), system; a read-only standby; and a
 * transaction in which this process said nothing for too long, because it stood still.
 */
const UNAVAILABLE = /^(?:08|53|57|58|25006|25P0[34])/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
/** Node's codes of a connection that failed. Its others are bugs, or files that are not there. */
const NETWORK =
  /^E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOST(?:UNREACH|DOWN)|NET(?:UNREACH|DOWN)|NOTFOUND|AI_AGAIN|NOTCONN)$/;
/** The folder of a local socket is not there, or not ours, while the server is away. */
const NO_SOCKET = /^(?:ENOENT|EACCES)$/;
/** node-postgres gives these no code. */
const DRIVER = /connection|timeout|not queryable|calling end on the pool/i;

export function postgresFailure(error: unknown): PostgresFailure {
  const code = textOf(error, 'code');
  if (NETWORK.test(code) || isSocketAway(error, code)) return 'unavailable';
  if (SQL_STATE.test(code)) {
    if (TRANSIENT.has(code)) return 'transient';
    if (ROW.test(code)) return 'row';
    return UNAVAILABLE.test(code) ? 'unavailable' : 'bug';
  }
  return DRIVER.test(textOf(error, 'message')) ? 'unavailable' : 'bug';
}

const isSocketAway = (error: unknown, code: string): boolean =>
  NO_SOCKET.test(code) && textOf(error, 'syscall') === 'connect';

/** Errors of a connection that was never made. */
const NOT_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)$/;
const NO_CONNECTION = /when trying to connect|connection timeout|timeout expired|calling end on the pool/i;
/** The server took the connection away: also from a statement that it had just committed. */
const CUT_OFF = /^(?:08|57P)/;

/**
 * Whether a statement that failed may have been committed all the same, then or a little later: it was sent, and nobody
 * said how it ended. What the server refuses or breaks off, by its own time limit too, it has not written.
 */
export function mayHaveWritten(error: unknown): boolean {
  if (postgresFailure(error) !== 'unavailable') return false;
  const code = textOf(error, 'code');
  if (SQL_STATE.test(code) && !NETWORK.test(code)) return CUT_OFF.test(code);
  return !NOT_CONNECTED.test(code) && !NO_CONNECTION.test(textOf(error, 'message'));
}

/** A database that is away, as an error a caller can act on; any other error as it is. */
export const nameDatabaseError = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof DomainError) && postgresFailure(error) === 'unavailable'
    ? new ServiceUnavailableError('The database is away; try again later.', 5, { cause: error })
    : error;

/** The statement met its time limit, and nothing of it was done. */
export const isStatementTimeout = (error: unknown): boolean =>
  textOf(error, 'code') === '57014' ||
  (error instanceof Error && error.cause !== undefined && isStatementTimeout(error.cause));

/** The statement waited for a lock for as long as it may. */
export const isLockTimeout = (error: unknown): boolean => textOf(error, 'code') === '55P03';

export const isUniqueViolation = (error: unknown): boolean => textOf(error, 'code') === '23505';

/** A row names another that is not there (any more). */
export const isForeignKeyViolation = (error: unknown, constraint: string): boolean =>
  textOf(error, 'code') === '23503' && textOf(error, 'constraint') === constraint;

function textOf(error: unknown, property: 'code' | 'message' | 'constraint' | 'syscall'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : '';
}
