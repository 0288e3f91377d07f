import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { describedRequests, type DescribedRequest, type RequestsDocument } from './requests/described-request';
import { allowedValues, refusedValues } from './requests/sample-values';

// Compares what the document says about requests with what the parsers do. Each request has a member that does not
// exist, so that none has an effect.

const UNKNOWN = 'noSuchMember';
/** The parsers name at most 20 problems. */
const NAMES_PER_REQUEST = 15;

/** Requests whose parser takes any member, or is reached only by a valid link or by the worker token. */
const NOT_CLOSED = /\/requests\/\{requestId\}|GET \/api\/v1\/files\/\{id\} query|POST \/api\/v1\/worker-machines/;

/** Members that only make sense with others. */
const COMPANIONS: Readonly<Record<string, object>> = {
  'POST /api/v1/templates body versionId': { template: undefined, flowId: 'x' },
};

/** Members that are checked after the request was parsed, or of which one of several is needed. */
const CHECKED_LATER: ReadonlySet<string> = new Set([
  'POST /api/v1/files query name',
  'POST /api/v1/templates body template',
]);

describe('the description of requests', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let requests: DescribedRequest[];
  let flowId: string;

  beforeAll(async () => {
    const document = (await (await fetch(`${service.baseUrl}/api/v1/openapi.json`)).json()) as RequestsDocument;
    requests = describedRequests(document).filter(({ name }) => !NOT_CLOSED.test(name));
    flowId = (await client.createFlow(await client.createProject('Requests'), 'Described')).id;
  });

  /** Sends the values with the unknown member, and returns the members that the service finds wrong. */
  async function problemsOf(request: DescribedRequest, values: object): Promise<string[]> {
    const { method, place, type } = request;
    const all: Record<string, unknown> = { ...values, [UNKNOWN]: 'x' };
    const path = request.path.replace('/api/v1', '').replace(/\{\w+\}/g, flowId);
    const query = place === 'query' ? `?${queryText(all)}` : '';
    const body = { query: undefined, body: all, request: { type, request: all } }[place];
    const answer = await client.request<{ params?: { errors?: { path: string }[] } }>(method, path + query, body);
    if (answer.status !== 400) throw new Error(`${request.name} answered ${answer.status}, not 400.`);
    const paths = (answer.body.params?.errors ?? []).map((error) => error.path);
    return paths.map((problem) => problem.replace(place === 'request' ? '/request/' : '/', ''));
  }

  /** Collects what is wrong with each member, so that one failure shows all of it. */
  async function faultsOf(
    check: (request: DescribedRequest, member: string) => Promise<string | null>,
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const request of requests)
      for (const member of Object.keys(request.schema.properties)) {
        const fault = CHECKED_LATER.has(`${request.name} ${member}`) ? null : await check(request, member);
        if (fault !== null) faults.push(`${request.name} ${member}: ${fault}`);
      }
    return faults;
  }

  const valuesWith = (request: DescribedRequest, member: string, value: unknown): object => ({
    ...request.example,
    ...COMPANIONS[`${request.name} ${member}`],
    [member]: value,
  });

  it('covers the queries, the bodies and the flow operations', () => {
    const names = requests.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /api/v1/flows query',
        'POST /api/v1/connections body',
        'POST /api/v1/flows/{id}/test-run body',
        'ADD_BRANCH',
      ]),
    );
    expect(names.length).toBeGreaterThan(50);
  });

  it('names every member that a parser takes', async () => {
    const everyName = [...new Set(requests.flatMap(({ schema }) => Object.keys(schema.properties)))];
    const faults: string[] = [];
    for (const request of requests) {
      const others = everyName.filter((name) => !Object.hasOwn(request.schema.properties, name));
      for (let first = 0; first < others.length; first += NAMES_PER_REQUEST) {
        const names = others.slice(first, first + NAMES_PER_REQUEST);
        const values = Object.fromEntries(names.map((name) => [name, 'x']));
        const refused = new Set(await problemsOf(request, { ...request.example, ...values }));
        faults.push(
          ...[...names, UNKNOWN].filter((name) => !refused.has(name)).map((name) => `${request.name} ${name}`),
        );
      }
    }
    expect(faults).toEqual([]);
  });

  it('names no member that a parser refuses, and allows no value that it refuses', async () => {
    const faults = await faultsOf(async (request, member) => {
      for (const value of allowedValues(request.schema.properties[member] ?? {})) {
        const problems = await problemsOf(request, valuesWith(request, member, value));
        if (problems.includes(member)) return `does not take ${shown(value)}`;
      }
      return null;
    });
    expect(faults).toEqual([]);
  });

  it('has the bounds, values and types of the parsers', async () => {
    const faults = await faultsOf(async (request, member) => {
      for (const value of refusedValues(request.schema.properties[member] ?? {}, request.place)) {
        const problems = await problemsOf(request, valuesWith(request, member, value));
        if (!problems.some((problem) => problem.split('/')[0] === member)) return `takes ${shown(value)}`;
      }
      return null;
    });
    expect(faults).toEqual([]);
  });

  it('says which members may be left out', async () => {
    const faults = await faultsOf(async (request, member) => {
      if (request.schema.minProperties !== undefined) return null;
      const problems = await problemsOf(request, valuesWith(request, member, undefined));
      const isRequired = request.schema.required?.includes(member) ?? false;
      if (problems.includes(member) === isRequired) return null;
      return isRequired ? 'may be left out' : 'is required';
    });
    expect(faults).toEqual([]);
  });
});

function queryText(values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
  return new URLSearchParams(pairs).toString();
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
