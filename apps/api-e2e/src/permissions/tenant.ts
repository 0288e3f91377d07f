import { randomUUID } from 'node:crypto';
import { grants, PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ServiceClient } from '@millrace/e2e-support';
import { ECHO_CODE, webhookWithApproval, webhookWithCode } from '../malformed/flow-definitions';

/** What an id can name. */
export type Kind =
  | 'project'
  | 'flow'
  | 'version'
  | 'run'
  | 'waitingRun'
  | 'request'
  | 'folder'
  | 'template'
  | 'connection'
  | 'pacedRetry'
  | 'destination'
  | 'delivery'
  | 'file'
  | 'key'
  | 'user'
  | 'member'
  | 'invitation';

/** A project with one thing of each kind, and a caller for each role. */
export interface Tenant {
  ids: Readonly<Record<Kind, string>>;
  callers: Readonly<Record<ProjectRole, ServiceClient>>;
  /** A flow with a note for each role, which nobody else edits. Roles that may write none have one that was made for them. */
  flowOf: Readonly<Record<ProjectRole, string>>;
}

interface Made {
  id: string;
}

export async function makeTenant(admin: ServiceClient, word: string): Promise<Tenant> {
  const projectId = await admin.createProject(`Tenant ${word}`);
  const make = async (path: string, body: object) => (await admin.must<Made>('POST', path, body)).id;
  const template = { displayName: word, trigger: webhookWithCode(word, ECHO_CODE), schemaVersion: '20', notes: [] };
  const names = { firstName: word, lastName: 'Test' };
  const email = `${word}-${randomUUID()}@millrace.test`;
  const user = await make('/users', { email, password: 'correct horse battery', ...names });
  const callers = await callersOf(admin, projectId);
  return {
    callers,
    flowOf: await flowsOf(admin, callers, projectId),
    ids: {
      project: projectId,
      ...(await flowWithRun(admin, projectId, word)),
      ...(await waitingRun(admin, projectId, word)),
      pacedRetry: await pacedRetry(admin, projectId),
      ...(await destinationWithDelivery(admin, projectId, word)),
      folder: await make('/folders', { projectId, displayName: word }),
      template: await make('/templates', { projectId, name: word, description: word, template }),
      connection: await make('/connections', { ...CONNECTION, projectId }),
      file: await make(`/files?projectId=${projectId}&name=${word}`, { word }),
      key: await make('/api-keys', { displayName: word, projectId, role: 'VIEWER' }),
      user,
      member: await make('/project-members', { projectId, userId: user, role: 'EDITOR' }),
      invitation: await make('/user-invitations', { projectId, email, role: 'VIEWER' }),
    },
  };
}

async function callersOf(admin: ServiceClient, projectId: string): Promise<Tenant['callers']> {
  const keys = PROJECT_ROLES.map(async (role) => {
    const key = await admin.must<{ value: string }>('POST', '/api-keys', { displayName: role, projectId, role });
    return [role, admin.withToken(key.value)] as const;
  });
  return Object.fromEntries(await Promise.all(keys)) as Tenant['callers'];
}

/** The note that the examples of the document change. */
const NOTE_ID = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c11';

async function flowsOf(admin: ServiceClient, callers: Tenant['callers'], projectId: string): Promise<Tenant['flowOf']> {
  const flows = PROJECT_ROLES.map(async (role) => {
    const maker = grants(role, 'WRITE_FLOW') ? callers[role] : admin;
    const { id } = await maker.createFlow(projectId, `Edited by ${role}`);
    await maker.must('POST', `/flows/${id}`, { type: 'ADD_NOTE', request: { id: NOTE_ID, content: 'A note.' } });
    return [role, id] as const;
  });
  return Object.fromEntries(await Promise.all(flows)) as Tenant['flowOf'];
}

async function flowWithRun(admin: ServiceClient, projectId: string, word: string) {
  const flow = await admin.publishFlow(projectId, `Flow ${word}`, webhookWithCode('echo', ECHO_CODE));
  const { body: run } = await admin.sendWebhook(flow.id, { word });
  await admin.endedRun(run.id);
  return { flow: flow.id, version: flow.version.id, run: run.id };
}

async function waitingRun(admin: ServiceClient, projectId: string, word: string) {
  const flow = await admin.publishFlow(projectId, `Question ${word}`, webhookWithApproval());
  const { body } = await admin.sendWebhook(flow.id, { word });
  const { id, requestId } = await admin.pausedRun(body.id);
  return { waitingRun: id, request: requestId };
}

/** One that has nothing to do. */
async function pacedRetry(admin: ServiceClient, projectId: string): Promise<string> {
  const body = { projectId, strategy: 'ON_LATEST_VERSION', flowRunIds: [], ratePerSecond: 1 };
  return (await admin.must<{ pacedRetryId: string }>('POST', '/flow-runs/retry', body)).pacedRetryId;
}

async function destinationWithDelivery(admin: ServiceClient, projectId: string, word: string) {
  const body = { projectId, url: `https://${word}.test/events`, events: ['flow.deleted'] };
  const { id } = await admin.must<Made>('POST', '/event-destinations', body);
  await admin.must('DELETE', `/flows/${(await admin.createFlow(projectId, 'Gone')).id}`);
  const { data } = await admin.must<{ data: Made[] }>('GET', `/event-destinations/${id}/deliveries`);
  return { destination: id, delivery: data[0]?.id ?? '' };
}

const CONNECTION = {
  externalId: 'secret',
  displayName: 'Secret',
  type: 'SECRET_TEXT',
  value: { secret_text: 'not to be seen' },
};

/** Reads what a project has, to compare it later. */
export async function contentsOf(admin: ServiceClient, { ids }: Tenant): Promise<unknown> {
  const lists = [
    'flows',
    'flow-runs',
    'folders',
    'templates',
    'connections',
    'event-destinations',
    'api-keys',
    'project-members',
  ];
  const read = lists.map((list) =>
    admin.must<{ data: object[] }>('GET', `/${list}?projectId=${ids.project}&limit=100`),
  );
  const contents = (await Promise.all(read)).map(({ data }) => data.map(asItWasMade));
  return [await admin.must('GET', `/projects/${ids.project}`), contents];
}

/** The last use of a key, and whether events reach their destination, are noted later. */
const asItWasMade = ({ lastUsedAt: _used, failingSince: _failing, ...rest }: Noted): object => rest;

interface Noted {
  lastUsedAt?: unknown;
  failingSince?: unknown;
}
