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
  ids: 'Run ids',
  archived: 'Archived runs too',
  clear: 'Clear filters',
  countOf: (status: string, count: number) => `${status} ${number.format(count)}`,
  live: 'Live',
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
  showAll: 'Show all runs',
  newest: 'First page',
  newer: 'Newer',
  older: 'Older',
};

/** Windows of time that the list can be narrowed to. */
export const WINDOWS: readonly { label: string; minutes: number }[] = [
  { label: 'Last 15 minutes', minutes: 15 },
  { label: 'Last hour', minutes: 60 },
  { label: 'Last 24 hours', minutes: 24 * 60 },
  { label: 'Last 7 days', minutes: 7 * 24 * 60 },
  { label: 'Last 30 days', minutes: 30 * 24 * 60 },
];
