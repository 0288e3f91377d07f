import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import type { FlowTrigger } from '@millrace/domain';
import { patience, type RunAnswer } from '@millrace/e2e-support';
import { PACKAGE_CASES, VENDOR_HOSTS } from './testing/package-cases';
import { connectPackage } from './testing/package-cases/connect-package';
import { describePublished } from './testing/package-cases/describe-published';
import { hostOf, type PackageCase } from './testing/package-cases/package-case';
import { rowsIn, TRIED_ROWS } from './testing/package-cases/tried-packages';
import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

it('the packages that are tried are those in the table of the guide', () => {
  const guide = readFileSync(join(__dirname, '../../../docs/pieces.md'), 'utf8');

  expect(rowsIn(guide)).toEqual(TRIED_ROWS);
});

describePublished('published packages', () => {
  const WITHIN_MS = 60_000 * patience;

  let vendors: VendorServer;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    vendors = await VendorServer.start(VENDOR_HOSTS);
    targets = await ServiceWithTargets.start(vendors.settings);
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await vendors.stop();
  });

  const client = () => targets.service.client;

  /** A flow whose only step is the action, with a connection that the step names. */
  async function publish(each: PackageCase): Promise<string> {
    const { piece, version, action, input } = each;
    const step = pieceStep('act', { ...input, auth: await connectPackage(targets, each) });
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

  describe('an action of a published package', () => {
    it.each(PACKAGE_CASES.map((each) => [each.piece, each] as const))(
      'of %s calls its vendor',
      async (_piece, each) => {
        const host = hostOf(each.call);
        const { pathname } = new URL(each.call.slice(each.call.indexOf(' ') + 1));
        vendors.answer(`${host}${pathname}`, each.answer);

        const ended = await run(await publish(each));

        expect([ended.status, ended.failedStep]).toEqual(['SUCCEEDED', undefined]);
        expect(ended.steps?.['act']?.output).toEqual(
          typeof each.output === 'object' && !Array.isArray(each.output)
            ? expect.objectContaining(each.output)
            : each.output,
        );
        const call = vendors.callsOf(host).find(({ method, url }) => `${method} ${url}`.startsWith(each.call));
        const { credentials } = each;
        expect(call?.credentials).toEqual(
          typeof credentials === 'string' ? credentials : expect.stringMatching(credentials),
        );
        if (each.body) expect(bodyOf(call?.body ?? '')).toMatchObject(each.body);
        expect(JSON.stringify(ended)).not.toContain('key-');
      },
    );

    it('fails with what its vendor answered, and no secret of its connection', async () => {
      const shop = PACKAGE_CASES.find(({ piece }) => piece === 'shopify') as PackageCase;

      const ended = await run(await publish({ ...shop, action: 'get_product', input: { id: '404' } }));

      expect(ended.status).toBe('FAILED');
      expect(JSON.stringify(ended)).toContain('404');
      expect(JSON.stringify(ended)).not.toContain('key-shopify');
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
});
