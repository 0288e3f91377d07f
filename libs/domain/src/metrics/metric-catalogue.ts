import type { Metric, MetricApp } from './metric';

// Every metric of the service. docs/metrics.md, the dashboard and the alert rules are checked against this list.

const EVERY_APP: readonly MetricApp[] = ['api', 'webhook-gateway', 'worker'];
const GATEWAY: readonly MetricApp[] = ['webhook-gateway'];
const WORKER: readonly MetricApp[] = ['worker'];
/** The apps that may hold the leader lease, end runs and make calls to the outside. */
const DUTY_APPS: readonly MetricApp[] = ['api', 'worker'];

type Options = Partial<Pick<Metric, 'labels' | 'onlyLeader'>>;

const metric =
  (type: Metric['type']) =>
  (apps: readonly MetricApp[], name: string, help: string, { labels = [], onlyLeader }: Options = {}): Metric => ({
    name: `millrace_${name}`,
    type,
    help,
    labels,
    apps,
    ...(onlyLeader && { onlyLeader }),
  });
const counter = metric('counter');
const gauge = metric('gauge');
const histogram = metric('histogram');

const OF_INSTALLATION = { onlyLeader: true } as const;

const webhooks = {
  webhookAccept: histogram(
    GATEWAY,
    'webhook_accept_seconds',
    'From when the flow of a webhook is known until its run is on the disk and enqueued.',
  ),
  webhooksAccepted: counter(GATEWAY, 'webhooks_accepted_total', 'Webhooks that were accepted, by what they led to.', {
    labels: ['result'],
  }),
  webhooksRefused: counter(
    GATEWAY,
    'webhooks_refused_total',
    'Error answers to webhooks for published flows, by their error code.',
    { labels: ['code'] },
  ),
  answersRefused: counter(EVERY_APP, 'answers_refused_total', 'Error answers to HTTP requests, by their error code.', {
    labels: ['code'],
  }),
};

const backlog = {
  runsWaiting: gauge(
    DUTY_APPS,
    'runs_waiting',
    'Accepted runs that a worker may begin and none has begun, as they were counted last.',
    OF_INSTALLATION,
  ),
  runsHeldByControl: gauge(
    DUTY_APPS,
    'runs_held_by_control',
    'Accepted runs that no worker may begin yet, because the control of their flow holds them.',
    OF_INSTALLATION,
  ),
  runsWaitingBytes: gauge(
    DUTY_APPS,
    'runs_waiting_bytes',
    'The size of the payloads of these runs, waiting and held.',
    OF_INSTALLATION,
  ),
  oldestWaitingRun: gauge(
    DUTY_APPS,
    'oldest_waiting_run_age_seconds',
    'How long the run that waits longest could have begun; 0 when none waits.',
    OF_INSTALLATION,
  ),
  backlogCounted: gauge(
    DUTY_APPS,
    'runs_waiting_counted_timestamp_seconds',
    'When these runs were counted last.',
    OF_INSTALLATION,
  ),
  runsWaitingMost: gauge(EVERY_APP, 'runs_waiting_max', 'From this many runs on, no more are accepted.'),
  queueJobs: gauge(DUTY_APPS, 'queue_jobs', 'Jobs of the queue of runs, by state.', {
    labels: ['state'],
    ...OF_INSTALLATION,
  }),
  maintenanceJobs: gauge(DUTY_APPS, 'maintenance_queue_jobs', 'Jobs of the queue of background work, by state.', {
    labels: ['state'],
    ...OF_INSTALLATION,
  }),
  triggerLag: gauge(
    DUTY_APPS,
    'trigger_lag_seconds',
    'How long the poll or the schedule that is due longest has been due; 0 when none is.',
    { labels: ['kind'], ...OF_INSTALLATION },
  ),
  eventLag: gauge(
    DUTY_APPS,
    'event_delivery_lag_seconds',
    'How long the event delivery that is due longest has been due; 0 when none is.',
    OF_INSTALLATION,
  ),
};

