import type { Schemas } from '../api/client';
import type { Tone } from '../controls/status';
import { durationWords, exactTime } from '../controls/time-words';

export type Run = Schemas['FlowRun'];
export type RunStatus = Run['status'];

export const RUN_STATUSES = [
  'SUCCEEDED',
  'FAILED',
  'RUNNING',
  'PAUSED',
  'STOPPED',
  'TIMEOUT',
  'QUOTA_EXCEEDED',
  'INTERNAL_ERROR',
] as const satisfies RunStatus[];

export const STATUS_WORDS: Record<RunStatus, string> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  RUNNING: 'Running',
  PAUSED: 'Paused',
  STOPPED: 'Stopped',
  TIMEOUT: 'Timed out',
  QUOTA_EXCEEDED: 'Quota exceeded',
  INTERNAL_ERROR: 'Internal error',
};

export const STATUS_TONES: Record<RunStatus, Tone> = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  RUNNING: 'runs',
  PAUSED: 'waits',
  STOPPED: 'idle',
  TIMEOUT: 'bad',
  QUOTA_EXCEEDED: 'bad',
  INTERNAL_ERROR: 'bad',
};

/** Whether a run may still change. */
export const isUnfinished = ({ status }: Pick<Run, 'status'>): boolean => status === 'RUNNING' || status === 'PAUSED';

/** How long a run has taken, with its pauses, in milliseconds; null before a worker has begun it. */
export function runDuration({ startTime, finishTime }: Pick<Run, 'startTime' | 'finishTime'>, now: number) {
  if (startTime === null) return null;
  return Math.max(0, (finishTime === null ? now : Date.parse(finishTime)) - Date.parse(startTime));
}

/** What an unfinished run waits for, and for how long already. */
export function waitWords({ kind, reason, since, until }: Schemas['WaitingOn'], now: number): string {
  const waited = durationWords(Math.max(0, now - Date.parse(since)));
  if (reason !== undefined) return `${reason} It has waited for ${waited}.`;
  if (kind === 'timer' && until !== undefined) return `waits until ${exactTime(until)}`;
  return `has waited ${waited} for ${AWAITED[kind]}`;
}

const AWAITED: Record<Schemas['WaitingOn']['kind'], string> = {
  worker: 'a worker',
  timer: 'its time',
  human: 'a person',
  child: 'a run that it started',
};

/** What a run waits for; undefined while a worker executes it. */
export function waitOf({ startTime, waitingOn }: Pick<Run, 'startTime' | 'waitingOn'>) {
  const isExecuted = startTime !== null && waitingOn?.kind === 'worker' && waitingOn.reason === undefined;
  return isExecuted ? undefined : waitingOn;
}

/** Why a run is as it is: the step that failed and its message, or what it waits for. Empty when all is well. */
export function reasonWords(
  run: Pick<Run, 'startTime' | 'failedStep' | 'statusReason' | 'waitingOn'>,
  now: number,
): string {
  if (run.failedStep) return `${run.failedStep.displayName}: ${run.failedStep.message}`;
  const wait = waitOf(run);
  if (wait) return waitWords(wait, now);
  return run.statusReason ?? '';
}

/** Who or what started a run, such as "webhook", "Ada Lovelace" or "API key". */
export function triggerWords({ triggeredBy, triggeredByName }: Pick<Run, 'triggeredBy' | 'triggeredByName'>): string {
  const [kind = ''] = triggeredBy.split(':');
  if (triggeredByName) return kind === 'api_key' ? `API key ${triggeredByName}` : triggeredByName;
  return TRIGGERS[kind] ?? (PERSON_ID.test(kind) ? 'person' : triggeredBy);
}

const TRIGGERS: Record<string, string> = {
  api_key: 'API key',
  app_webhook: 'app webhook',
  FROM_FAILED_STEP: 'retry',
  ON_LATEST_VERSION: 'retry on the latest version',
};

/** A person is named by nothing but an id. */
const PERSON_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
