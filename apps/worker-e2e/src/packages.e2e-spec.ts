import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInTrigger, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import type { FlowTrigger } from '@millrace/domain';
import { patience, registryHas, type RunAnswer } from '@millrace/e2e-support';
import { DuePolls } from './testing/due-polls';
import { hostOf, PACKAGE_CASES, VENDOR_HOSTS, type PackageCase } from './testing/package-cases';
import { MySqlServer } from './testing/mysql-server';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer } from './testing/vendor-server';

const whereTheyAre = registryHas('@activepieces/piece-baserow', '0.10.0') ? describe : describe.skip;

whereTheyAre('published packages (left out where the registry has none of them)', () => {
  const WITHIN_MS = 60_000 * patience;

  let vendors: VendorServer;
  let database: MySqlServer;
  let polls: DuePolls;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    vendors = await VendorServer.start(VENDOR_HOSTS);
    database = await MySqlServer.start([{ id: '1', name: 'Lamp' }]);
    polls = await DuePolls.makeDatabase();
    const { SVC_OUTBOUND_CONNECT_TO: vendorHosts, ...settings } = vendors.settings;
    targets = await ServiceWithTargets.start({
      ...settings,
      SVC_OUTBOUND_CONNECT_TO: `${vendorHosts},db.example.com:3306:127.0.0.1:${database.port}`,
      SVC_DATABASE_URL: polls.url,
    });
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await polls.drop();
    await vendors.stop();
    await database.stop();
  });

  const client = () => targets.service.client;

  /** A flow whose only step is the action, with a connection that the step names. */
  async function publish({ piece, version, action, connection, auth, input }: PackageCase): Promise<string> {
    const externalId = `vendor-${piece}`;
    await targets.connect(externalId, connection.type, connection.value);
    const named = JSON.stringify(auth ?? '{{ connections.vendor }}').replace(
      'connections.vendor',
      `connections['${externalId}']`,
    );
    const step = pieceStep('act', { ...input, auth: JSON.parse(named) as unknown });
    const settings = {
      ...step.settings,
      pieceName: `@activepieces/piece-${piece}`,
      pieceVersion: version,
      actionName: action,
    };
    const { id } = await client().publishFlow(targets.project, piece, webhookTrigger([{ ...step, settings }]));
    return id;
  }

  async function run(flowId: string): Promise<RunAnswer> {
    const { body } = await client().sendWebhook(flowId, {});
    return client().endedRun(body.id, WITHIN_MS);
  }

  const bodyOf = (text: string): unknown =>
    text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));

  it('the packages that are tried here are in the table of the guide', () => {
    const guide = readFileSync(join(__dirname, '../../../docs/pieces.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `@activepieces\/piece-(\S+)` +\| (\S+) +\| `(.+)` +\|$/gm)].map((row) =>
      row.slice(1, 4),
    );
    const tried = PACKAGE_CASES.map(({ piece, version, action }) => [piece, version, action]);

    expect(rows).toEqual([...tried, ['mysql', '0.2.7', 'execute_query']].sort());
  });

  describe('an action of a published package', () => {
    it.each(PACKAGE_CASES.map((each) => [each.piece, each] as const))(
      'of %s calls its vendor',
      async (_piece, each) => {
        const host = hostOf(each.call);
        const { pathname } = new URL(each.call.slice(each.call.indexOf(' ') + 1));
        vendors.answer(`${host}${pathname}`, each.answer);

        const ended = await run(await publish(each));

        expect(ended.steps?.['act']).toMatchObject({ status: 'SUCCEEDED' });
        expect(ended.steps?.['act']?.output).toEqual(
          typeof each.output === 'object' && !Array.isArray(each.output)
            ? expect.objectContaining(each.output)
            : each.output,
        );
        const call = vendors.callsOf(host).find(({ method, url }) => `${method} ${url}`.startsWith(each.call));
        expect(call).toMatchObject({ credentials: each.credentials });
        if (each.body) expect(bodyOf(call?.body ?? '')).toMatchObject(each.body);
        expect(JSON.stringify(ended)).not.toContain('key-');
      },
    );

    it('of mysql asks a database by its own protocol', async () => {
      const props = { host: 'db.example.com', port: 3306, user: 'ada', password: 'key-mysql', database: 'shop' };
      const flowId = await publish({
        ...{ piece: 'mysql', version: '0.2.7', action: 'execute_query', call: '', credentials: '', answer: null },
        connection: { type: 'CUSTOM_AUTH', value: { props } },
        input: { query: 'SELECT id, name FROM orders WHERE id = ?', args: ['{{ trigger.method }}'], timeout: 10_000 },
        output: null,
      });

      expect((await run(flowId)).steps?.['act']?.output).toEqual({ results: [{ id: '1', name: 'Lamp' }] });
      expect(database.users).toEqual(['ada']);
      expect(database.queries).toEqual(["SELECT id, name FROM orders WHERE id = 'POST'"]);
    });

    it('fails with what its vendor answered, and no secret of its connection', async () => {
      const shop = PACKAGE_CASES.find(({ piece }) => piece === 'shopify') as PackageCase;

      const ended = await run(await publish({ ...shop, action: 'get_product', input: { id: '404' } }));

      expect(ended.status).toBe('FAILED');
      expect(JSON.stringify(ended)).toContain('404');
      expect(JSON.stringify(ended)).not.toContain('key-shopify');
    });
  });

  describe('a trigger of a published package that polls', () => {
    it('starts one run for each new item', async () => {
      const place = 'lamps.myshopify.com/admin/api/2023-10/checkouts.json';
      const checkout = (id: number) => ({ id, created_at: new Date(Date.now() + id * 1_000).toISOString() });
      vendors.answer(place, { checkouts: [] });
      const { connection } = PACKAGE_CASES.find(({ piece }) => piece === 'shopify') as PackageCase;
      await targets.connect('vendor-shopify', connection.type, connection.value);
      const trigger = builtInTrigger('@activepieces/piece-shopify', 'new_abandoned_checkout');
      const input = { auth: "{{ connections['vendor-shopify'] }}" };
      const polling: FlowTrigger = { ...trigger, settings: { ...trigger.settings, pieceVersion: '0.3.0', input } };
      const { id } = await client().publishFlow(targets.project, 'Checkouts', polling);
      const runs = async () => {
        const path = `/flow-runs?projectId=${targets.project}&flowId=${id}&limit=100`;
        return (await client().must<{ data: { id: string }[] }>('GET', path)).data;
      };
      await until('The first poll', async () => (await polls.makeDue(id)) || undefined);

      vendors.answer(place, { checkouts: [checkout(2), checkout(1)] });
      const found = await until('The runs', async () => {
        await polls.makeDue(id);
        const data = await runs();
        return data.length >= 2 ? data : undefined;
      });
      await until('Another poll', async () => (await polls.makeDue(id)) || undefined);

      const outputs = await Promise.all(
        found.map(async (each) => (await client().endedRun(each.id)).steps?.['trigger']?.output),
      );
      expect(outputs.map((output) => (output as { id: number }).id).sort()).toEqual([1, 2]);
      expect(await runs()).toHaveLength(2);
    });
  });

  describe('a public flow', () => {
    /** A step as galleries have it: with fields of its origin, and a range of versions of long ago. */
    const publicStep = (
      name: string,
      piece: string,
      version: string,
      actionName: string,
      input: object,
      next?: object,
    ) => ({
      name,
      displayName: name,
      type: 'PIECE',
      valid: true,
      settings: {
        ...{ pieceName: `@activepieces/piece-${piece}`, pieceVersion: version, actionName, input },
        ...{ pieceType: 'OFFICIAL', packageType: 'REGISTRY', inputUiInfo: {} },
      },
      ...(next && { nextAction: next }),
    });

    it('is imported with valid steps of the packages that the catalogue has', async () => {
      const { id } = await client().createFlow(targets.project, 'From a gallery');
      const notion = publicStep('note', 'notion', '~0.2.8', 'notion_list_users', {
        auth: "{{connections['vendor-notion']}}",
      });
      const text = 'Order {{trigger.body.id}}';
      const slack = publicStep(
        'tell',
        'slack',
        '~0.5.2',
        'send_channel_message',
        { auth: "{{connections['vendor-slack']}}", channel: 'C1', text, sendAsBot: true },
        notion,
      );
      const trigger = webhookTrigger([]);
      const request = { displayName: 'From a gallery', trigger: { ...trigger, nextAction: slack }, schemaVersion: '1' };

      const { version } = await client().must<{ version: { valid: boolean; trigger: FlowTrigger } }>(
        'POST',
        `/flows/${id}`,
        {
          type: 'IMPORT_FLOW',
          request,
        },
      );

      expect(version.valid).toBe(true);
      const first = version.trigger.nextAction as { settings: object; nextAction: { settings: object } };
      expect(first.settings).toMatchObject({ pieceName: '@activepieces/piece-slack', pieceVersion: '0.17.9' });
      expect(first.nextAction.settings).toMatchObject({ pieceVersion: '0.7.3' });
    });
  });

  describe('a package that is installed', () => {
    it('runs on another worker that has no registry and nothing unpacked', async () => {
      const harvest = PACKAGE_CASES.find(({ piece }) => piece === 'harvest') as PackageCase;
      const flowId = await publish(harvest);
      const other = await targets.service.startWorker({
        ...vendors.settings,
        npm_config_registry: 'http://127.0.0.1:9/',
      });
      const thaw = targets.service.freeze('worker');
      try {
        expect((await run(flowId)).status).toBe('SUCCEEDED');
      } finally {
        thaw();
        expect(await other.stop()).toBe(0);
      }
    });
  });
});
