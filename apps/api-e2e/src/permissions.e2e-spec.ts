import { randomBytes, randomUUID } from 'node:crypto';
import { PERMISSIONS, PROJECT_ROLES } from '@millrace/domain';
import { ServiceClient, serviceUnderTest, type Answer } from '@millrace/e2e-support';
import { documentIds } from './permissions/document-ids';
import {
  documentRequests,
  operationsOf,
  rolesFor,
  type DocumentRequest,
  type IdPlace,
  type PermissionsDocument,
} from './permissions/document-requests';
import { inParallel, send, type ErrorBody } from './permissions/send-request';
import { contentsOf, makeTenant, type Tenant } from './permissions/tenant';

/** The operations that need no credentials. Think twice before you add one. */
const PUBLIC = [
  /^POST \/api\/v1\/authentication\/(sign-up|sign-in|refresh|sign-out)$/,
  /^GET \/api\/v1\/installation$/,
  /^(GET|POST|PUT|PATCH|DELETE) \/api\/v1\/webhooks\/\{flowId\}/,
  /^(GET|POST) \/api\/v1\/app-events\/\{pieceName\}$/,
  /^(GET|POST) \/api\/v1\/forms\/\{flowId\}$/,
  /^(GET|POST) \/api\/v1\/flow-runs\/\{id\}\/requests\/\{requestId\}(\/sync)?$/,
  /^GET \/api\/v1\/openapi\.json$/,
  /^GET \/api\/v1\/health\/(live|ready|startup)$/,
];

/** Public, but the id of a request is the right to answer it, so nobody may find one. */
const ANSWERS_OF_PEOPLE = /^(GET|POST) \/api\/v1\/flow-runs\/\{id\}\/requests\/\{requestId\}(\/sync)?$/;

/** Ids that are not tried, because they name nothing of a project. Think twice before you add one. */
const NOT_OF_A_PROJECT: readonly RegExp[] = [
  // The addresses that anybody may call, and the name that a sender gives its event.
  /^(GET|POST|PUT|PATCH|DELETE) \/api\/v1\/webhooks\/\{flowId\}(\/[a-z/]+)? (path\.flowId|header\.webhook-id)$/,
  /^(GET|POST) \/api\/v1\/forms\/\{flowId\} path\.flowId$/,
  // A job carries runs of several projects; administrators of the platform learn its id from the queue's dashboard.
  /^POST \/api\/v1\/admin\/queue\/retry\/\{jobId\} path\.jobId$/,
  // A place within the run, whose id is tried.
  /^GET \/api\/v1\/flow-runs\/\{id\}\/steps\/\{path\} path\.path$/,
  // A worker's own id, which it makes up; only the worker token opens the route.
  /^POST \/api\/v1\/worker-machines body\.id$/,
  // The client that a provider knows; only administrators of the platform may name one.
  /^POST \/api\/v1\/oauth-apps body\.clientId$/,
  // The URL of an app, which anybody may call; its package verifies who did.
  /^(GET|POST) \/api\/v1\/app-events\/\{pieceName\} path\.pieceName$/,
  // Names of pieces and agents, and of connections: a project may only use its own, and names them as it likes.
  /^(GET|DELETE) \/api\/v1\/pieces\/\{name\} path\.name$/,
  /^GET \/api\/v1\/flows query\.(connection|agent)ExternalIds$/,
  /^(GET|POST) \/api\/v1\/connections (query\.externalIds|body\.externalId)$/,
  // The id of an event, which its sender chooses, and of a note, which belongs to the flow.
  /^POST \/api\/v1\/events body\.id$/,
  /^POST \/api\/v1\/flows\/\{id\} body\.request\.id$/,
  // Members of exports, which an import leaves out.
  /^POST \/api\/v1\/templates body\.id$/,
  /^POST \/api\/v1\/flows\/\{id\} body\.request\.(projectId|platformId|userId|flowId|agentIds|connectionIds)$/,
  /^POST \/api\/v1\/flows\/\{id\} body\.request\.(template|flows)\.(id|flowId|agentIds|connectionIds)$/,
];

/** What a refusal of 400 says when it is about the id. */
const NAMES_THE_ID = /The user .* has no role in the project|names no run of the flow’s project/;

/** What only a user can do, or a key of the platform; and an answer that is no JSON. */
const NOT_TRIED = ['POST /api/v1/user-invitations/accept', 'POST /api/v1/projects', 'GET /api/v1/files/{id}'];

