export const words = {
  brand: 'Millrace',
  skip: 'Skip to content',
  main: 'Main',
  wide: 'Wide navigation',
  showNames: 'Show names in the navigation',
  hideNames: 'Show only icons in the navigation',
  goTo: 'Go to…',
  goToKey: 'Ctrl K',
  flows: 'Flows',
  failures: 'Failures',
  approvals: 'Approvals',
  connections: 'Connections',
  templates: 'Templates',
  pieces: 'Pieces',
  queues: 'Queues',
  settings: 'Settings',
  runs: 'Runs',
  project: 'Project',
  newFlow: 'New flow',
  newProject: 'New project',
  nameOfProject: 'Name of the project',
  createProject: 'Create project',
  noProject: 'No project',
  noProjectSays:
    'Flows, runs and connections belong to a project, and you have a role in none. Make one, or ask an administrator to invite you.',
  account: (person: string) => `Account: ${person}`,
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  useThemes: { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' },
  documentation: 'API documentation',
  signOut: 'Sign out',
  close: 'Close',
  starting: 'Millrace is loading…',
  notFound: 'Not found',
  missing: (thing: string) =>
    `There is no such ${thing}, or you may not see it. The link may be incomplete, or it was deleted:`,
  nothingHere: 'There is no page at this address. The link may be incomplete, or what it showed was deleted.',
  toFlows: 'Go to your flows',
  failed: 'Something went wrong',
};

/** Things with a page, by the names that the API has for them: what each is called, and the list it is in. */
export const MISSING = {
  flow: { word: 'flow', list: '/flows', back: 'Go to your flows' },
  flow_version: { word: 'version of a flow', list: '/flows', back: 'Go to your flows' },
  flow_run: { word: 'run', list: '/runs', back: 'Go to your runs' },
  connection: { word: 'connection', list: '/connections', back: 'Go to your connections' },
  template: { word: 'template', list: '/templates', back: 'Go to your templates' },
  piece: { word: 'piece', list: '/pieces', back: 'Go to the pieces' },
  project: { word: 'project', list: '/flows', back: 'Go to your flows' },
  event_destination: {
    word: 'event destination',
    list: '/settings/event-destinations',
    back: 'Go to your event destinations',
  },
};

export const isMissable = (type: unknown): type is keyof typeof MISSING =>
  typeof type === 'string' && Object.hasOwn(MISSING, type);

/** The title of the browser's tab. */
export const titleOf = (page: string): string => `${page} · Millrace`;
