import { randomBytes, randomUUID } from 'node:crypto';
import { ServiceClient, type ServiceUnderTest } from '@millrace/e2e-support';
import type { MalformedCase } from './case-file';
import { listenAsCanary, type Canary } from './canary';
import { ECHO_CODE, webhookWithApproval, webhookWithCode } from './flow-definitions';
import { completedJob, installation, purge, type Installation } from './installation';
import type { Placeholders } from './rendered-request';
import { SIGNED_TRIGGER } from './signatures';
import { badTokens, resigned, tokenWithKeyUrl } from './tokens';

// The data that the cases use: two tenants, each with a project, a key, flows and runs, and the things that only an
// attacker makes.

export interface World {
  baseUrl: string;
  installation: Installation;
  canary: Canary;
  admin: ServiceClient;
  owner: ServiceClient;
  other: Tenant;
  values: Placeholders;
  /** A key of the same tenant that may only read. */
  viewerApiKey: string;
  /** Another key changes `flow_touched_by_user2_id`, which keeps the owner from changing it for a minute. */
  touchFlow: () => Promise<unknown>;
  /** The id of a flow like `webhook_flow_id`, which only the slow senders call. */
  quietFlowId: string;
  /** The published version of `flow_id`, as exact text. */
  lockedVersion: string;
  /** A token that the test has signed, and that the service must accept. */
  goodToken: string;
}

/** The other tenant. Everything it has contains `word`, so that a leak is visible. */
export interface Tenant {
  word: string;
  projectId: string;
  client: ServiceClient;
}

const LOGIN_PATH = '/api/v1/authentication/sign-in';
const echo = webhookWithCode('echo', ECHO_CODE, { stepInput: { body: '{{trigger.body}}' } });
const throwing = webhookWithCode('fails', "export const code = async () => {\n  throw new Error('broken');\n};");

export async function makeWorld(service: ServiceUnderTest, dataDir: string): Promise<World> {
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  const canary = await listenAsCanary();
  const owned = await ownedThings(admin);
  const [other, foreign] = await otherTenant(admin);
  const { secrets, ...rest } = installation(dataDir);
  await purge(rest.databaseUrl, owned.values.get('purged_run_id') ?? '');
  const jobId = await completedJob(rest.databaseUrl);
  const {
    token,
    refreshToken,
    id: adminUserId,
  } = await admin
    .withToken(null)
    .must<{ token: string; refreshToken: string; id: string }>('POST', '/authentication/sign-in', {
      email: service.adminEmail,
      password: service.adminPassword,
    });
  const keyUrl = `http://127.0.0.1:${canary.port}/jwks`;
  const values = new Map<string, string>([
    ...owned.values,
    ...foreign,
    ['other_user_id', adminUserId],
    ['refresh_token', refreshToken],
    ['login_path', LOGIN_PATH],
    ['job_id', jobId],
    ['completed_job_id', jobId],
    ['canary_port', String(canary.port)],
    ['worker_token', secrets.workerToken],
    ...badTokens(token, secrets.jwtSecret, owned.values.get('run_id') ?? ''),
    ['jwt_jku_http://127.0.0.1:canary/jwks', tokenWithKeyUrl(token, secrets.jwtSecret, keyUrl)],
  ]);
  return {
    baseUrl: service.baseUrl,
    installation: { secrets, ...rest },
    canary,
    admin,
    owner: owned.client,
    other,
    values,
    viewerApiKey: owned.viewerApiKey,
    touchFlow: owned.touchFlow,
    quietFlowId: owned.quietFlowId,
    lockedVersion: await readVersion(owned.client, owned.values),
    goodToken: resigned(token, secrets.jwtSecret),
  };
}

/** Reads the locked version of `flow_id` as exact text. */
export async function readVersion(client: ServiceClient, values: Placeholders): Promise<string> {
  const path = `/flows/${values.get('flow_id')}?versionId=${values.get('locked_version_id')}`;
  return JSON.stringify((await client.must<{ version: unknown }>('GET', path)).version);
}

/** Returns the credential of a case; null when the case has its own or needs none. */
export function authorizationOf({ auth }: MalformedCase, world: World, service: ServiceUnderTest): string | null {
  if (auth === 'none') return null;
  if (auth === 'platform-admin') return service.adminApiKey;
  return auth === 'viewer' ? world.viewerApiKey : (world.values.get('api_key') ?? null);
}

interface Owned {
  client: ServiceClient;
  viewerApiKey: string;
  touchFlow: () => Promise<unknown>;
  quietFlowId: string;
  values: Map<string, string>;
}

