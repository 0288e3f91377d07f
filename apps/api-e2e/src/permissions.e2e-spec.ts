import { randomUUID } from 'node:crypto';
import { PERMISSIONS, PROJECT_ROLES } from '@millrace/domain';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import {
  documentRequests,
  operationsOf,
  rolesFor,
  type DocumentRequest,
  type PermissionsDocument,
} from './permissions/document-requests';
import { inParallel, send } from './permissions/send-request';
import { contentsOf, makeTenant, type Tenant } from './permissions/tenant';

/** The operations that need no credentials. Think twice before you add one. */
const PUBLIC = [
  /^POST \/api\/v1\/authentication\/(sign-up|sign-in|refresh|sign-out)$/,
  /^GET \/api\/v1\/installation$/,
  /^(GET|POST|PUT|PATCH|DELETE) \/api\/v1\/webhooks\/\{flowId\}/,
  /^(GET|POST) \/api\/v1\/forms\/\{flowId\}$/,
  /^(GET|POST) \/api\/v1\/flow-runs\/\{id\}\/requests\/\{requestId\}(\/sync)?$/,
  /^GET \/api\/v1\/openapi\.json$/,
  /^GET \/api\/v1\/health\/(live|ready)$/,
];

/** What only a user can do, or a key of the platform; and an answer that is no JSON. */
const NOT_TRIED = ['POST /api/v1/user-invitations/accept', 'POST /api/v1/projects', 'GET /api/v1/files/{id}'];

describe('what a caller may do', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  let document: PermissionsDocument;
  let requests: DocumentRequest[];
  let own: Tenant;
  let foreign: Tenant;

  beforeAll(async () => {
    document = (await (await fetch(`${service.baseUrl}/api/v1/openapi.json`)).json()) as PermissionsDocument;
    requests = documentRequests(document);
    [own, foreign] = await Promise.all([makeTenant(admin, 'own'), makeTenant(admin, 'foreign')]);
  });

  it('is named by every route, or the route is on the list of public ones', () => {
    const known: readonly string[] = [...PERMISSIONS, 'CREDENTIALS', 'ADMINISTER_PLATFORM'];
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

  it('leads to the same answer for the id of another tenant as for an unknown id, whatever the role', async () => {
    const before = await contentsOf(admin, foreign);
    const tries = requests.flatMap((request) =>
      request.places.flatMap((place) => PROJECT_ROLES.map((role) => ({ request, place, role }))),
    );
    const faults: string[] = [];
    await inParallel(tries, async ({ request, place, role }) => {
      const [theirs, none] = [foreign.ids[place.kind], randomUUID()];
      const answers = [];
      for (const id of [theirs, none]) answers.push(await send(own.callers[role], request, own.ids, { place, id }));
      const [ofForeign, ofUnknown] = answers.map(({ status, body }) =>
        status < 400 ? String(status) : JSON.stringify([status, body]).replaceAll(theirs, none),
      );
      if (ofForeign !== ofUnknown) faults.push(`${role} ${request.name} ${place.name}: ${ofForeign} ${ofUnknown}`);
    });
    expect(tries.length).toBeGreaterThan(300);
    expect(faults).toEqual([]);
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
