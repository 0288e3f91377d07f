import type { FlowTrigger } from '@millrace/domain';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { aPackage, patience } from '@millrace/e2e-support';
import { Client } from 'pg';
import { saying } from './testing/saying-package';
import { ServiceWithTargets } from './testing/service-with-targets';

const SAYER = saying(`'it'`);
const NAME = '@e2e/piece-of-administrators';
const REFUSAL = `The package ${NAME} 1.0.0 was not installed by an administrator, which SVC_PIECE_PACKAGES requires here.`;
const PATH = `/pieces/${encodeURIComponent(NAME)}`;

jest.setTimeout(300_000 * patience);

describe('packages where only administrators install them', () => {
  let targets: ServiceWithTargets;
  beforeAll(async () => {
    targets = await ServiceWithTargets.start({ SVC_PIECE_PACKAGES: 'admin' });
  });
  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
  });

  const client = () => targets.service.client;
  const send = async () =>
    client().request('POST', '/pieces/archives', await aPackage(NAME, SAYER), { 'content-type': 'application/gzip' });

  function flow(): FlowTrigger {
    const step = pieceStep('act', {});
    const settings = { ...step.settings, pieceName: NAME, pieceVersion: '1.0.0', actionName: 'say' };
    return webhookTrigger([{ ...step, settings }]);
  }

  async function ran(flowId: string) {
    const { body } = await client().sendWebhook(flowId, {});
    return (await client().endedRun(body.id)).steps?.['act'];
  }

  /** Leaves the package as one that a flow had installed while the setting was another one. */
  async function forgetAdministrator(): Promise<void> {
    const database = new Client({ connectionString: targets.service.databaseUrl });
    await database.connect();
    await database.query('update piece_package set installed_by_admin = false');
    await database.end();
  }

  it('are not used when a flow had them installed, until an administrator lets them in', async () => {
    expect(await send()).toMatchObject({ status: 201 });
    const { id } = await client().publishFlow(targets.project, 'Says', flow());
    expect(await ran(id)).toMatchObject({ status: 'SUCCEEDED', output: { said: 'it' } });

    await forgetAdministrator();
    targets.service.kill('worker'); // another one looks the package up

    const message = expect.stringContaining(REFUSAL);
    expect(await ran(id)).toMatchObject({ status: 'FAILED', errorMessage: message });
    expect(await client().request('GET', PATH)).toMatchObject({ status: 404 });
    await client().importFlow(id, 'Says', flow());
    expect(await client().request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} })).toMatchObject({
      status: 409,
      body: { code: 'FLOW_VERSION_INVALID', params: { problems: [{ stepName: 'act', message }] } },
    });

    expect(await send()).toMatchObject({ status: 200 });
    await client().must('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    expect(await ran(id)).toMatchObject({ status: 'SUCCEEDED', output: { said: 'it' } });
    expect(await client().request('GET', PATH)).toMatchObject({ status: 200 });
    const { data } = await client().must<{ data: { action: string }[] }>(
      'GET',
      `/audit-events?targetId=${encodeURIComponent(NAME)}`,
    );
    expect(data.map(({ action }) => action)).toEqual(['piece.installed', 'piece.installed']);
  });
});
