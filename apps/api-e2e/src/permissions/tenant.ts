import { randomUUID } from 'node:crypto';
import { PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ServiceClient } from '@millrace/e2e-support';
import { ECHO_CODE, webhookWithCode } from '../malformed/flow-definitions';

/** What an id can name. */
export type Kind =
  | 'project'
  | 'flow'
  | 'version'
  | 'run'
  | 'folder'
  | 'template'
  | 'connection'
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
}

interface Made {
  id: string;
}

export async function makeTenant(admin: ServiceClient, word: string): Promise<Tenant> {
  const projectId = await admin.createProject(`Tenant ${word}`);
  const make = async (path: string, body: object) => (await admin.must<Made>('POST', path, body)).id;
  const flow = await admin.publishFlow(projectId, `Flow ${word}`, webhookWithCode('echo', ECHO_CODE));
  const destination = await make('/event-destinations', {
    projectId,
    url: `https://${word}.test/events`,
    events: ['flow.deleted'],
  });
  await admin.request('POST', `/event-destinations/${destination}/test`);
  const deliveries = await admin.must<{ data: Made[] }>('GET', `/event-destinations/${destination}/deliveries`);
  const { body: run } = await admin.sendWebhook(flow.id, { word });
  await admin.endedRun(run.id);
  const template = { displayName: word, trigger: webhookWithCode(word, ECHO_CODE), schemaVersion: '20', notes: [] };
  const user = await make('/users', {
    email: `${word}-${randomUUID()}@millrace.test`,
    password: 'correct horse battery',
    firstName: word,
    lastName: 'Test',
  });
  const keys = await Promise.all(
    PROJECT_ROLES.map(async (role) => {
      const key = await admin.must<{ value: string }>('POST', '/api-keys', { displayName: role, projectId, role });
      return [role, admin.withToken(key.value)] as const;
    }),
  );
  return {
    callers: Object.fromEntries(keys) as Record<ProjectRole, ServiceClient>,
    ids: {
      project: projectId,
      flow: flow.id,
      version: flow.version.id,
      run: run.id,
      folder: await make('/folders', { projectId, displayName: word }),
      template: await make('/templates', { projectId, name: word, description: word, template }),
      connection: await make('/connections', { ...CONNECTION, projectId }),
      destination,
      delivery: deliveries.data[0]?.id ?? randomUUID(),
      file: await make(`/files?projectId=${projectId}&name=${word}`, { word }),
      key: await make('/api-keys', { displayName: word, projectId, role: 'VIEWER' }),
      user,
      member: await make('/project-members', { projectId, userId: user, role: 'EDITOR' }),
      invitation: await make('/user-invitations', { projectId, email: `${word}@millrace.test`, role: 'VIEWER' }),
    },
  };
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
  const contents = (await Promise.all(read)).map(({ data }) => data.map(withoutLastUse));
  return [await admin.must('GET', `/projects/${ids.project}`), contents];
}

/** The last use of a key is noted later. */
const withoutLastUse = ({ lastUsedAt: _lastUsedAt, ...rest }: { lastUsedAt?: unknown }): object => rest;
