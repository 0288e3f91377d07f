import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowTrigger } from '@millrace/domain';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import {
  ServiceClient,
  registryHas,
  serviceUnderTest,
  type Answer,
  aManifest,
  anArchive,
  aPackage,
  type ArchiveEntry,
} from '@millrace/e2e-support';
import { Client } from 'pg';
import { SUMS } from './packages/sums';

interface PieceAnswer {
  name: string;
  version: string;
  integrity: string;
  isNew: boolean;
  actions: Record<string, { displayName: string; props: Record<string, { kind: string; required: boolean }> }>;
}
interface Entries {
  data: { name: string; version: string; categories: string[]; installed: boolean }[];
  next: string | null;
}
interface Checked {
  version: { id: string; valid: boolean };
}

const SECRET = 'nobody-may-read-this-5d17';
const REDACTED = '**REDACTED**';
const MEGABYTE = 1024 * 1024;
/** Names are used once, because the content of a name and version is kept for ever. */
const MADE = Date.now();
const nameOf = (what: string) => `@e2e/piece-${what}-${MADE}`;
const pathOf = (name: string, version = '1.0.0') => `/pieces/${encodeURIComponent(name)}?version=${version}`;

const hashOf = (archive: Buffer) => createHash('sha512').update(archive);

describe('packages of pieces', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const { SVC_DATA_DIR: dataDir = '', SVC_DATABASE_URL: databaseUrl = '' } = service.stores();
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Packages');
  });

  const send = (archive: Buffer | undefined, by = client): Promise<Answer<PieceAnswer>> =>
    by.request('POST', '/pieces/archives', archive ?? '', { 'content-type': 'application/gzip' });

  async function installed(what: string): Promise<string> {
    const name = nameOf(what);
    expect(await send(await aPackage(name, SUMS))).toMatchObject({ status: 201 });
    return name;
  }

  function flowWith(pieceName: string, actionName: string, input: Record<string, unknown>): FlowTrigger {
    const step = pieceStep('act', input);
    const settings = { ...step.settings, pieceName, pieceVersion: '1.0.0', actionName };
    return webhookTrigger([{ ...step, settings }]);
  }

  describe('that are sent as archives', () => {
    it('are described, listed and read by name', async () => {
      const name = nameOf('sent');
      const archive = await aPackage(name, SUMS);

      const made = await send(archive);

      const integrity = `sha512-${hashOf(archive).digest('base64')}`;
      expect(made).toMatchObject({ status: 201, body: { name, version: '1.0.0', integrity, isNew: true } });
      expect(await send(archive)).toMatchObject({ status: 200, body: { name, integrity, isNew: false } });
      const page = await client.must<{ data: PieceAnswer[] }>('GET', '/pieces?limit=100');
      expect(page.data.map((piece) => piece.name)).toContain(name);
      const { actions } = await client.must<PieceAnswer>('GET', `/pieces/${encodeURIComponent(name)}`);
      expect(actions['add']).toMatchObject({
        displayName: 'Add',
        props: { one: { kind: 'number', required: true }, other: { kind: 'number', required: true } },
      });
    });

    it('have one content for ever', async () => {
      const name = await installed('content');
      const other = await aPackage(name, `${SUMS} // changed`);
      const message = expect.stringMatching(/Give the new content another version\.$/);
      const refusal = { status: 409, body: { code: 'PIECE_INTEGRITY', params: { name, version: '1.0.0', message } } };

      expect(await send(other)).toMatchObject(refusal);
      await client.must('DELETE', pathOf(name));
      expect(await send(other)).toMatchObject(refusal);
      expect(await send(await aPackage(name, SUMS))).toMatchObject({ status: 201 });
    });

    const many = Array.from({ length: 6_000 }, (_, at): ArchiveEntry => [`file-${at}`]);
    it.each<[string, (name: string) => Promise<Buffer>, RegExp]>([
      [
        'have a path out of their folder',
        (name) => anArchive(aManifest(name), ['../../out.js', '']),
        /not in its folder/,
      ],
      [
        'have a link',
        (name) => anArchive(aManifest(name), [{ name: 'package/index.js', type: 'symlink', linkname: '/etc/passwd' }]),
        /which is no file/,
      ],
      ['have 6,000 files', (name) => anArchive(aManifest(name), ...many), /more than 5000 files/],
      [
        'are a bomb',
        (name) => anArchive(aManifest(name), ['index.js', Buffer.alloc(101 * MEGABYTE)]),
        /unpacks to more than 104857600 bytes/,
      ],
      ['have no main module', (name) => anArchive(aManifest(name), ['other.js', '']), /has no main module/],
      ['export no piece', (name) => aPackage(name, 'exports.value = 1;'), /exports no piece/],
      ['throw while they are loaded', (name) => aPackage(name, `throw new Error('Boom.');`), /cannot be loaded: Boom/],
      ['end while they are loaded', (name) => aPackage(name, 'process.exit(0);'), /ended its process \(exit code 0\)/],
      [
        'need packages from elsewhere than the registry',
        (name) => aPackage(name, SUMS, { dependencies: { axios: 'http://127.0.0.1:1/axios.tgz' } }),
        /depends on "axios", which does not come from the registry/,
      ],
    ])('are refused with a sentence when they %s, and leave nothing', async (_what, make, sentence) => {
      const name = nameOf(`bad-${Math.trunc(performance.now())}`);
      const archive = await make(name);

      const refused = await send(archive);

      expect(refused).toMatchObject({
        status: 422,
        body: { code: 'PIECE_NOT_INSTALLED', params: { name, message: expect.stringMatching(sentence) } },
      });
      expect(await client.request('GET', pathOf(name))).toMatchObject({ status: 404 });
      expect(existsSync(join(dataDir, 'pieces', 'v2', hashOf(archive).digest('hex').slice(0, 40)))).toBe(false);
      expect(await storedFiles(name)).toBe(0);
    });

    it.each<[string, () => Promise<Buffer | undefined>, string]>([
      ['nothing', async () => undefined, 'The archive is damaged, or is none.'],
      ['no archive', async () => Buffer.from('{"name": "x"}'), 'The archive is damaged, or is none.'],
      ['an archive without a manifest', () => anArchive(['index.js', '']), 'The archive has no package.json.'],
      [
        'the name of a built-in piece',
        () => aPackage('http', SUMS),
        'is the name of a piece that comes with the service.',
      ],
    ])('are malformed with %s', async (_what, make, message) => {
      expect(await send(await make())).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ message }] } },
      });
    });

    async function storedFiles(name: string): Promise<number> {
      const database = new Client({ connectionString: databaseUrl });
      await database.connect();
      try {
        const label = `${name.replaceAll('/', '-')}-1.0.0.tgz`;
        const { rows } = await database.query<{ id: string }>('select id from file where name = $1', [label]);
        return rows.length;
      } finally {
        await database.end();
      }
    }
  });

  it.each([
    ['a range', { name: '@e2e/piece-x', version: '^1.0.0' }, '/version'],
    ['no name that a package may have', { name: '../x', version: '1.0.0' }, '/name'],
    ['the name of a built-in piece', { name: 'http', version: '1.0.0' }, '/name'],
  ])('are not installed from the registry by %s', async (_what, body, path) => {
    expect(await client.request('POST', '/pieces', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path }] } },
    });
  });

  it('are installed and removed by administrators of the platform alone, and told in the audit log', async () => {
    const name = await installed('rights');
    const key = { displayName: 'Project', projectId: project, role: 'ADMIN' };
    const made = await client.must<{ value: string }>('POST', '/api-keys', key);
    const member = client.withToken(made.value);
    const denied = { status: 403, body: { code: 'PERMISSION_DENIED' } };

    expect(await send(await aPackage(nameOf('denied'), SUMS), member)).toMatchObject(denied);
    expect(await member.request('POST', '/pieces', { name, version: '1.0.0' })).toMatchObject(denied);
    expect(await member.request('DELETE', pathOf(name))).toMatchObject(denied);
    expect(await member.request('GET', pathOf(name))).toMatchObject({ status: 200, body: { name } });
    await client.must('DELETE', pathOf(name));

    const { data } = await client.must<{ data: { action: string; details: { version: string } }[] }>(
      'GET',
      `/audit-events?targetId=${encodeURIComponent(name)}`,
    );
    expect(data.map(({ action, details }) => [action, details.version])).toEqual([
      ['piece.removed', '1.0.0'],
      ['piece.installed', '1.0.0'],
    ]);
  });

  it('run in published flows, which keep them', async () => {
    const name = await installed('runs');
    const input = { one: '{{trigger.body.one}}', other: 2 };
    const { id } = await client.publishFlow(project, 'Sums', flowWith(name, 'add', input));

    const { body: started } = await client.sendWebhook(id, { one: 40 });
    const run = await client.endedRun(started.id);

    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      steps: { act: { status: 'SUCCEEDED', output: { sum: 42 }, logs: ['adding'] } },
    });
    expect(await client.request('DELETE', pathOf(name))).toMatchObject({
      status: 409,
      body: { code: 'PIECE_IN_USE', params: { name, version: '1.0.0', flows: 1, operations: 0 } },
    });
    await client.importFlow(id, 'No sums', webhookTrigger([]));
    await client.must('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    expect(await client.request('DELETE', pathOf(name))).toMatchObject({ status: 204 });
    expect(await client.request('GET', pathOf(name))).toMatchObject({ status: 404 });
  });

  it('are named as missing by flows of which they were removed', async () => {
    const name = await installed('removed');
    const { id } = await client.createFlow(project, 'Missing');
    const flow = flowWith(name, 'add', { one: 1, other: 2 });
    expect((await client.importFlow(id, 'Missing', flow)).version.valid).toBe(true);
    await client.must('DELETE', pathOf(name));

    const { version } = await client.must<Checked>('POST', `/flows/${id}`, {
      type: 'IMPORT_FLOW',
      request: { displayName: 'Missing', trigger: flow, schemaVersion: '20', notes: [] },
    });

    expect(version.valid).toBe(false);
    const message = `The package ${name} 1.0.0 is not installed. An administrator can install it.`;
    expect(await client.request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_VERSION_INVALID', params: { problems: [{ stepName: 'act', message }] } },
    });
  });

  it.each(['prints', 'throws'])('show no secret of a connection that one %s', async (how) => {
    const name = await installed(how);
    const externalId = `key-${how}`;
    const value = { secret_text: SECRET };
    await client.must('POST', '/connections', {
      ...{ projectId: project, externalId, displayName: externalId, type: 'SECRET_TEXT', value },
    });
    const input = { auth: `{{ connections['${externalId}'] }}`, how };
    const { id } = await client.publishFlow(project, 'Tells', flowWith(name, 'tell', input));

    const { body: started } = await client.sendWebhook(id, {});
    const run = await client.endedRun(started.id);

    const said = `The key is ${REDACTED}`;
    const act = how === 'prints' ? { output: said, logs: [said] } : { errorMessage: said };
    expect(run.steps?.['act']).toMatchObject(act);
    expect(JSON.stringify(run)).not.toContain(SECRET);
  });

  describe('of the catalogue', () => {
    const list = (query: string) => client.must<Entries>('GET', `/pieces/catalogue?${query}`);

    it('are found by text and category', async () => {
      const [found, ...others] = (await list('search=BASEROW')).data;

      expect(found).toMatchObject({ name: '@activepieces/piece-baserow', installed: expect.any(Boolean) });
      expect(others).toEqual([]);
      const { data } = await list('category=PRODUCTIVITY&limit=100');
      expect(data).not.toEqual([]);
      expect(data.every(({ categories }) => categories.includes('PRODUCTIVITY'))).toBe(true);
      expect((await list('search=no%20such%20piece')).data).toEqual([]);
    });

    const offered = { name: '@activepieces/piece-apitemplate-io', version: '0.2.0' };
    const whereItIs = registryHas(offered.name, offered.version) ? it : it.skip;
    whereItIs('are installed by saving a flow, and the audit log tells who saved it', async () => {
      const { value, id } = await client.must<{ value: string; id: string }>('POST', '/api-keys', {
        ...{ displayName: 'Saves', projectId: project, role: 'EDITOR' },
      });
      const editor = client.withToken(value);
      const { id: flow } = await editor.createFlow(project, 'First use');

      const step = pieceStep('act', {});
      const settings = { ...step.settings, pieceName: offered.name, pieceVersion: offered.version, actionName: 'x' };
      await editor.importFlow(flow, 'First use', webhookTrigger([{ ...step, settings }]));

      const told = await client.must<{ data: object[] }>(
        'GET',
        `/audit-events?targetId=${encodeURIComponent(offered.name)}`,
      );
      expect(told.data).toMatchObject([
        { action: 'piece.installed', actor: `api_key:${id}`, details: { version: offered.version } },
      ]);
    });

    it('are listed page by page, by name', async () => {
      const all = (await list('limit=100')).data.map(({ name }) => name);
      const read: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Entries = await list(`limit=5${cursor && `&cursor=${cursor}`}`);
        read.push(...page.data.map(({ name }) => name));
        cursor = page.next;
      }

      expect(read).toEqual(all);
      expect(all.length).toBeGreaterThan(5);
      expect(all).toEqual(all.toSorted());
    });
  });
});
