import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, patience, type ServiceProcess } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer } from './testing/vendor-server';

const RUNS = 20;
const WITHIN_MS = 60_000 * patience;
const PIECE = { name: '@e2e/piece-ledger', version: '1.0.0' };
const LOGIN = 'login.ledger.example';
const API = 'api.ledger.example';
const CLIENT = { client_id: 'flows', redirect_url: 'https://flows.example/redirect' };

/** An action that calls its vendor with the access token of a connection by which people sign in. */
const SOURCE = `
const auth = {
  type: 'OAUTH2', displayName: 'Ledger', required: true, props: {}, scope: [],
  authUrl: 'https://${LOGIN}/authorize', tokenUrl: 'https://${LOGIN}/token',
};
const entries = {
  name: 'entries', displayName: 'Entries', description: '', requireAuth: true, props: {},
  run: async ({ auth }) => {
    const headers = { authorization: 'Bearer ' + auth.access_token };
    return (await fetch('https://${API}/entries', { headers })).json();
  },
};
const actions = { entries };
exports.ledger = {
  auth,
  metadata: () => ({ displayName: 'Ledger', description: '', actions, triggers: {}, auth }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

describe('an action of a package with a connection by which a person signed in', () => {
  let vendors: VendorServer;
  let targets: ServiceWithTargets;
  let other: ServiceProcess;

  beforeAll(async () => {
    vendors = await VendorServer.start([LOGIN, API]);
    vendors.answer(`${API}/entries`, [{ id: 1 }]);
    targets = await ServiceWithTargets.start(vendors.settings);
    other = await targets.service.startWorker(vendors.settings);
    await installPackage(targets.service.client, PIECE.name, SOURCE);
  });

  afterAll(async () => {
    expect(await other.stop()).toBe(0);
    expect(await targets.service.stop()).toBe(0);
    await vendors.stop();
  });

  /** Signs in as a person would. The token that the vendor gives expires at once. */
  async function signIn(externalId: string): Promise<void> {
    const { client } = targets.service;
    const about = { projectId: targets.project, externalId, displayName: 'Ledger', type: 'OAUTH2' };
    const begun = { ...CLIENT, projectId: targets.project, authorization_url: `https://${LOGIN}/authorize` };
    const { state } = await client.must<{ state: string }>('POST', '/connections/oauth2/authorization-url', begun);
    vendors.answer(`${LOGIN}/token`, { access_token: 'the-first-token', refresh_token: 'again', expires_in: 0.001 });
    const given = { ...CLIENT, client_secret: 'a secret', token_url: `https://${LOGIN}/token`, code: 'a code', state };
    await client.must('POST', '/connections', { ...about, value: given });
  }

  it('refreshes its expired token once for many runs on several workers', async () => {
    await signIn('ledger');
    vendors.calls.length = 0;
    let refresh: () => void = () => undefined;
    const fresh = { access_token: 'the-second-token', expires_in: 3_600 };
    vendors.answer(`${LOGIN}/token`, () => new Promise((done) => (refresh = () => done(fresh))));
    const step = pieceStep('act', { auth: "{{ connections['ledger'] }}" });
    const named = { pieceName: PIECE.name, pieceVersion: PIECE.version, actionName: 'entries' };
    const trigger = webhookTrigger([{ ...step, settings: { ...step.settings, ...named } }]);
    const { client } = targets.service;
    const { id: flowId } = await client.publishFlow(targets.project, 'Ledger', trigger);

    const begun = await Promise.all(Array.from({ length: RUNS }, () => client.sendWebhook(flowId, {})));
    await until('A refresh', async () => (vendors.callsOf(LOGIN).length > 0 ? true : undefined));
    refresh();
    const ended = await Promise.all(begun.map(({ body }) => client.endedRun(body.id, WITHIN_MS)));

    expect(ended.map(({ status, failedStep }) => [status, failedStep])).toEqual(
      Array.from({ length: RUNS }, () => ['SUCCEEDED', undefined]),
    );
    const refreshes = vendors.callsOf(LOGIN).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(refreshes).toEqual([expect.objectContaining({ grant_type: 'refresh_token', refresh_token: 'again' })]);
    const tokens = vendors.callsOf(API).map(({ credentials }) => credentials);
    expect(tokens).toEqual(Array.from({ length: RUNS }, () => 'Bearer the-second-token'));
    expect(JSON.stringify(ended)).not.toMatch(/the-(first|second)-token/);
  });
});
