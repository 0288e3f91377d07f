import { filesEnv, intakeEnv, postgresEnv, queueEnv } from '@millrace/persistence';
import { count, httpEnv, origins, readSettings, shutdownEnv, webhookKeyEnv } from '@millrace/http';
import { str } from 'envalid';

/** Reads the gateway's settings. Throws SettingsError when one is missing or wrong. */
export const readConfig = (environment: NodeJS.ProcessEnv) =>
  readSettings(
    {
      ...httpEnv,
      ...shutdownEnv,
      ...postgresEnv,
      ...queueEnv,
      ...intakeEnv,
      ...filesEnv,
      ...webhookKeyEnv,
      SVC_API_UPSTREAM_URL: str({ default: undefined, desc: 'the api that every other path is passed on to' }),
      SVC_DRAFT_WEBHOOKS_PER_MINUTE: count(
        0,
        100_000,
      )({
        default: 60,
        desc: 'how many webhooks for the draft of one flow are taken in a minute',
      }),
      SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB: count(1, 1_000)({ default: 25, desc: 'the largest webhook body' }),
      SVC_WEBHOOK_CORS_ORIGINS: origins({ default: ['*'], desc: 'whose pages may read answers to webhooks' }),
      SVC_WEBHOOK_TIMEOUT_SECONDS: count(1, 600)({ default: 30, desc: 'how long a sync webhook waits for its answer' }),
    },
    environment,
  );

export type GatewayConfig = ReturnType<typeof readConfig>;
