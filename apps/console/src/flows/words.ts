export const words = {
  flows: 'Flows',
  searchFlows: 'Search flows',
  status: 'Status',
  anyStatus: 'Any status',
  enabled: 'Enabled',
  disabled: 'Disabled',
  draft: 'Draft',
  name: 'Name',
  lastRun: 'Last run',
  day: '24 h',
  neverRan: 'never ran',
  runsOfDay: (runs: number, failed: number) =>
    failed > 0 ? `${bounded(runs)}, ${bounded(failed)} failed` : bounded(runs),
  changed: 'Changed',
  noFlows: 'There is no flow yet.',
  noneMatch: 'No flow matches.',
  showAll: 'Show all flows',
  loading: 'Loading flows…',
  newer: 'First page',
  older: 'Next page',
  newFlow: 'New flow',
  nameOfFlow: 'Name of the flow',
  createFlow: 'Create flow',
  cancel: 'Cancel',
  close: 'Close',
  actions: 'Actions',
  actionsOf: (name: string) => `Actions of ${name}`,
  enable: 'Enable',
  publishAndEnable: 'Publish and enable',
  disable: 'Disable',
  delete: 'Delete…',
  deleteNow: 'Delete flow',
  deleteFlow: (name: string) => `Delete ${name}?`,
  deleteSays: 'The flow is deleted with all its versions. Its runs stay.',
  deleteEnabledSays:
    'The flow is enabled. It stops starting runs, and is deleted with all its versions. Its runs stay.',
  notDone: 'This was not done',
};

/** Runs beyond this number are not counted. */
const MOST_COUNTED = 100;

const bounded = (count: number): string => (count < MOST_COUNTED ? String(count) : `${MOST_COUNTED}+`);
