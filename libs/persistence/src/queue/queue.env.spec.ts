import { cleanEnv, type ReporterOptions } from 'envalid';
import { queueEnv } from './queue.env';

function parse(environment: Record<string, string>) {
  const messages: string[] = [];
  const reporter = ({ errors }: ReporterOptions<unknown>): void => {
    for (const [name, error] of Object.entries(errors)) messages.push(`${name}: ${(error as Error).message}`);
  };
  const settings = cleanEnv(environment, queueEnv, { reporter });
  return { settings, messages };
}

describe('queueEnv', () => {
  it('puts the queue in PostgreSQL and keeps failed jobs for a week when nothing is set', () => {
    const { settings, messages } = parse({});

    expect(messages).toEqual([]);
    expect(settings.SVC_REDIS_URL).toBeUndefined();
    expect(settings.SVC_REDIS_FAILED_JOB_RETENTION_DAYS).toBe(7);
    expect(settings.SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT).toBe(100_000);
  });

  it.each(['redis://localhost:6379', 'rediss://user:secret@redis.example:6380/2'])('takes %s', (url) => {
    expect(parse({ SVC_REDIS_URL: url }).settings.SVC_REDIS_URL).toBe(url);
  });

  it.each(['http://localhost:6379', 'localhost', 'postgres://localhost/flow'])(
    'refuses %s and names the variable',
    (url) => {
      expect(parse({ SVC_REDIS_URL: url }).messages).toEqual([
        expect.stringMatching(/SVC_REDIS_URL must be .*redis:\/\//),
      ]);
    },
  );

  it.each(['0', '-1', '1.5', 'many'])('refuses to keep failed jobs for %s days', (days) => {
    const { messages } = parse({ SVC_REDIS_FAILED_JOB_RETENTION_DAYS: days });

    expect(messages).toEqual([expect.stringContaining('SVC_REDIS_FAILED_JOB_RETENTION_DAYS')]);
  });
});