async function ownedThings(admin: ServiceClient): Promise<Owned> {
  const projectId = await admin.createProject('Tenant A');
  const key = await makeKey(admin, projectId);
  const client = admin.withToken(key.value);
  const revoked = await makeKey(admin, projectId);
  await admin.must('DELETE', `/api-keys/${revoked.id}`);

  const flow = await client.publishFlow(projectId, 'Flow', echo);
  const webhookFlow = await client.publishFlow(projectId, 'Webhook', echo);
  const quiet = await client.publishFlow(projectId, 'Quiet', echo);
  const signed = await client.publishFlow(
    projectId,
    'Signed',
    webhookWithCode('echo', ECHO_CODE, { triggerInput: SIGNED_TRIGGER }),
  );
  const deleted = await client.publishFlow(projectId, 'Deleted', echo);
  const runOfDeleted = await runOf(client, deleted.id);
  await client.must('DELETE', `/flows/${deleted.id}`);
  const disabled = await client.publishFlow(projectId, 'Disabled', echo);
  await client.must('POST', `/flows/${disabled.id}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
  const failing = await client.publishFlow(projectId, 'Failing', throwing);
  const another = admin.withToken((await makeKey(admin, projectId)).value);
  const touched = await another.createFlow(projectId, 'Touched by another');
  const touch = { type: 'CHANGE_NAME', request: { displayName: 'Touched again' } };

  return {
    client,
    viewerApiKey: (await makeKey(admin, projectId, 'VIEWER')).value,
    touchFlow: () => another.must('POST', `/flows/${touched.id}`, touch),
    quietFlowId: quiet.id,
    values: new Map([
      ['project_id', projectId],
      ['api_key', key.value],
      ['api_key_first_half', key.value.slice(0, key.value.length / 2)],
      ['revoked_api_key', revoked.value],
      ['flow_id', flow.id],
      ['locked_version_id', flow.publishedVersionId ?? ''],
      ['webhook_flow_id', webhookFlow.id],
      ['signed_flow_id', signed.id],
      ['disabled_flow_id', disabled.id],
      ['deleted_flow_id', deleted.id],
      ['empty_flow_id', (await client.createFlow(projectId, 'Empty')).id],
      ['flow_touched_by_user2_id', touched.id],
      ['run_id', await runOf(client, webhookFlow.id)],
      ['failed_run_id', await runOf(client, failing.id)],
      ['run_of_deleted_flow_id', runOfDeleted],
      ['purged_run_id', await runOf(client, failing.id)],
      ...(await requestsOf(client, projectId)),
    ]),
  };
}

/** Makes runs that ask a person: two that wait, and one that was answered. */
async function requestsOf(client: ServiceClient, projectId: string): Promise<[string, string][]> {
  const { id: flowId } = await client.publishFlow(projectId, 'Approval', webhookWithApproval());
  const [paused, other, resumed] = [
    await waitingRun(client, flowId),
    await waitingRun(client, flowId),
    await waitingRun(client, flowId),
  ];
  await client.must('POST', `/flow-runs/${resumed.id}/requests/${resumed.requestId}/sync`, { approved: true });
  await client.endedRun(resumed.id);
  return [
    ['paused_run_id', paused.id],
    ['request_id', paused.requestId],
    ['request_id_of_other_run', other.requestId],
    ['resumed_run_id', resumed.id],
    ['used_request_id', resumed.requestId],
  ];
}

async function otherTenant(admin: ServiceClient): Promise<[Tenant, Map<string, string>]> {
  const word = `secretOfB${randomBytes(8).toString('hex')}`;
  const projectId = await admin.createProject(`Project ${word}`);
  const { value } = await makeKey(admin, projectId);
  const client = admin.withToken(value);
  const named = webhookWithCode(word, ECHO_CODE, { stepInput: { word } });
  const flow = await client.publishFlow(projectId, `Flow ${word}`, named);
  await runOf(client, flow.id);
  const approval = await client.publishFlow(projectId, `Approval ${word}`, webhookWithApproval());
  // This run waits, so the suite would notice a request that ends it.
  const waiting = await waitingRun(client, approval.id);
  const page = await client.must<{ next: string }>('GET', `/flow-runs?projectId=${projectId}&limit=1`);
  const folder = await client.must<{ id: string }>('POST', '/folders', { projectId, displayName: `Folder ${word}` });
  const template = await client.must<{ id: string }>('POST', '/templates', {
    projectId,
    name: `Template ${word}`,
    description: word,
    template: { displayName: word, trigger: named, schemaVersion: '20', notes: [] },
  });
  return [
    { word, projectId, client },
    new Map([
      ['other_project_id', projectId],
      ['other_api_key', value],
      ['other_flow_id', flow.id],
      ['other_external_id', flow.id],
      ['other_version_id', flow.version.id],
      ['other_run_id', waiting.id],
      ['other_cursor', page.next],
      ['other_folder_id', folder.id],
      ['other_template_id', template.id],
    ]),
  ];
}

const makeKey = (admin: ServiceClient, projectId: string, role?: string): Promise<{ id: string; value: string }> =>
  admin.must('POST', '/api-keys', { displayName: `Key ${randomUUID()}`, projectId, role });

async function runOf(client: ServiceClient, flowId: string): Promise<string> {
  const { body } = await client.sendWebhook(flowId, { hello: 'world' });
  return (await client.endedRun(body.id)).id;
}

const waitingRun = async (client: ServiceClient, flowId: string) =>
  client.pausedRun((await client.sendWebhook(flowId, {})).body.id);

/** Reads everything that the other tenant owns. It must be the same after every case. */
export async function snapshotOf({ client, projectId }: Tenant): Promise<unknown> {
  const [flows, runs, folders, templates] = await Promise.all(
    ['flows', 'flow-runs', 'folders', 'templates'].map((list) =>
      client.must<{ data: { id: string }[] }>('GET', `/${list}?projectId=${projectId}&limit=100`),
    ),
  );
  const whole = await Promise.all((flows?.data ?? []).map(({ id }) => client.must('GET', `/flows/${id}`)));
  return { flows: whole, runs, folders, templates };
}
