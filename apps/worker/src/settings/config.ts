import { filesEnv, intakeEnv, postgresEnv, queueEnv } from '@millrace/persistence';
import {
  amount,
  count,
  encryptionEnv,
  httpEnv,
  httpUrl,
  outboundEnv,
  port,
  readSettings,
  workerTokenEnv,
} from '@millrace/http';
import { sandboxEnv } from '@millrace/sandbox';
import { str } from 'envalid';

/** Reads the settings of the worker at its start. Throws SettingsError for a wrong setting. */
export const readConfig = (environment: NodeJS.ProcessEnv, warn?: (line: string) => void) =>
  readSettings(
    {
      ...httpEnv,
      ...postgresEnv,
      ...queueEnv,
      ...filesEnv,
      ...intakeEnv,
      ...sandboxEnv,
      ...outboundEnv,
      ...encryptionEnv,
      ...workerTokenEnv,
      SVC_API_URL: httpUrl({ default: 'http://127.0.0.1:3001', desc: 'where the worker registers' }),
      SVC_WORKER_PORT: port({ default: 0, desc: "the port of the worker's health checks; 0 takes any free one" }),
      SVC_WORKER_CONCURRENCY: count(1, 1_000)({ default: 50, desc: 'how many runs execute at once' }),
      SVC_FLOW_TIMEOUT_SECONDS: count(1, 86_400)({ default: 600, desc: 'how long a run may take' }),
      SVC_PAUSED_FLOW_TIMEOUT_DAYS: count(1, 3_650)({ default: 30, desc: 'how long a run may be paused' }),
      SVC_EXECUTION_DATA_RETENTION_DAYS: count(1, 3_650)({ default: 30, desc: 'how long the data of a run is kept' }),
      SVC_AUDIT_RETENTION_DAYS: count(0, 36_500)({ default: 365, desc: 'how long the audit log is kept; 0: for ever' }),
      SVC_RUN_RETENTION_DAYS: count(0, 36_500)({ default: 0, desc: 'how long ended runs are listed; 0: for ever' }),
      SVC_EXECUTION_DATA_RETENTION_HOURS: amount(
        0.001,
        87_600,
      )({
        default: undefined,
        desc: 'how long the data of a run is kept, in place of the days',
      }),
      SVC_RUN_STORAGE_LIMIT_MB: count(1, 100_000)({ default: 100, desc: 'most step data of one run, in MB' }),
      SVC_POLLING_INTERVAL_MINUTES: count(1, 44_640)({ default: 5, desc: 'how often triggers poll that do not say' }),
      SVC_STEP_RETRY_BASE_SECONDS: count(0, 60)({ default: 2, desc: 'the first wait of a step that retries' }),
      SVC_EXECUTION_MODE: str({
        choices: ['SANDBOX_CODE_ONLY'],
        default: 'SANDBOX_CODE_ONLY',
        desc: 'how code steps run',
      }),
      SVC_DATA_DIR: str({ default: '.data', desc: 'where bundled packages are kept' }),
    },
    environment,
    warn,
  );

export type WorkerConfig = ReturnType<typeof readConfig>;

/** The token of the WorkerConfig. */
export const WORKER_CONFIG = Symbol('WorkerConfig');
