import { CHOICE_CASES, type ChoiceCase } from './testing/package-cases/choice-cases';
import { connectPackage } from './testing/package-cases/connect-package';
import { describePublished } from './testing/package-cases/describe-published';
import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

const places = CHOICE_CASES.flatMap(({ check, choices }) => [choices.place, ...(check ? [check[0]] : [])]);
const HOSTS = [...new Set(places.map((place) => place.slice(0, place.indexOf('/'))))];

const checking = CHOICE_CASES.flatMap(({ check, ...each }) => (check ? [{ ...each, check }] : []));

describePublished('a published package', () => {
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

  const ask = ({ piece, version }: ChoiceCase, name: string, propName: string, input: object) =>
    targets.service.client.request<object>('POST', '/pieces/options', {
      projectId: targets.project,
      pieceName: `@activepieces/piece-${piece}`,
      pieceVersion: version,
      ...{ name, propName, input },
    });

  it.each(checking.map((each) => [each.piece, each] as const))('of %s checks its connection', async (_piece, each) => {
    const { piece, version, connection, check } = each;
    const connect = () =>
      targets.service.client.request('POST', '/connections', {
        ...{ projectId: targets.project, externalId: `checked-${piece}`, displayName: piece, ...connection },
        ...{ pieceName: `@activepieces/piece-${piece}`, pieceVersion: version },
      });

    const refused = await connect();
    vendors.answer(...check);
    const taken = await connect();

    expect(refused).toMatchObject({ status: 400, body: { params: { errors: [{ path: '/value' }] } } });
    expect(taken.status).toBe(201);
    expect(JSON.stringify([refused.body, taken.body])).not.toContain('key-');
  });

  it.each(CHOICE_CASES.map((each) => [each.piece, each] as const))(
    'of %s gives choices that its vendor has',
    async (_piece, each) => {
      const { name, propName, place, answer, options } = each.choices;
      const auth = await connectPackage(targets, each);
      vendors.answer(place, answer);

      const chosen = await ask(each, name, propName, { auth });

      expect(chosen).toMatchObject({ status: 200, body: { options } });
      expect(JSON.stringify(chosen.body)).not.toContain('key-');
    },
  );

  it('gives the inputs that one of its inputs stands for', async () => {
    const notion = CHOICE_CASES.find(({ piece }) => piece === 'notion') as ChoiceCase;
    const auth = await connectPackage(targets, notion);
    vendors.answer('api.notion.com/v1/databases/d1', {
      object: 'database',
      id: 'd1',
      properties: {
        Name: { id: 'title', name: 'Name', type: 'title', title: {} },
        Price: { id: 'p1', name: 'Price', type: 'number', number: {} },
      },
    });

    const answer = await ask(notion, 'create_database_item', 'databaseFields', { auth, database_id: 'd1' });

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