describe('what a caller may do', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  let document: PermissionsDocument;
  let requests: DocumentRequest[];
  let answers: DocumentRequest[];
  let own: Tenant;
  let foreign: Tenant;

  beforeAll(async () => {
    document = (await (await fetch(`${service.baseUrl}/api/v1/openapi.json`)).json()) as PermissionsDocument;
    requests = documentRequests(document, (_, { security }) => security.length > 0);
    answers = documentRequests(document, (name) => ANSWERS_OF_PEOPLE.test(name));
    [own, foreign] = await Promise.all([makeTenant(admin, 'own'), makeTenant(admin, 'foreign')]);
  });

  it('is named by every route, or the route is on the list of public ones', () => {
    const known: readonly string[] = [...PERMISSIONS, 'CREDENTIALS', 'ADMINISTER_PLATFORM', 'WORKER_TOKEN'];
    const faults = operationsOf(document).filter(([name, operation]) => {
      const named = [operation['x-permission'] ?? []].flat();
      const isPublic = PUBLIC.some((pattern) => pattern.test(name));
      if (isPublic) return named.length > 0 || operation.security.length > 0;
      return named.length === 0 || !named.every((each) => known.includes(each)) || operation.security.length === 0;
    });
    expect(faults.map(([name]) => name)).toEqual([]);
  });

  it('is nothing without credentials', async () => {
    const faults: string[] = [];
    await inParallel(requests, async (request) => {
      const { status, body } = await send(admin.withToken(null), request, own.ids);
      if (status !== 401 || body?.code !== 'AUTHENTICATION') faults.push(`${request.name}: ${status} ${body?.code}`);
    });
    expect(faults).toEqual([]);
  });

  it('is tried with every id that a route takes', () => {
    const tried = new Set(
      [...requests, ...answers].flatMap(({ operation, places }) => places.map((place) => idOf(operation, place))),
    );
    const untried = documentIds(document).filter((id) => !tried.has(id));
    expect(untried.filter((id) => !NOT_OF_A_PROJECT.some((pattern) => pattern.test(id)))).toEqual([]);
    expect(NOT_OF_A_PROJECT.filter((pattern) => !untried.some((id) => pattern.test(id)))).toEqual([]);
  });

  it('leads to the same answer for the id of another tenant as for an unknown id, whatever the role', async () => {
    const before = await contentsOf(admin, foreign);
    const tries = [...requests, ...answers].flatMap((request) =>
      request.places.flatMap((place) => PROJECT_ROLES.map((role) => ({ request, place, role }))),
    );
    const faults: string[] = [];
    /** Requests that were refused before the id was read, so that they show nothing. */
    const unread: string[] = [];
    await inParallel(tries, async ({ request, place, role }) => {
      const theirs = foreign.ids[place.kind];
      const none = unknownLike(theirs);
      const answered = [];
      const ids = place.in === 'operation' ? { ...own.ids, flow: own.flowOf[role] } : own.ids;
      for (const id of [theirs, none]) answered.push(await send(own.callers[role], request, ids, { place, id }));
      const [ofForeign, ofUnknown] = answered.map((answer) => comparable(answer).replaceAll(theirs, none));
      const what = `${role} ${request.name} ${place.name}`;
      if (ofForeign !== ofUnknown) faults.push(`${what}: ${ofForeign} ${ofUnknown}`);
      const [{ status = 0 } = {}] = answered;
      const isRead = [200, 201, 204, 403, 404].includes(status) || NAMES_THE_ID.test(ofUnknown ?? '');
      if (role === 'ADMIN' && !isRead) unread.push(`${what}: ${ofUnknown}`);
    });
    expect(tries.length).toBeGreaterThan(500);
    expect({ faults, unread }).toEqual({ faults: [], unread: [] });
    expect(await contentsOf(admin, foreign)).toEqual(before);
  });

  it('is refused where the role lacks the permission', async () => {
    const faults: string[] = [];
    const tries = requests.flatMap((request) =>
      PROJECT_ROLES.filter((role) => !rolesFor(request).includes(role)).map((role) => ({ request, role })),
    );
    await inParallel(tries, async ({ request, role }) => {
      const { status, body } = await send(own.callers[role], request, own.ids);
      const isRefused = status === 403 && body?.code === 'PERMISSION_DENIED';
      if (!isRefused) faults.push(`${role} ${request.name}: ${status} ${JSON.stringify(body)}`);
    });
    expect(tries.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  it('is allowed where the role has the permission', async () => {
    const faults: string[] = [];
    const order = [/^GET/, /^POST/, /^DELETE (?!.*projects)/, /^DELETE .*projects/];
    for (const pattern of order) {
      const tries = requests
        .filter(({ name }) => pattern.test(name) && !NOT_TRIED.includes(name))
        .flatMap((request) => rolesFor(request).map((role) => ({ request, role })));
      await inParallel(tries, async ({ request, role }) => {
        const { status, body } = await send(own.callers[role], request, own.ids);
        const isKept = status === 401 || status === 403 || status >= 500;
        if (isKept) faults.push(`${role} ${request.name}: ${status} ${JSON.stringify(body)}`);
      });
    }
    expect(faults).toEqual([]);
  });
});

const idOf = (operation: string, { in: where, name }: IdPlace): string =>
  `${operation} ${where === 'operation' ? 'body.request' : where}.${name}`;

/** An id of the same form that names nothing. */
const unknownLike = (id: string): string =>
  id.length === 36 ? randomUUID() : randomBytes(32).toString('base64url').slice(0, id.length);

/** The status, and the whole body of a refusal; what succeeds makes new ids, so only its length counts. */
const comparable = ({ status, body }: Answer<ErrorBody | null>): string =>
  JSON.stringify(status < 400 ? [status, JSON.stringify(body).length] : [status, body]);
