import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

interface ChoiceCase {
  piece: string;
  version: string;
  connection: { type: string; value: object };
  /** What the piece calls to check a connection, and the answer that it takes for success. */
  check: [place: string, answer: object];
  choices: { name: string; propName: string; place: string; answer: object; options: object[] };
}

const secret = (text: string) => ({ type: 'SECRET_TEXT', value: { secret_text: text } });
const custom = (props: object) => ({ type: 'CUSTOM_AUTH', value: { props } });

const CASES: readonly ChoiceCase[] = [
  {
    piece: 'deepseek',
    version: '0.1.7',
    connection: secret('key-deepseek'),
    check: ['api.deepseek.com/models', { data: [{ id: 'deepseek-chat' }] }],
    choices: {
      name: 'ask_deepseek',
      propName: 'model',
      place: 'api.deepseek.com/models',
      answer: { data: [{ id: 'deepseek-chat' }] },
      options: [{ label: 'deepseek-chat', value: 'deepseek-chat' }],
    },
  },
  {
    piece: 'mistral-ai',
    version: '0.3.0',
    connection: secret('key-mistral'),
    check: ['api.mistral.ai/v1/models', { data: [] }],
    choices: {
      name: 'create_chat_completion',
      propName: 'model',
      place: 'api.mistral.ai/v1/models',
      answer: { data: [{ id: 'mistral-small', name: 'Small' }] },
      options: [{ label: 'Small', value: 'mistral-small' }],
    },
  },
  {
    piece: 'notion',
    version: '0.7.3',
    connection: custom({ accessToken: 'key-notion' }),
    check: ['api.notion.com/v1/users/me', { object: 'user', id: 'u1' }],
    choices: {
      name: 'create_database_item',
      propName: 'database_id',
      place: 'api.notion.com/v1/search',
      answer: { results: [{ id: 'd1', title: [{ plain_text: 'Lamps' }] }] },
      options: [{ label: 'Lamps', value: 'd1' }],
    },
  },
  {
    piece: 'slack',
    version: '0.17.9',
    connection: custom({ botToken: 'key-slack' }),
    check: ['slack.com/api/auth.test', { ok: true }],
    choices: {
      name: 'send_channel_message',
      propName: 'channel',
      place: 'slack.com/api/conversations.list',
      answer: { ok: true, channels: [{ id: 'C1', name: 'general' }] },
      options: [{ label: 'general', value: 'C1' }],
    },
  },
];

const places = CASES.flatMap(({ check, choices }) => [check[0], choices.place]);
const HOSTS = [...new Set(places.map((place) => place.slice(0, place.indexOf('/'))))];

let vendors: VendorServer;
let targets: ServiceWithTargets;

beforeAll(async () => {
  vendors = await VendorServer.start(HOSTS);
  targets = await ServiceWithTargets.start(vendors.settings);
});

afterAll(async () => {
  expect(await targets.service.stop()).toBe(0);
  await vendors.stop();
});

const ask = ({ piece, version }: ChoiceCase, name: string, propName: string, input: object = {}) =>
  targets.service.client.request<object>('POST', '/pieces/options', {
    projectId: targets.project,
    pieceName: `@activepieces/piece-${piece}`,
    pieceVersion: version,
    name,
    propName,
    input: { auth: `{{ connections['${piece}'] }}`, ...input },
  });

describe('a published package', () => {
  it.each(CASES.map((each) => [each.piece, each] as const))(
    'of %s checks its connection, and gives choices for it',
    async (piece, each) => {
      const { connection, check, choices } = each;
      const connect = () =>
        targets.service.client.request('POST', '/connections', {
          ...{ projectId: targets.project, externalId: piece, displayName: piece, ...connection },
          ...{ pieceName: `@activepieces/piece-${piece}`, pieceVersion: each.version },
        });

      const refused = await connect();
      vendors.answer(...check);
      const taken = await connect();
      vendors.answer(choices.place, choices.answer);
      const chosen = await ask(each, choices.name, choices.propName);

      expect(refused).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/value' }] } } });
      expect(taken.status).toBe(201);
      expect(chosen).toMatchObject({ status: 200, body: { options: choices.options } });
      expect(JSON.stringify([refused.body, taken.body, chosen.body])).not.toContain('key-');
    },
  );

  it('gives the inputs that one of its inputs stands for', async () => {
    const notion = CASES.find(({ piece }) => piece === 'notion') as ChoiceCase;
    await targets.connect('notion', notion.connection.type, notion.connection.value);
    vendors.answer('api.notion.com/v1/databases/d1', {
      object: 'database',
      id: 'd1',
      properties: {
        Name: { id: 'title', name: 'Name', type: 'title', title: {} },
        Price: { id: 'p1', name: 'Price', type: 'number', number: {} },
      },
    });

    const answer = await ask(notion, 'create_database_item', 'databaseFields', { database_id: 'd1' });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        props: {
          Name: { kind: 'text', displayName: 'Name', required: false },
          Price: { kind: 'number', displayName: 'Price', required: false },
        },
      },
    });
  });
});
