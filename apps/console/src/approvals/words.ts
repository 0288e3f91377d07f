export const words = {
  approvals: 'Approvals',
  loading: 'Loading what waits…',
  none: 'Nothing waits for a person.',
  waitsSince: 'Waits since',
  approve: 'Approve',
  disapprove: 'Disapprove',
  open: 'Open run',
  later: 'First waits for something else.',
  notAllowed: 'Your role may not answer.',
  older: 'Next page',
  newest: 'First page',
  answered: (flow: string) => `“${flow}” goes on.`,
};
