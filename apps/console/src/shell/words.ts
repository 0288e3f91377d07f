export const words = {
  skip: 'Skip to content',
  main: 'Main',
  flows: 'Flows',
  failures: 'Failures',
  approvals: 'Approvals',
  apiKeys: 'API keys',
  runs: 'Runs',
  project: 'Project',
  account: 'Account',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  documentation: 'API documentation',
  signOut: 'Sign out',
  close: 'Close',
  starting: 'Millrace is loading…',
  notFound: 'Not found',
  nothingHere: 'There is no page at this address. The link may be incomplete, or what it showed was deleted.',
  toFlows: 'Go to your flows',
  failed: 'Something went wrong',
  reload: 'Reload the page',
};

/** The title of the browser's tab. */
export const titleOf = (page: string): string => `${page} · Millrace`;
