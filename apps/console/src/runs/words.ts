import { durationWords, exactTime } from '../controls/time-words';
import type { ChartSummary } from './run-chart-bars';

const number = new Intl.NumberFormat('en');
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

export const words = {
  runs: 'Runs',
  filters: 'Filters',
  flow: 'Flow',
  anyFlow: 'Any flow',
  otherFlow: 'Another flow',
  since: 'Since',
  anyTime: 'Any time',
  sinceMoment: (moment: string) => `Since ${moment}`,
  environment: 'Environment',
  anyEnvironment: 'Any environment',
  environments: { PRODUCTION: 'Production', TESTING: 'Testing' },
  more: 'More filters',
  tags: 'Tags',
  failedStep: 'Failed step',
  fingerprint: 'Fingerprint of the failure',
  ids: 'Run ids',
  startedByRun: 'Started by run',
  retriesOfRun: 'Retries of run',
  waitingOn: 'Paused for',
  anything: 'Anything',
  waits: { human: 'A person', timer: 'A moment', child: 'A run that it started' },
  archived: 'Archived runs too',
  clear: 'Clear filters',
  views: 'Saved views',
  saveView: 'Save view…',
  nameView: 'Save this view',
  viewName: 'Name',
  viewText: 'The filters are kept in this browser. A time is kept as how long ago it is.',
  keepView: 'Save view',
  forgetView: 'Forget this view',
  countOf: (status: string, count: number) => `${status} ${number.format(count)}`,
  chart: ({ from, to, widthMs, runs, failed, worst, isEstimate }: ChartSummary) =>
    `${isEstimate ? 'About ' : ''}${plural(runs, 'run', 'runs')} from ${exactTime(from)} to ${exactTime(to)}, ` +
    `${number.format(failed)} of them failed` +
    (worst ? `; most failed within ${durationWords(widthMs)} from ${exactTime(worst.start)}: ` : '') +
    (worst ? `${number.format(worst.failed)}.` : '.'),
  bar: (start: string, runs: number, failed: number, isEstimate: boolean) =>
    `${exactTime(start)}: ${isEstimate ? 'about ' : ''}${plural(runs, 'run', 'runs')}, ${number.format(failed)} failed`,
  estimate: 'Estimated: there are too many runs to count each for the chart.',
  live: 'Live',
  heard: 'Changes are shown as they happen.',
  asked: 'Without a connection for live updates, this page asks every few seconds.',
  still: 'The page stays as it is.',
  newRuns: (count: number, isAtLeast: boolean) =>
    `${plural(count, 'new run', 'new runs')}${isAtLeast ? ' or more' : ''} — show`,
  status: 'Status',
  trigger: 'Trigger',
  started: 'Started',
  duration: 'Duration',
  steps: 'Steps',
  notStarted: 'not yet',
  stepsOf: (count: number) => plural(count, 'step', 'steps'),
  archivedRun: 'archived',
  loading: 'Loading runs…',
  none: 'There is no run yet. Runs appear here as soon as a flow is triggered.',
  noneMatch: 'No run matches.',
  toFlows: 'Go to your flows',
  showAll: 'Show all runs',
  newest: 'First page',
  newer: 'Newer',
  older: 'Older',
  selectPage: 'Select all runs on this page',
  selectRun: (status: string, flow: string, started: string) => `${status}, ${flow}, ${started}: select`,
  selected: (count: number) => plural(count, 'run selected', 'runs selected'),
  allSelected: (count: number) => `All ${plural(count, 'run', 'runs')} that match`,
  selectAll: (count: number) => `Select all ${number.format(count)} that match`,
  unselect: 'Unselect',
  selection: 'Selected runs',
  counting: 'Counting runs…',
  close: 'Close',
  strategy: 'Where to begin',
  strategies: {
    FROM_FAILED_STEP: 'At the failed step, with the results before it',
    ON_LATEST_VERSION: 'At the trigger, on the published version',
  },
};

/** What is said of an action on many runs: before it, on its button and after it. */
export const bulkWords = {
  retry: {
    open: 'Retry…',
    title: 'Retry runs',
    plan: (count: number) =>
      count === 0
        ? 'None of these runs can be retried: they have not ended, or what they did is no longer kept.'
        : `${plural(count, 'run', 'runs')} will be retried, each as a new run. Steps that run again have their effects again.`,
    act: (count: number) => `Retry ${plural(count, 'run', 'runs')}`,
    done: (count: number) => `${plural(count, 'new run was', 'new runs were')} started.`,
  },
  cancel: {
    open: 'Cancel…',
    title: 'Cancel runs',
    plan: (count: number) =>
      count === 0
        ? 'None of these runs can be cancelled: all have ended.'
        : `${plural(count, 'run', 'runs')} will stop at once, and so will the runs that they started. Steps that have ended are not undone.`,
    act: (count: number) => `Cancel ${plural(count, 'run', 'runs')}`,
    done: (count: number) => `${plural(count, 'run was', 'runs were')} stopped.`,
  },
  archive: {
    open: 'Archive…',
    title: 'Archive runs',
    plan: (count: number) =>
      count === 0
        ? 'None of these runs can be archived: they have not ended, or are archived already.'
        : `${plural(count, 'run', 'runs')} will leave the list. “Archived runs too” shows them again.`,
    act: (count: number) => `Archive ${plural(count, 'run', 'runs')}`,
    done: (count: number) => `${plural(count, 'run was', 'runs were')} archived.`,
  },
};

/** Windows of time that the list can be narrowed to. */
export const WINDOWS: readonly { label: string; minutes: number }[] = [
  { label: 'Last 15 minutes', minutes: 15 },
  { label: 'Last hour', minutes: 60 },
  { label: 'Last 24 hours', minutes: 24 * 60 },
  { label: 'Last 7 days', minutes: 7 * 24 * 60 },
  { label: 'Last 30 days', minutes: 30 * 24 * 60 },
];
