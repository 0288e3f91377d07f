import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { pieceStep } from '@millrace/domain/testing';
import { installPackage, type RunAnswer } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';
import { textsInDatabase } from './testing/stored-texts';

const PIECE = { name: '@e2e/piece-services', version: '1.0.0' };
const KEY = 'nobody-may-read-this-93b1';
const LARGE_BYTES = 24 * 1024 * 1024;

/** An action whose inputs say what it does with the services of its context. */
const SOURCE = `
const prop = (type) => ({ type, displayName: type, required: false });
const actions = {
  file: { name: 'file', displayName: 'File', description: '', requireAuth: false, props: { file: prop('FILE') },
    run: async ({ propsValue: { file } }) => ({
      filename: file.filename, extension: file.extension, bytes: file.data.length, isBuffer: Buffer.isBuffer(file.data),
      first: file.data.subarray(0, 5).toString(), isSame: Buffer.from(file.base64, 'base64').equals(file.data) }) },
  files: { name: 'files', displayName: 'Files', description: '', requireAuth: false,
    props: { rows: { ...prop('ARRAY'), properties: { file: prop('FILE'), note: prop('SHORT_TEXT') } } },
    run: async ({ propsValue: { rows } }) =>
      rows.map(({ file, note }) => [note, file && file.data ? file.filename + ' ' + file.data : file]) },
  fields: { name: 'fields', displayName: 'Fields', description: '', requireAuth: false,
    props: { fields: { ...prop('DYNAMIC'), refreshers: [], props: async () => ({}) } },
    run: async ({ propsValue: { fields: { file, count } } }) => ({ bytes: file.data.length, name: file.filename, count }) },
  write: { name: 'write', displayName: 'Write', description: '', requireAuth: false, props: { bytes: prop('NUMBER') },
    run: async ({ propsValue: { bytes }, files }) =>
      ({ url: await files.write({ fileName: 'a/b.txt', data: Buffer.alloc(bytes, 'x') }) }) },
  connection: { name: 'connection', displayName: 'Connection', description: '', requireAuth: false,
    props: { id: prop('SHORT_TEXT') },
    run: async ({ propsValue: { id }, connections }) => {
      const value = await connections.get(id);
      console.log(value && value.secret_text);
      return { value, length: value ? value.secret_text.length : 0 };
    } },
  choose: { name: 'choose', displayName: 'Choose', description: '', requireAuth: true,
    props: { choice: { type: 'DROPDOWN', displayName: 'Choice', required: true, refreshers: ['auth'],
      options: async ({ auth }) => {
        console.log(auth.secret_text);
        console.error(auth);
        throw new Error('Not with ' + auth.secret_text);
      } } },
    run: async () => null },
};
const auth = { type: 'SECRET_TEXT', displayName: 'Key', required: true,
  validate: async ({ auth }) => {
    console.log(auth);
    return { valid: false, error: 'Not with ' + auth };
  } };
exports.services = {
  auth,
  metadata: () => ({ displayName: 'Services', actions, triggers: {}, auth }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

describe('the services of an action of a package', () => {
  let targets: ServiceWithTargets;
  let server: Server;
  let serverUrl: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url !== '/large%20file') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(Buffer.alloc(LARGE_BYTES, 'large'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    targets = await ServiceWithTargets.start();
    await installPackage(targets.service.client, PIECE.name, SOURCE);
    await targets.connect('crm', 'SECRET_TEXT', { secret_text: KEY });
  });

  afterAll(async () => {
    server.close();
    expect(await targets.service.stop()).toBe(0);
  });

  const act = (action: string, input: Record<string, unknown>, name = 'act') => {
    const step = pieceStep(name, input);
    const settings = { ...step.settings, pieceName: PIECE.name, pieceVersion: PIECE.version, actionName: action };
    return { ...step, settings };
  };
  const outputOf = (run: RunAnswer, step = 'act'): unknown => {
    expect([run.status, run.failedStep]).toEqual(['SUCCEEDED', undefined]);
    return run.steps?.[step]?.output;
  };

  it('give it the file of a data URL', async () => {
    const run = await targets.run([act('file', { file: 'data:text/plain;base64,aGVsbG8gd29ybGQ=' })]);

    expect(outputOf(run)).toEqual({
      filename: 'file.txt',
      extension: 'txt',
      bytes: 11,
      isBuffer: true,
      first: 'hello',
      isSame: true,
    });
  });

  it('give it the files in a list', async () => {
    const url = 'data:text/csv;base64,aGVsbG8=';
    const rows = [{ file: url, note: 'a' }, { note: 'b' }, { file: url, note: 'c' }];

    expect(outputOf(await targets.run([act('files', { rows })]))).toEqual([
      ['a', 'file.csv hello'],
      ['b', null],
      ['c', 'file.csv hello'],
    ]);
  });

  it('give it the files and numbers in a dynamic input, as an editor has noted them', async () => {
    const schema = { file: { type: 'FILE', displayName: 'File' }, count: { type: 'NUMBER', displayName: 'Count' } };
    const step = act('fields', { fields: { file: 'data:text/csv;base64,aGVsbG8=', count: '{{ "4" + "2" }}' } });
    const settings = { ...step.settings, propertySettings: { fields: { type: 'MANUAL', schema } } };

    expect(outputOf(await targets.run([{ ...step, settings }]))).toEqual({ bytes: 5, name: 'file.csv', count: 42 });
  });

  it('give it a large file of another server', async () => {
    const run = await targets.run([act('file', { file: `${serverUrl}/large%20file` })]);

    expect(outputOf(run)).toEqual({
      filename: 'large file.csv',
      extension: 'csv',
      bytes: LARGE_BYTES,
      isBuffer: true,
      first: 'large',
      isSame: true,
    });
  });

  it('say which file cannot be had', async () => {
    const run = await targets.run([act('file', { file: `${serverUrl}/none` })]);

    expect(run).toMatchObject({
      status: 'FAILED',
      failedStep: { message: 'The input file: The file of a URL cannot be read: its server answered 404.' },
    });
  });

  it('store a file that it writes, which a later step reads by its link', async () => {
    const run = await targets.run([
      act('write', { bytes: LARGE_BYTES }, 'write'),
      act('file', { file: '{{ write.url }}' }),
    ]);

    const { url } = outputOf(run, 'write') as { url: string };
    expect(outputOf(run)).toMatchObject({ filename: 'a_b.txt', bytes: LARGE_BYTES, first: 'xxxxx' });
    const answer = await fetch(url);
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, LARGE_BYTES]);
  });

  it('store no file that is too large', async () => {
    const run = await targets.run([act('write', { bytes: 26 * 1024 * 1024 })]);

    expect(run).toMatchObject({
      status: 'FAILED',
      failedStep: { message: expect.stringContaining('more than 25 MB') },
    });
  });

  it('read a connection of the project, which the run hides', async () => {
    const run = await targets.run([act('connection', { id: 'crm' })]);

    expect(outputOf(run)).toEqual({
      value: { type: 'SECRET_TEXT', secret_text: '**REDACTED**' },
      length: KEY.length,
    });
    expect(run.steps?.['act']?.logs).toEqual(['**REDACTED**']);
    expect(JSON.stringify(run)).not.toContain(KEY);
  });

  it('leave the value of a connection in no answer, no log and no table', async () => {
    const { client, databaseUrl } = targets.service;
    const projectId = targets.project;
    const of = { pieceName: PIECE.name, pieceVersion: PIECE.version };
    const about = { externalId: 'refused', displayName: 'Refused', type: 'SECRET_TEXT', value: { secret_text: KEY } };
    const choice = { name: 'choose', propName: 'choice', input: { auth: '{{connections.crm}}' } };

    const answers = [
      await client.request('POST', '/pieces/options', { projectId, ...of, ...choice }),
      await client.request('POST', '/connections', { projectId, ...of, ...about }),
    ];

    for (const { status, body } of answers)
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('Not with **REDACTED**')]);
    expect(JSON.stringify(answers)).not.toContain(KEY);
    const logged = (['api', 'worker', 'launcher'] as const).map((app) => JSON.stringify(targets.service.logOf(app)));
    expect(logged.filter((lines) => lines.includes(KEY))).toEqual([]);
    const stored = await textsInDatabase(databaseUrl);
    expect(stored.filter(({ text }) => text.includes(KEY)).map(({ place }) => place)).toEqual([]);
    expect(stored.filter(({ place }) => place.startsWith('piece_question.'))).toEqual([]);
  });

  it('read no connection of another project', async () => {
    const { client } = targets.service;
    const projectId = await client.createProject('Foreign');
    const connection = { projectId, externalId: 'foreign', displayName: 'Foreign', type: 'SECRET_TEXT' };
    await client.must('POST', '/connections', { ...connection, value: { secret_text: KEY } });

    expect(outputOf(await targets.run([act('connection', { id: 'foreign' })]))).toEqual({ value: null, length: 0 });
  });
});
