import { EntityNotFoundError } from '@millrace/domain';
import { mayHaveWritten, nameDatabaseError, nameRequestError, postgresFailure } from './postgres-failure';

const withCode = (code: string): Error => Object.assign(new Error('refused'), { code });

describe('postgresFailure', () => {
  it.each([
    ['40P01', 'transient'],
    ['40001', 'transient'],
    ['0A000', 'transient'],
    ['22021', 'row'],
    ['23505', 'row'],
    ['21000', 'row'],
    ['54000', 'row'],
    ['57014', 'unavailable'],
    ['57P01', 'unavailable'],
    ['53300', 'unavailable'],
    ['08006', 'unavailable'],
    ['25006', 'unavailable'],
    ['28P01', 'unavailable'],
    ['3D000', 'unavailable'],
    ['55000', 'unavailable'],
    ['ECONNREFUSED', 'unavailable'],
    ['EPIPE', 'unavailable'],
    ['42703', 'bug'],
    ['ERR_STRING_TOO_LONG', 'bug'],
    ['ENOENT', 'bug'],
  ])('takes %s for %s', (code, failure) => expect(postgresFailure(withCode(code))).toBe(failure));

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Query runner already released. Cannot run queries anymore.',
    'Database connection provided by a query runner was already released, cannot continue to use its querying methods anymore.',
    'The database did not answer in time.',
  ])('knows the driver saying "%s"', (message) => expect(postgresFailure(new Error(message))).toBe('unavailable'));

  it.each(['The value of "connection" is not text.', 'The call took longer than its timeout.'])(
    'does not take what a step says for an outage: %s',
    (message) => expect(postgresFailure(new Error(message))).toBe('bug'),
  );

  it('takes a local socket that is not there for a server that is away', () =>
    expect(postgresFailure(Object.assign(withCode('ENOENT'), { syscall: 'connect' }))).toBe('unavailable'));

  it('takes anything else for a bug of ours', () =>
    expect(postgresFailure(new TypeError('x is not a function'))).toBe('bug'));
});

describe('mayHaveWritten', () => {
  it.each(['57P01', '08006', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])('is so after %s', (code) =>
    expect(mayHaveWritten(withCode(code))).toBe(true),
  );
  it.each(['Connection terminated unexpectedly', 'Query read timeout'])('is so when the driver says "%s"', (message) =>
    expect(mayHaveWritten(new Error(message))).toBe(true),
  );
  it.each(['57014', '53300', '28P01', '3D000', '40P01', '23505', '42703', 'ECONNREFUSED', 'ENOTFOUND'])(
    'is not so after %s',
    (code) => expect(mayHaveWritten(withCode(code))).toBe(false),
  );
  it.each(['timeout exceeded when trying to connect', 'Cannot use a pool after calling end on the pool'])(
    'is not so when the driver says "%s"',
    (message) => expect(mayHaveWritten(new Error(message))).toBe(false),
  );
});

describe('nameRequestError', () => {
  const violation = (constraint: string, detail: string) =>
    Object.assign(new Error('violates foreign key constraint'), { code: '23503', constraint, detail });

  it.each([
    ['connection_project_id_fkey', 'Key (project_id)=(p1) is not present in table "project".', 'project', 'p1'],
    ['flow_version_flow_id_fkey', 'Schlüssel (flow_id)=(f1) ist nicht in Tabelle »flow« vorhanden.', 'flow', 'f1'],
    ['flow_in_folder', 'Key (folder_id)=(d1) is not present in table "folder".', 'folder', 'd1'],
    ['api_key_made_by_key_id_fkey', '', 'api_key', ''],
    ['project_member_user_id_fkey', 'Key (user_id)=(u1) is not present in table "app_user".', 'user', 'u1'],
  ])('tells who names by %s what was deleted meanwhile', (constraint, detail, entityType, entityId) => {
    const error = nameRequestError(violation(constraint, detail));
    expect(error).toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityType, entityId } });
  });

  it('leaves what it does not know, and knows what nameDatabaseError does', () => {
    const other = violation('other_fkey', '');
    expect(nameRequestError(other)).toBe(other);
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(nameRequestError(refused)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('nameDatabaseError', () => {
  it('tells a caller that the database is away', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

    expect(nameDatabaseError(refused)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: refused });
  });

  it.each([new EntityNotFoundError('flow', 'nope'), new TypeError('x is not a function')])(
    'leaves %s as it is',
    (error) => expect(nameDatabaseError(error)).toBe(error),
  );
});
