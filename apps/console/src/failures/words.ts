import type { PacedRetry } from './paced-retries';

export const words = {
  failures: 'Failures',
  since: 'Since',
  lastHour: 'Last hour',
  lastDay: 'Last 24 hours',
  lastWeek: 'Last 7 days',
  lastMonth: 'Last 30 days',
  loading: 'Loading failures…',
  none: 'No run failed in this time.',
  allRuns: 'Look at all runs',
  summary: (groups: number, runs: number) => `${counted(groups, 'group')} · ${counted(runs, 'run')}`,
  firstSeen: 'first',
  lastSeen: 'last',
  noMessage: 'No message',
  openNewest: 'Open newest',
  tryOne: 'Try one',
  trying: 'Trying one…',
  tried: 'Tried one:',
  retryAll: (runs: number) => `Retry ${counted(runs, 'run')}…`,
  archiveAll: (runs: number) => `Archive ${counted(runs, 'run')}…`,
  retryTitle: 'Retry failed runs',
  archiveTitle: 'Archive failed runs',
  how: 'How',
  fromFailedStep: 'From the failed step, on the same version',
  onLatestVersion: 'From the start, on the published version',
  plan: (runs: number) => `${counted(runs, 'run')} will be retried. Steps from there on are executed again.`,
  archivePlan: (runs: number) => `${counted(runs, 'run')} will be archived: lists and counts leave them out.`,
  counting: 'Counting…',
  retry: (runs: number) => `Retry ${counted(runs, 'run')}`,
  archive: (runs: number) => `Archive ${counted(runs, 'run')}`,
  cancel: 'Cancel',
  perSecond: 'Retries a second',
  stopAfter: 'Stop after failures',
  never: 'never',
  progress: 'Retries started',
  progressOf,
  stopRetrying: 'Stop retrying',
  archived: (runs: number) => `${counted(runs, 'run')} archived.`,
};

type Progress = Pick<PacedRetry, 'status' | 'total' | 'started' | 'skipped' | 'succeeded' | 'failed'>;

/** How far a retry of many runs has come, and how it went. */
function progressOf({ status, total, started, skipped, succeeded, failed }: Progress): string {
  const passedOver = skipped === 0 ? '' : `, ${number.format(skipped)} passed over`;
  const so = `${number.format(started)} of ${counted(total, 'run')} started${passedOver}`;
  const outcome = `${number.format(succeeded)} succeeded, ${number.format(failed)} failed`;
  switch (status) {
    case 'RUNNING':
      return `Retrying: ${so}; ${outcome}.`;
    case 'DONE':
      return `Retried: ${so}; ${outcome}.`;
    case 'STOPPED':
      return `Stopped after failures: ${so}; ${outcome}.`;
    case 'CANCELLED':
      return `Stopped by a person: ${so}; ${outcome}.`;
  }
}

const number = new Intl.NumberFormat('en');
const plural = new Intl.PluralRules('en');

function counted(count: number, noun: string): string {
  return `${number.format(count)} ${plural.select(count) === 'one' ? noun : `${noun}s`}`;
}
