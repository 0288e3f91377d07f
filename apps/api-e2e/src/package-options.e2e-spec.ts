import { installPackage, ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

const NAME = `@e2e/piece-choices-${Date.now()}`;
const VERSION = '1.0.0';
const KEY = 'nobody-may-read-this-81d4';

/** A piece whose choices depend on its connection and its other inputs. */
const SOURCE = `
const text = (more) => ({ type: 'SHORT_TEXT', displayName: 'Text', required: false, ...more });
const folder = {
  type: 'DROPDOWN', displayName: 'Folder', required: true, refreshers: ['auth', 'area'],
  options: async ({ auth, area }, { searchValue }) => {
    if (!auth) return { disabled: true, options: [], placeholder: 'Connect first' };
    if (area === 'throws') throw new Error('401 for ' + auth.secret_text);
    return { options: [{ label: area + ' ' + (searchValue ?? ''), value: { area } }, { label: auth.secret_text, value: 2 }] };
  },
};
const fields = {
  type: 'DYNAMIC', displayName: 'Fields', required: false, refreshers: ['folder'],
  props: async ({ folder }) => ({ [folder]: text({ required: true }) }),
};
const actions = { add: { name: 'add', displayName: 'Add', description: '', requireAuth: true,
  props: { area: text(), folder, fields }, run: async () => null } };
exports.choices = {
  auth: {
    type: 'SECRET_TEXT', displayName: 'Key', required: true,
    validate: async ({ auth }) => {
      console.log(auth);
      if (auth.startsWith('throws')) throw new Error('No server for ' + auth);
      return auth.startsWith('wrong') ? { valid: false, error: 'The key ' + auth + ' is wrong.' } : { valid: true };
    },
  },
  metadata() { return { displayName: 'Choices', auth: this.auth, actions, triggers: {} }; },
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

interface OptionsAnswer {
  options?: unknown[];
  props?: Record<string, unknown>;
}

describe('the inputs of a package', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    await installPackage(client, NAME, SOURCE);
    project = await client.createProject('Choices');
    expect((await connect()).status).toBe(201);
  });

  const connect = (key = KEY, more: object = {}) =>
    client.request<{ id: string }>('POST', '/connections', {
      projectId: project,
      externalId: 'choices',
      displayName: 'Choices',
      type: 'SECRET_TEXT',
      value: { secret_text: key },
      ...more,
    });
  const ask = (propName: string, input: object, more: object = {}, as = client) =>
    as.request<OptionsAnswer>('POST', '/pieces/options', {
      pieceName: NAME,
      pieceVersion: VERSION,
      name: 'add',
      propName,
      projectId: project,
      input,
      ...more,
    });
  const connected = { auth: '{{connections.choices}}' };

  it('have the choices that the package gives for a connection of the project, without its value', async () => {
    const answer = await ask('folder', { ...connected, area: 'North' }, { searchValue: 'a' });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        options: [
          { label: 'North a', value: { area: 'North' } },
          { label: '**REDACTED**', value: 2 },
        ],
      },
    });
  });

  it('have no choices as long as there is no connection', async () => {
    expect(await ask('folder', { area: 'North' })).toMatchObject({
      status: 200,
      body: { options: [], placeholder: 'Connect first' },
    });
  });

  it('stand for further inputs', async () => {
    expect(await ask('fields', { ...connected, folder: 'red' })).toMatchObject({
      status: 200,
      body: { props: { red: { kind: 'text', displayName: 'Text', required: true } } },
    });
  });

  it('tell what the package throws, without the value of the connection', async () => {
    const answer = await ask('folder', { ...connected, area: 'throws' });

    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(JSON.stringify(answer.body)).toContain('401 for **REDACTED**');
    expect(JSON.stringify(answer.body)).not.toContain(KEY);
  });

  it('are asked with no connection of another project', async () => {
    const foreign = await client.createProject('Foreign');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'x', projectId: foreign });
    const stranger = client.withToken(key.value);

    expect(await ask('folder', connected, {}, stranger)).toMatchObject({
      status: 403,
      body: { code: 'AUTHORIZATION' },
    });
    const own = await ask('folder', connected, { projectId: foreign }, stranger);
    expect(own).toMatchObject({ status: 400 });
    expect(JSON.stringify(own.body)).toContain('has no connection');
  });

  it.each([
    ['title', '/propName'],
    ['area', '/propName'],
  ])('without choices are said to have none (%s)', async (propName, path) => {
    expect(await ask(propName, connected)).toMatchObject({ status: 400, body: { params: { errors: [{ path }] } } });
  });

  it('are checked when the connection is stored', async () => {
    const ofPiece = { pieceName: NAME, pieceVersion: VERSION };

    expect((await connect(KEY, ofPiece)).status).toBe(200);
    for (const [key, sentence] of [
      ['wrong-key-of-nobody', 'does not work: The key **REDACTED** is wrong.'],
      ['throws-key-of-nobody', 'does not work: No server for **REDACTED**'],
    ] as const) {
      const refused = await connect(key, { ...ofPiece, externalId: 'refused' });
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path: '/value', message: sentence }] } },
      });
    }
    const { data } = await client.must<{ data: { externalId: string }[] }>('GET', `/connections?projectId=${project}`);
    expect(data.map(({ externalId }) => externalId)).toEqual(['choices']);
  });

  it('are checked by no piece that does not exist, or takes another kind of connection', async () => {
    expect(await connect(KEY, { pieceName: 'nothing' })).toMatchObject({
      status: 404,
      body: { code: 'ENTITY_NOT_FOUND' },
    });
    expect(await connect(KEY, { pieceName: 'smtp' })).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
  });
});
