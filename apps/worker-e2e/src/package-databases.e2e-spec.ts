import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { patience } from '@millrace/e2e-support';
import { MongoServer } from './testing/mongo-server';
import { MySqlServer } from './testing/mysql-server';
import { NameServer } from './testing/name-server';
import { connectPackage } from './testing/package-cases/connect-package';
import { DATABASES, type TriedDatabase } from './testing/package-cases/databases';
import { describePublished } from './testing/package-cases/describe-published';
import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

const { mongodb, mongodbByName, mysql } = DATABASES;

describePublished('published packages of databases', () => {
  let vendors: VendorServer;
  let mysqlServer: MySqlServer;
  let mongo: MongoServer;
  let mongoByTls: MongoServer;
  let names: NameServer;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    const host = 'one.cluster.example.com';
    vendors = await VendorServer.start([host]);
    mysqlServer = await MySqlServer.start([{ id: '1', name: 'Lamp' }]);
    mongo = await MongoServer.start({ user: 'ada', password: 'key-mongo' });
    const { certificate } = vendors;
    mongoByTls = await MongoServer.start({ user: 'ada', password: 'key-mongo', certificate });
    names = await NameServer.start({
      '_mongodb._tcp.cluster.example.com': { SRV: { target: host, port: 27_017 } },
      'cluster.example.com': { TXT: 'authSource=admin' },
    });
    const rules = [
      `db.example.com:3306:127.0.0.1:${mysqlServer.port}`,
      `mongo.example.com:27017:127.0.0.1:${mongo.port}`,
      `${host}:27017:127.0.0.1:${mongoByTls.port}`,
    ];
    targets = await ServiceWithTargets.start({
      ...vendors.settings,
      ...names.environment,
      SVC_OUTBOUND_CONNECT_TO: rules.join(','),
    });
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    for (const each of [mysqlServer, mongo, mongoByTls, names, vendors]) await each.stop();
  });

  /** Runs the actions of a package after each other, and returns their outputs. */
  async function run(tried: TriedDatabase, steps: readonly (readonly [action: string, input: object])[]) {
    const { piece, version } = tried;
    const auth = await connectPackage(targets, tried);
    const actions = steps.map(([actionName, input], at) => {
      const step = pieceStep(`step_${at + 1}`, { ...input, auth });
      return {
        ...step,
        settings: { ...step.settings, pieceName: `@activepieces/piece-${piece}`, pieceVersion: version, actionName },
      };
    });
    const { client } = targets.service;
    const { id } = await client.publishFlow(targets.project, piece, webhookTrigger(actions));
    const { body } = await client.sendWebhook(id, {});
    const ended = await client.endedRun(body.id, 60_000 * patience);
    expect([ended.status, ended.failedStep]).toEqual(['SUCCEEDED', undefined]);
    expect(JSON.stringify(ended)).not.toContain('key-');
    return actions.map(({ name }) => ended.steps?.[name]?.output);
  }

  it('asks MySQL by its own protocol', async () => {
    const query = {
      query: 'SELECT id, name FROM orders WHERE id = ?',
      args: ['{{ trigger.method }}'],
      timeout: 10_000,
    };

    expect(await run(mysql, [['execute_query', query]])).toEqual([{ results: [{ id: '1', name: 'Lamp' }] }]);
    expect(mysqlServer.users).toEqual(['ada']);
    expect(mysqlServer.queries).toEqual(["SELECT id, name FROM orders WHERE id = 'POST'"]);
  });

  const lamps = [
    { name: 'Lamp', price: 19.5 },
    { name: 'Bulb', price: 2 },
  ];
  const insertAndFind = [
    ['insert_documents', { collection: 'lamps', documents: lamps }],
    ['find_documents', { collection: 'lamps', query: { name: 'Bulb' } }],
  ] as const;

  it('inserts into MongoDB and finds by its own protocol', async () => {
    const [inserted, found] = await run(mongodb, insertAndFind);

    expect(inserted).toMatchObject({ insertedCount: 2 });
    expect(found).toMatchObject({ count: 1, documents: [{ name: 'Bulb', price: 2 }] });
    expect(mongo.collections.get('lamps')).toMatchObject(lamps);
  });

  it('finds the server of MongoDB by its SRV and TXT records, and speaks TLS with it', async () => {
    const [inserted, found] = await run(mongodbByName, insertAndFind);

    expect(inserted).toMatchObject({ insertedCount: 2 });
    expect(found).toMatchObject({ count: 1 });
    expect(mongoByTls.collections.get('lamps')).toMatchObject(lamps);
    expect(new Set(names.asked)).toEqual(new Set(['_mongodb._tcp.cluster.example.com', 'cluster.example.com']));
  });

  it('gives the collections of MongoDB as choices, after a check of the connection', async () => {
    const { client } = targets.service;
    const { version, connection } = mongodb;
    const piece = { projectId: targets.project, pieceName: '@activepieces/piece-mongodb', pieceVersion: version };
    const connect = (password: string) => {
      const props = { ...(connection.value as { props: object }).props, password };
      const named = { externalId: 'mongo', displayName: 'Mongo', type: connection.type };
      return client.request('POST', '/connections', { ...piece, ...named, value: { props } });
    };
    mongo.collections.set('bulbs', []);

    expect((await connect('another')).status).toBe(400);
    expect((await connect('key-mongo')).status).toBe(201);
    const input = { auth: "{{ connections['mongo'] }}", database: 'shop' };
    const asked = { ...piece, name: 'find_documents', propName: 'collection', input };
    expect(await client.request('POST', '/pieces/options', asked)).toMatchObject({
      status: 200,
      body: { options: expect.arrayContaining([{ label: 'bulbs', value: 'bulbs' }]) },
    });
  });
});
