import { cleanEnv } from 'envalid';
import { postgresEnv } from './postgres.env';

const errorsOf = (env: Record<string, string>): Record<string, string> => {
  const messages: Record<string, string> = {};
  cleanEnv(env, postgresEnv, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) messages[name] = String(error?.message);
    },
  });
  return messages;
};

describe('SVC_DATABASE_URL', () => {
  it.each(['postgres://flow@127.0.0.1:5432/flow', 'postgresql://u:p%40ss@db/millrace?sslmode=require'])(
    'may be %s',
    (url) => expect(errorsOf({ SVC_DATABASE_URL: url })).toEqual({}),
  );

  it.each(['mysql://localhost/flow', 'postgres://localhost', 'localhost:5432'])('may not be %s', (url) =>
    expect(errorsOf({ SVC_DATABASE_URL: url })['SVC_DATABASE_URL']).toContain('must look like postgres://'),
  );

  it('must be given', () => expect(errorsOf({})).toHaveProperty('SVC_DATABASE_URL'));
});
