import { builtInTrigger, pieceStep } from '@millrace/domain/testing';
import { installPackage, type RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { DuePolls } from './testing/due-polls';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const PIECE = { name: '@e2e/piece-subscriptions', version: '1.0.0' };

/** A trigger that polls by a subscription, and an action that shows what is in the store. */
const SOURCE = `
const ask = async (url, method) => (await fetch(url, { method })).json();
const props = { vendor: { type: 'SHORT_TEXT', displayName: 'Vendor', required: true } };
const came = {
  name: 'came', displayName: 'Came', description: '', type: 'POLLING', requireAuth: false, props, sampleData: {},
  onEnable: async ({ propsValue: { vendor }, store }) => {
    await store.put('subscription', (await ask(vendor + '/subscriptions', 'POST')).id);
    await store.put('cursor', 0);
  },
  onDisable: async ({ propsValue: { vendor }, store }) =>
    ask(vendor + '/subscriptions/' + (await store.get('subscription')), 'DELETE'),
  run: async ({ propsValue: { vendor }, store }) => {
    const items = (await ask(vendor + '/items', 'GET')).slice(await store.get('cursor'));
    await store.put('cursor', (await store.get('cursor')) + items.length);
    await store.put('latest', items.at(-1), 'COLLECTION');
    return items.map((item) => (item.characters ? 'x'.repeat(item.characters) : item));
  },
  test: async () => [],
};
const look = {
  name: 'look', displayName: 'Look', description: '', requireAuth: false, props: {},
  run: async ({ store }) => ({
    subscription: await store.get('subscription'), cursor: await store.get('cursor'), latest: await store.get('latest', 'COLLECTION'),
  }),
};
const [actions, triggers] = [{ look }, { came }];
exports.subscriptions = {
  metadata: () => ({ displayName: 'Subscriptions', actions, triggers }),
  actions: () => actions, triggers: () => triggers,
  getAction: (name) => actions[name], getTrigger: (name) => triggers[name],
  getContextInfo: () => ({ version: '2' }),
};`;

describe('a trigger of a package that polls', () => {
  let polls: DuePolls;
  let vendor: CalledServer;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    polls = await DuePolls.makeDatabase();
    vendor = await CalledServer.start();
    targets = await ServiceWithTargets.start({ SVC_DATABASE_URL: polls.url });
    await installPackage(targets.service.client, PIECE.name, SOURCE);
  });
  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await vendor.stop();
    await polls.drop();
  });

  const inPiece = { pieceName: PIECE.name, pieceVersion: PIECE.version };
  const client = () => targets.service.client;

  async function publish(): Promise<string> {
    const step = pieceStep('look', {});
    const trigger = builtInTrigger(PIECE.name, 'came');
    const { id } = await client().publishFlow(targets.project, 'Subscriptions', {
      ...{ ...trigger, settings: { ...trigger.settings, ...inPiece, input: { vendor: vendor.baseUrl } } },
      nextAction: { ...step, settings: { ...step.settings, ...inPiece, actionName: 'look' } },
    });
    return id;
  }

  async function firstRunOf(flowId: string): Promise<RunAnswer> {
    const path = `/flow-runs?projectId=${targets.project}&flowId=${flowId}`;
    const id = await until(
      'The run',
      async () => (await client().must<{ data: { id: string }[] }>('GET', path)).data[0]?.id,
    );
    return client().endedRun(id);
  }

  it("is enabled once, shares its store with the flow's actions, and takes back what it has made", async () => {
    vendor.on('/subscriptions', (answer) => answerJson(answer, { id: 's-7' }));
    vendor.on('/items', (answer) => answerJson(answer, ['a']));

    const flowId = await publish();
    await until('The end of the first poll', async () => (await polls.makeDue(flowId)) || undefined);
    const run = await firstRunOf(flowId);

    expect(run.steps?.['trigger']?.output).toBe('a');
    expect(run.steps?.['look']?.output).toEqual({ subscription: 's-7', cursor: 1, latest: 'a' });
    await client().must('POST', `/flows/${flowId}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
    await until('The removal', async () => vendor.callsTo('/subscriptions/s-7').at(0));
    expect(vendor.callsTo('/subscriptions')).toHaveLength(1);
  });

  it('shows with the flow that it found too much at once, and what to do', async () => {
    vendor.on('/subscriptions', (answer) => answerJson(answer, { id: 's-8' }));
    vendor.on('/items', (answer) => answerJson(answer, [{ characters: 17e6 }]));
    const flowId = await publish();
    await until('The end of the first poll', async () => (await polls.makeDue(flowId)) || undefined);

    const failure = await until('The failure', async () => {
      const flow = await client().must<{ triggerFailure?: { message: string } }>('GET', `/flows/${flowId}`);
      return flow.triggerFailure?.message;
    });

    expect(failure).toBe(
      'The trigger found too much at once. The answer is too large. A message is longer than 16 MB. ' +
        'Change its inputs so that it finds fewer: it then starts runs for what is new from that moment.',
    );
  });
});
