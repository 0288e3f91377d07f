import type { Environment, Settings } from '../value-types/setting';
import { databaseUrl, httpUrl, redisUrl } from '../value-types/address-types';
import { oneOf, text, textLike, wholeNumber, yesOrNo } from '../value-types/simple-types';

/** The database, and the queue in it or in Redis. */
export const databaseSettings = {
  SVC_DATABASE_URL: {
    type: databaseUrl,
    meaning: 'the PostgreSQL, 13 or newer ([better 14](database.md#migrations)), that holds flows, runs and journals',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    isRequired: true,
    isSecret: true,
    whenUnset: 'embedded PostgreSQL under `npm start`; else required',
  },
  SVC_DATABASE_SESSION_URL: {
    type: databaseUrl,
    meaning:
      'the same database [without a pooler](database.md#behind-a-pooler), for what needs a session of its own; set, `SVC_DATABASE_URL` is a pooler that shares sessions',
    readBy: ['api', 'webhook-gateway', 'worker'],
    isSecret: true,
    whenUnset: 'as `SVC_DATABASE_URL`',
  },
  SVC_DATABASE_POOLER_PREPARES: {
    type: yesOrNo,
    meaning:
      'whether the pooler keeps prepared statements in transaction mode, as PgBouncer does from 1.21 with `max_prepared_statements`; of no effect without a pooler',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: false,
  },
  SVC_API_DATABASE_CONNECTIONS: {
    type: wholeNumber(4, 1_000),
    unit: 'connections',
    meaning: 'how many [connections](database.md#connections) the pools of an api open at most; one more listens',
    readBy: ['api'],
    default: 10,
  },
  SVC_GATEWAY_DATABASE_CONNECTIONS: {
    type: wholeNumber(2, 1_000),
    unit: 'connections',
    meaning: 'the same of a gateway',
    readBy: ['webhook-gateway'],
    default: 4,
  },
  SVC_WORKER_DATABASE_CONNECTIONS: {
    type: wholeNumber(3, 1_000),
    unit: 'connections',
    meaning: 'the same of a worker',
    readBy: ['worker'],
    default: 5,
  },
  SVC_MIGRATE_ON_START: {
    type: yesOrNo,
    meaning: 'whether the api [migrates the database](database.md#migrations) when it starts',
    readBy: ['api'],
    default: false,
    whenUnset: '`false`; `true` under `npm start`',
  },
  SVC_REDIS_URL: {
    type: redisUrl,
    meaning: 'the [Redis for the job queue](redis.md); it wants `appendonly yes` and `maxmemory-policy noeviction`',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    isSecret: true,
    whenUnset: 'none: the queue is in PostgreSQL',
  },
  SVC_REDIS_FAILED_JOB_RETENTION_DAYS: {
    type: wholeNumber(1),
    unit: 'days',
    meaning: 'how long failed jobs stay, in either store; completed ones stay an hour',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 7,
  },
  SVC_REDIS_FAILED_JOB_RETENTION_MAX_COUNT: {
    type: wholeNumber(1),
    unit: 'jobs',
    meaning: 'how many failed jobs stay, in either store',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 100_000,
  },
} as const satisfies Settings;

const needsS3 = (given: Environment): boolean => given['SVC_FILE_STORAGE'] === 'S3';

/** Where files are kept. */
export const fileSettings = {
  SVC_FILE_STORAGE: {
    type: oneOf('DB', 'S3'),
    meaning:
      'where new files are kept: `DB` is PostgreSQL, `S3` a bucket; old ones stay where they are, and are read there',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 'DB',
  },
  SVC_S3_BUCKET: {
    type: textLike(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, '3 to 63 characters of a-z, 0-9, dot and hyphen'),
    meaning: 'the bucket; needed with `S3`, and for as long as files are in it',
    readBy: ['api', 'webhook-gateway', 'worker'],
    requiredWhen: needsS3,
  },
  SVC_S3_ACCESS_KEY_ID: {
    type: text(),
    meaning: 'who reads and writes the bucket; needed with it',
    readBy: ['api', 'webhook-gateway', 'worker'],
    requiredWhen: needsS3,
  },
  SVC_S3_SECRET_ACCESS_KEY: {
    type: text(),
    meaning: 'the secret of the access key',
    readBy: ['api', 'webhook-gateway', 'worker'],
    requiredWhen: needsS3,
    isSecret: true,
  },
  SVC_S3_ENDPOINT: {
    type: httpUrl,
    meaning: 'another server that speaks S3',
    readBy: ['api', 'webhook-gateway', 'worker'],
    whenUnset: "Amazon's",
  },
  SVC_S3_REGION: {
    type: text(),
    meaning: 'the region of the bucket',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 'us-east-1',
  },
  SVC_S3_FORCE_PATH_STYLE: {
    type: yesOrNo,
    meaning: 'whether addresses have the bucket in their path, or in their host name',
    readBy: ['api', 'webhook-gateway', 'worker'],
    whenUnset: '`true` with an endpoint',
  },
} as const satisfies Settings;
