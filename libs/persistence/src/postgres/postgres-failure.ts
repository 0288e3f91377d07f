import { DomainError, EntityNotFoundError, ServiceUnavailableError, type EntityType } from '@millrace/domain';

/**
 * What a failed statement means for its rows. `transient`: no row was written, and the same statement may succeed now.
 * `row`: one of the rows can never be written. `unavailable`: the database could not be reached or did not answer in
 * time; the rows may have been written. `bug`: the statement itself is wrong.
 */
export type PostgresFailure = 'transient' | 'row' | 'unavailable' | 'bug';

const TRANSIENT = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available
  '0A000', // a prepared statement's plan is out of date after a migration; the pool drops that connection
]);
/**
 * SQLSTATE classes: data exception, integrity constraint, cardinality (two equal rows in a statement), program limit.
 */
const ROW = /^(?:22|23|21|54)/;
/**
 * SQLSTATE classes: connection, resources, operator intervention (also a statement time-out), system. Codes: a
 * read-only standby, and a transaction that was ended because this process stood still for too long.
 */
const UNAVAILABLE = /^(?:08|53|57|58|25006|25P0[34])/;
/**
 * The server refuses the login: the password has changed, the database is renamed or takes no connections. Nothing was
 * written, and a person has to mend it.
 */
const LOGIN_REFUSED = /^(?:28|3D000|55000)/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
/** Node's codes for a failed connection. */
const NETWORK =
  /^E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOST(?:UNREACH|DOWN)|NET(?:UNREACH|DOWN)|NOTFOUND|AI_AGAIN|NOTCONN)$/;
/** While the server is down, the folder of its local socket may be missing or not readable. */
const NO_SOCKET = /^(?:ENOENT|EACCES)$/;
/**
 * Beginnings of messages of node-postgres and TypeORM, whose own errors carry no code. Whole sentences are compared: the
 * failure of a step, which its author words, must not pass for an outage, because a run waits until that is over.
 */
const DRIVER = new RegExp(
  `^(?:Error: )?(?:${[
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'The server does not support SSL connections',
    'There was an error establishing an SSL connection',
    'Driver not Connected',
    // TypeORM gives up a transaction whose connection is lost.
    'Query runner already released',
    'Database connection provided by a query runner was already released',
    // What `watched-client.ts` says.
    'The database did not answer in time',
  ].join('|')})`,
);

export function postgresFailure(error: unknown): PostgresFailure {
  const code = textOf(error, 'code');
  if (NETWORK.test(code) || isSocketAway(error, code)) return 'unavailable';
  if (SQL_STATE.test(code)) {
    if (TRANSIENT.has(code)) return 'transient';
    if (ROW.test(code)) return 'row';
    return UNAVAILABLE.test(code) || LOGIN_REFUSED.test(code) ? 'unavailable' : 'bug';
  }
  return DRIVER.test(textOf(error, 'message')) ? 'unavailable' : 'bug';
}

/** Whether the server is there and refuses the login, which waiting does not mend. */
export const isLoginRefused = (error: unknown): boolean => LOGIN_REFUSED.test(textOf(error, 'code'));

const isSocketAway = (error: unknown, code: string): boolean =>
  NO_SOCKET.test(code) && textOf(error, 'syscall') === 'connect';

/** Errors of a connection that was never made. */
const NOT_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)$/;
const NO_CONNECTION = /when trying to connect|connection timeout|timeout expired|calling end on the pool/i;
/** SQLSTATE classes of a lost connection. The server may have committed the statement just before. */
const CUT_OFF = /^(?:08|57P)/;

/**
 * Tells whether a failed statement may have been committed nevertheless, or may be committed a little later. That is so
 * when the statement was sent and no answer arrived. A statement that the server refused, or ended at its own time
 * limit, has written no row.
 */
export function mayHaveWritten(error: unknown): boolean {
  if (postgresFailure(error) !== 'unavailable') return false;
  const code = textOf(error, 'code');
  if (SQL_STATE.test(code) && !NETWORK.test(code)) return CUT_OFF.test(code);
  return !NOT_CONNECTED.test(code) && !NO_CONNECTION.test(textOf(error, 'message'));
}

/**
 * Returns ServiceUnavailableError for an error that means the database is unavailable, and any other error unchanged.
 */
export const nameDatabaseError = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof DomainError) && postgresFailure(error) === 'unavailable'
    ? new ServiceUnavailableError('The database is away; try again later.', 5, { cause: error })
    : error;

/** Returns the error for the sender of a request that names what was deleted while it was under way. */
export function nameRequestError(error: unknown): unknown {
  if (textOf(error, 'code') !== '23503') return nameDatabaseError(error);
  const [, type] = NAMED_BY.find(([column]) => column.test(textOf(error, 'constraint'))) ?? [];
  // The text around the id may be in any language.
  const id = /\)=\(([^)]+)\)/.exec(textOf(error, 'detail'))?.[1];
  return type === undefined ? error : new EntityNotFoundError(type, id ?? '');
}

/** What a foreign key refers to, by its name, which PostgreSQL makes of the table and the column. */
const NAMED_BY: readonly [RegExp, EntityType][] = [
  [/_project_id_fkey$/, 'project'],
  [/_flow_id_fkey$/, 'flow'],
  [/^flow_in_folder$/, 'folder'],
  [/_key_id_fkey$/, 'api_key'],
  [/_(?:user_id|owner_id|created_by|invited_by)_fkey$/, 'user'],
];

/** The statement, or the cause of the error, met the server's time limit. The statement changed nothing. */
export const isStatementTimeout = (error: unknown): boolean =>
  textOf(error, 'code') === '57014' ||
  (error instanceof Error && error.cause !== undefined && isStatementTimeout(error.cause));

/** The statement met its `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => textOf(error, 'code') === '55P03';

export const isUniqueViolation = (error: unknown): boolean => textOf(error, 'code') === '23505';

/** A row names another row that does not exist (any more). */
export const isForeignKeyViolation = (error: unknown, constraint: string): boolean =>
  textOf(error, 'code') === '23503' && textOf(error, 'constraint') === constraint;

function textOf(error: unknown, property: 'code' | 'message' | 'constraint' | 'detail' | 'syscall'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : '';
}
