import type { Settings } from '../value-types/setting';
import { origins } from '../value-types/address-types';
import { wholeNumber } from '../value-types/simple-types';

/** What the gateway takes. */
export const webhookSettings = {
  SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB: {
    type: wholeNumber(1, 1_000),
    unit: 'MB',
    meaning: 'the largest webhook body',
    readBy: ['webhook-gateway'],
    default: 25,
  },
  SVC_WEBHOOK_TIMEOUT_SECONDS: {
    type: wholeNumber(1, 600),
    unit: 's',
    meaning:
      "how long a sync webhook waits for the flow's answer; at most 27 s once a gateway that stops has closed its door",
    readBy: ['webhook-gateway'],
    default: 30,
  },
  SVC_DRAFT_WEBHOOKS_PER_MINUTE: {
    type: wholeNumber(0, 100_000),
    meaning: 'how many webhooks for the draft of one flow one gateway takes in a minute; `0` takes none',
    readBy: ['webhook-gateway'],
    default: 60,
  },
  SVC_WEBHOOK_CORS_ORIGINS: {
    type: origins,
    meaning: 'whose pages may read answers to webhooks',
    readBy: ['webhook-gateway'],
    default: ['*'],
  },
} as const satisfies Settings;

/** How many runs may wait to begin. */
export const backlogSettings = {
  SVC_INTAKE_MAX_PENDING_RUNS: {
    type: wholeNumber(1),
    unit: 'runs',
    meaning: 'how many runs may wait to begin; above that new ones get 503, and schedules and polls wait',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 1_000_000,
  },
  SVC_INTAKE_MAX_PENDING_RUNS_PER_PROJECT: {
    type: wholeNumber(1),
    unit: 'runs',
    meaning: 'the same for the runs of one project, whose new ones get 429',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 200_000,
  },
  SVC_INTAKE_MAX_PENDING_MB: {
    type: wholeNumber(1),
    unit: 'MB',
    meaning: 'the same for the size of their payloads as they are stored',
    readBy: ['api', 'webhook-gateway', 'worker'],
  },
  SVC_INTAKE_MAX_PENDING_AGE_SECONDS: {
    type: wholeNumber(1),
    unit: 's',
    meaning: 'the same for how long the oldest has waited',
    readBy: ['api', 'webhook-gateway', 'worker'],
  },
  SVC_INTAKE_MIN_FREE_DISK_MB: {
    type: wholeNumber(0),
    unit: 'MB',
    meaning:
      'what must be free on the disk of the data directory, with a database on this machine; below it no run is taken',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 256,
  },
} as const satisfies Settings;

/** What the api takes. */
export const apiSettings = {
  SVC_API_CORS_ORIGINS: {
    type: origins,
    meaning: 'whose pages may read answers of the api and get live updates',
    readBy: ['api'],
    default: [],
    whenUnset: 'only pages of its own origin',
  },
  SVC_API_RATE_LIMIT_PER_MINUTE: {
    type: wholeNumber(1, 1_000_000),
    unit: 'requests',
    meaning: 'how many requests one key or user may make in a minute, over all processes; more get 429',
    readBy: ['api'],
  },
  SVC_API_RATE_LIMIT_PER_MINUTE_PER_PROJECT: {
    type: wholeNumber(1, 1_000_000),
    unit: 'requests',
    meaning: 'the same for all keys of one project together',
    readBy: ['api'],
  },
} as const satisfies Settings;
