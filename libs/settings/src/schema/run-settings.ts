import { availableParallelism } from 'node:os';
import type { Settings } from '../value-types/setting';
import { allowList, connectRules } from '../value-types/address-types';
import { number, oneOf, positiveNumber, text, wholeNumber, yesOrNo } from '../value-types/simple-types';

const MOST_DAYS = 36_500;

/** How runs execute. */
export const executionSettings = {
  SVC_WORKER_CONCURRENCY: {
    type: wholeNumber(1, 1_000),
    unit: 'runs',
    meaning: 'how many runs one worker executes at once',
    readBy: ['worker'],
    default: 50,
  },
  SVC_PRE_WARM_CACHE: {
    type: yesOrNo,
    meaning:
      'whether a worker loads enabled flows, and the compiled form of their code steps, before it is ready; 20 s and 64 MB at most',
    readBy: ['worker'],
    default: false,
  },
  SVC_FLOW_TIMEOUT_SECONDS: {
    type: wholeNumber(1, 86_400),
    unit: 's',
    meaning: 'how long a run may take',
    readBy: ['api', 'worker'],
    default: 600,
  },
  SVC_PAUSED_FLOW_TIMEOUT_DAYS: {
    type: wholeNumber(1, 3_650),
    unit: 'days',
    meaning: 'how long a run may be paused; then it ends as `TIMEOUT`',
    readBy: ['worker'],
    default: 30,
  },
  SVC_RUN_STORAGE_LIMIT_MB: {
    type: wholeNumber(1, 100_000),
    unit: 'MB',
    meaning: 'the most step data of one run: inputs, outputs and logs of its steps, and the files that they write',
    readBy: ['worker'],
    default: 100,
  },
  SVC_STEP_RETRY_BASE_SECONDS: {
    type: wholeNumber(0, 60),
    unit: 's',
    meaning: 'the first wait of a step that retries; it doubles',
    readBy: ['worker'],
    default: 2,
  },
  SVC_POLLING_INTERVAL_MINUTES: {
    type: wholeNumber(1, 44_640),
    unit: 'minutes',
    meaning: 'how often triggers poll that name no interval of their own',
    readBy: ['worker'],
    default: 5,
  },
  SVC_ACTIVE_FLOWS_LIMIT: {
    type: wholeNumber(0, 1_000_000),
    unit: 'flows',
    meaning: 'how many flows of one project may be enabled',
    readBy: ['api'],
  },
  SVC_SSRF_ALLOW_LIST: {
    type: allowList,
    meaning: 'addresses inside the network that flows, and packages of pieces in them, may call',
    readBy: ['api', 'worker'],
    default: [],
  },
  SVC_OUTBOUND_CONNECT_TO: {
    type: connectRules,
    meaning:
      'where calls of flows, packages of pieces, events, mails and the identity provider to a host and port connect to instead, for mocks and staging; the place is judged as any other, and certificates are checked for the host that was called',
    readBy: ['api', 'worker'],
    default: [],
  },
  SVC_OUTBOUND_CA_FILE: {
    type: text('the path of a file'),
    meaning:
      'certificate authorities in PEM form that these calls trust beside the public ones; `NODE_EXTRA_CA_CERTS` does not count for them then',
    readBy: ['api', 'worker'],
  },
} as const satisfies Settings;

/** The limits of code steps. */
export const sandboxSettings = {
  SVC_EXECUTION_MODE: {
    type: oneOf('SANDBOX_CODE_ONLY'),
    meaning: 'how code steps run; there is only one way',
    readBy: ['worker'],
    default: 'SANDBOX_CODE_ONLY',
  },
  SVC_SANDBOX_MEMORY_LIMIT: {
    type: wholeNumber(16, 2_048),
    unit: 'MB',
    meaning: 'the most memory of a code step',
    readBy: ['worker'],
    default: 128,
  },
  SVC_SANDBOX_CPU_SECONDS: {
    type: positiveNumber,
    unit: 's',
    meaning: 'the most CPU time of a code step',
    readBy: ['worker'],
    default: 10,
  },
  SVC_SANDBOX_THREADS: {
    type: wholeNumber(1),
    unit: 'threads',
    meaning: 'how many threads run code steps',
    readBy: ['worker'],
    default: availableParallelism(),
    whenUnset: 'the number of cores',
  },
  SVC_SANDBOX_SLEEP_MEMORY: {
    type: wholeNumber(1),
    unit: 'MB',
    meaning:
      'the memory that sleeping code steps may keep together; beyond it one is begun again when its sleep is over',
    readBy: ['worker'],
    default: 256,
  },
} as const satisfies Settings;

/** How long what has ended is kept. */
export const retentionSettings = {
  SVC_EXECUTION_DATA_RETENTION_DAYS: {
    type: wholeNumber(1, 3_650),
    unit: 'days',
    meaning: 'how long what the steps of ended runs did is kept',
    readBy: ['api', 'worker'],
    default: 30,
  },
  SVC_EXECUTION_DATA_RETENTION_HOURS: {
    type: number(0.001, 87_600),
    unit: 'hours',
    meaning: 'the same in hours, which may have a fraction; it wins over the days',
    readBy: ['api', 'worker'],
  },
  SVC_RUN_RETENTION_DAYS: {
    type: wholeNumber(0, MOST_DAYS),
    unit: 'days',
    meaning: 'how long runs that have ended are kept at all; they go a month at a time; `0` keeps them for ever',
    readBy: ['api', 'worker'],
    default: 0,
  },
  SVC_AUDIT_RETENTION_DAYS: {
    type: wholeNumber(0, MOST_DAYS),
    unit: 'days',
    meaning: 'how long the [audit log](security.md#audit) is kept; `0` keeps it for ever',
    readBy: ['api', 'worker'],
    default: 365,
  },
} as const satisfies Settings;
