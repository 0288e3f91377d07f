import type { Kind } from './tenant';

// Which ids the parameters and members of requests take. A name that nobody has listed fails the suite.

export const PLACES_OF_IDS = /^ids?$|[a-z]Ids?$|-ids?$/;

const OF_NAME: Readonly<Record<string, Kind | null>> = {
  projectId: 'project',
  flowId: 'flow',
  flowIds: 'flow',
  scopeId: 'flow',
  versionId: 'version',
  from: 'version',
  to: 'version',
  folderId: 'folder',
  templateId: 'template',
  otherId: 'run',
  requestId: 'request',
  'svc-parent-run-id': 'waitingRun',
  flowRunIds: 'run',
  parentRunId: 'run',
  retryOfRunId: 'run',
  fromRunId: 'run',
  excludeFlowRunIds: 'run',
  ids: 'file',
  deliveryId: 'delivery',
  userId: 'user',
  madeByKeyId: 'key',
  // The owner must be a member of the flow's own project, or an administrator.
  ownerId: 'user',
  // What an event of the audit log is about, which may not exist any more.
  targetId: 'flow',
  // A flow that was given none has its id.
  externalId: 'flow',
  externalIds: 'flow',
  // A job belongs to no project: it may carry runs of several.
  jobId: null,
  // What a provider has given to a client.
  clientId: null,
  // Names that projects choose, names of pieces, and paths of steps, which count within the run before them.
  path: null,
  agentExternalIds: null,
  connectionExternalIds: null,
  name: null,
};

const OF_PATH: Readonly<Record<string, Kind>> = {
  flows: 'flow',
  'flow-runs': 'run',
  folders: 'folder',
  templates: 'template',
  connections: 'connection',
  'paced-retries': 'pacedRetry',
  'event-destinations': 'destination',
  files: 'file',
  projects: 'project',
  'api-keys': 'key',
  'project-members': 'member',
  'user-invitations': 'invitation',
  users: 'user',
};

/** Returns null for a name that names nothing of a project. */
export function kindOf(name: string, path: string, isInPath: boolean): Kind | null {
  const resource = path.split('/')[3] ?? '';
  if (name === 'id' && path.includes('{requestId}')) return 'waitingRun';
  if (resource === 'connections' && /^externalIds?$/.test(name)) return null;
  // In a body it is the id that an event, a note or a template has from its sender.
  if (name === 'id') return isInPath ? known(OF_PATH[resource], name, path) : null;
  const kind = OF_NAME[name];
  return kind === null ? null : known(kind, name, path);
}

function known(kind: Kind | undefined, name: string, path: string): Kind {
  if (kind === undefined) throw new Error(`Say in id-kinds.ts what "${name}" of ${path} names.`);
  return kind;
}
