import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { patience, type RunAnswer } from '@millrace/e2e-support';
import { PACKAGE_CASES } from './testing/package-cases';
import { connectPackage } from './testing/package-cases/connect-package';
import { describePublished } from './testing/package-cases/describe-published';
import { hostOf, type PackageCase } from './testing/package-cases/package-case';
import { ServiceWithTargets } from './testing/service-with-targets';
import { VendorServer } from './testing/vendor-server';

const BASEROW = PACKAGE_CASES.find(({ piece }) => piece === 'baserow') as PackageCase;
const HOST = hostOf(BASEROW.call);
const WITHIN_MS = 10_000 * patience;
/** Nobody listens at this port. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/' };

describePublished('the first flow with a package, in a service that has installed none', () => {
  let vendors: VendorServer;
  let targets: ServiceWithTargets;
  let flowId: string;

  beforeAll(async () => {
    vendors = await VendorServer.start([HOST]);
    vendors.answer(`${HOST}/api/database/rows/table/7/`, BASEROW.answer);
    targets = await ServiceWithTargets.start(vendors.settings);
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await vendors.stop();
  });

  async function publish({ piece, version, action, input }: PackageCase): Promise<string> {
    const step = pieceStep('act', { ...input, auth: await connectPackage(targets, BASEROW) });
    const settings = {
      ...step.settings,
      ...{ pieceName: `@activepieces/piece-${piece}`, pieceVersion: version, actionName: action },
    };
    const trigger = webhookTrigger([{ ...step, settings }]);
    return (await targets.service.client.publishFlow(targets.project, piece, trigger)).id;
  }

  async function run(): Promise<RunAnswer> {
    const { client } = targets.service;
    return client.endedRun((await client.sendWebhook(flowId, {})).body.id);
  }

  it('succeeds within 10 seconds, the installation included', async () => {
    const startedAt = performance.now();
    flowId = await publish(BASEROW);
    const ended = await run();
    const tookMs = performance.now() - startedAt;

    expect([ended.status, ended.steps?.['act']?.output]).toEqual(['SUCCEEDED', BASEROW.output]);
    expect(vendors.callsOf(HOST)).toMatchObject([{ credentials: BASEROW.credentials }]);
    expect(tookMs).toBeLessThan(WITHIN_MS);
  });

  it('succeeds again on another worker that has no registry and nothing unpacked', async () => {
    const other = await targets.service.startWorker({ ...vendors.settings, ...NO_REGISTRY });
    const thaw = targets.service.freeze('worker');
    try {
      expect((await run()).status).toBe('SUCCEEDED');
    } finally {
      thaw();
      expect(await other.stop()).toBe(0);
    }
  });
});