const runs = {
  runClaim: histogram(
    WORKER,
    'run_claim_seconds',
    'How long runs waited, from their acceptance until a worker first claims them.',
  ),
  runDuration: histogram(
    WORKER,
    'run_duration_seconds',
    'From the start of a run to its end, its pauses included, for runs that a worker ended.',
  ),
  runsEnded: counter(DUTY_APPS, 'runs_ended_total', 'Runs that ended, by their final status.', { labels: ['status'] }),
  steps: counter(WORKER, 'steps_total', 'Records of executed steps, by type and status.', {
    labels: ['type', 'status'],
  }),
  runsExecuting: gauge(WORKER, 'runs_executing', 'Runs that hold a slot of this worker.'),
  runSlots: gauge(WORKER, 'run_slots', 'Runs that this worker executes at once.'),
  runsHeld: gauge(WORKER, 'runs_held', 'Runs in this worker without a slot, by why.', { labels: ['state'] }),
  leasesLost: counter(WORKER, 'leases_lost_total', 'Claims of runs that this worker lost while it executed them.'),
  attemptsFailed: counter(
    WORKER,
    'run_attempts_failed_total',
    'Attempts to execute a run that failed because of the service itself.',
  ),
};

const sandbox = {
  sandboxSteps: counter(WORKER, 'sandbox_steps_total', 'Programs of guests that ended in the sandbox.'),
  sandboxFailures: counter(WORKER, 'sandbox_failures_total', 'Programs of guests that failed, by kind.', {
    labels: ['kind'],
  }),
  sandboxThreadsEnded: counter(
    WORKER,
    'sandbox_threads_ended_total',
    'Threads that were ended because their guest could not be interrupted (killed), or that died (crashed).',
    { labels: ['reason'] },
  ),
  sandboxDrops: counter(WORKER, 'sandbox_isolates_dropped_total', 'Isolates that were dropped, not reset, by reason.', {
    labels: ['reason'],
  }),
  sandboxAudits: counter(WORKER, 'sandbox_audits_total', 'Isolates whose whole memory was compared with its image.'),
  sandboxAuditDifferences: counter(
    WORKER,
    'sandbox_audit_differences_total',
    'Audits that found memory which the reset had not put back.',
  ),
  sandboxBegunAgain: counter(WORKER, 'sandbox_steps_begun_again_total', 'Steps that were begun again, by reason.', {
    labels: ['reason'],
  }),
  sandboxTasks: gauge(WORKER, 'sandbox_tasks', 'Tasks in the sandbox, by state.', { labels: ['state'] }),
  sandboxThreads: gauge(WORKER, 'sandbox_threads_occupied', 'Threads in a long step (busy), and extra ones (extra).', {
    labels: ['kind'],
  }),
};

const background = {
  leader: gauge(DUTY_APPS, 'leader', '1 in the process that performs the periodic duties.'),
  dutyTurns: counter(DUTY_APPS, 'duty_turns_total', 'Turns of the periodic duties, by duty and result.', {
    labels: ['duty', 'result'],
  }),
  runsRescued: counter(DUTY_APPS, 'runs_rescued_total', 'Unfinished runs without a job that were enqueued again.'),
  polls: counter(WORKER, 'polls_total', 'Polls that ended, by result.', { labels: ['result'] }),
  eventDeliveries: counter(WORKER, 'event_delivery_attempts_total', 'Attempts to deliver an event, by result.', {
    labels: ['result'],
  }),
  jobsGivenUp: counter(WORKER, 'jobs_given_up_total', 'Jobs that used up their attempts in this worker, by queue.', {
    labels: ['queue'],
  }),
  jobsFailed: counter(WORKER, 'maintenance_jobs_failed_total', 'Jobs of background work that failed, by kind.', {
    labels: ['kind'],
  }),
};

const resources = {
  outboundCalls: counter(DUTY_APPS, 'outbound_calls_total', 'Calls to servers outside, by result.', {
    labels: ['result'],
  }),
  outboundDuration: histogram(
    DUTY_APPS,
    'outbound_call_seconds',
    'From the first byte of a call to the last byte of its answer.',
  ),
  outboundWaiting: gauge(DUTY_APPS, 'outbound_calls_waiting', 'Calls that wait for their turn.'),
  connections: gauge(EVERY_APP, 'database_connections', 'Connections of a pool to PostgreSQL, by state.', {
    labels: ['pool', 'state'],
  }),
  connectionsMost: gauge(EVERY_APP, 'database_connections_max', 'How many connections a pool opens at most.', {
    labels: ['pool'],
  }),
  connectionsAwaited: gauge(EVERY_APP, 'database_connections_awaited', 'Callers that wait for a connection.', {
    labels: ['pool'],
  }),
  readingsFailed: counter(
    EVERY_APP,
    'metrics_failed_total',
    'Readings of metrics that failed, which were left out of an answer.',
  ),
  buildInfo: gauge(EVERY_APP, 'build_info', '1, with the version of the app.', { labels: ['app', 'version'] }),
};

/** All metrics, by the names that the code uses. */
export const METRICS = { ...webhooks, ...backlog, ...runs, ...sandbox, ...background, ...resources };
