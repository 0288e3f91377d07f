import { EnvError, makeValidator } from 'envalid';
import type { QueueSettings } from './queue-settings';

const redisUrl = makeValidator<string>((input) => {
  const scheme = URL.canParse(input) ? new URL(input).protocol : '';
  if (scheme === 'redis:' || scheme === 'rediss:') return input;
  throw new EnvError('SVC_REDIS_URL must be an address that starts with redis:// or rediss://');
});

const wholeNumber = makeValidator<number>((input) => {
  const value = Number(input);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new EnvError(`a whole number above zero is needed, not "${input}"`);
});

/** The settings of the queue. Each app includes them in its own settings. */
export const queueEnv = {
  SVC_REDIS_URL: redisUrl({
    default: undefined,
    desc: 'Redis for the job queue; without it the queue is in PostgreSQL',
  }),
  SVC_REDIS_FAILED_JOB_RETENTION_DAYS: wholeNumber({
    default: 7,
    desc: 'How long a failed job is kept, in either store',
  }),
  SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT: wholeNumber({ default: 100_000, desc: 'How many failed jobs are kept' }),
};

/** Translates the names of the environment into those of this library. */
export const queueSettings = (env: {
  SVC_DATABASE_URL: string;
  SVC_REDIS_URL: string | undefined;
  SVC_REDIS_FAILED_JOB_RETENTION_DAYS: number;
  SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT: number;
}): QueueSettings => ({
  databaseUrl: env.SVC_DATABASE_URL,
  redisUrl: env.SVC_REDIS_URL,
  failedJobRetentionDays: env.SVC_REDIS_FAILED_JOB_RETENTION_DAYS,
  failedJobRetentionMaxCount: env.SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT,
});
