import { builtInTrigger } from '@millrace/domain/testing';
import { DuePolls } from './testing/due-polls';
import { connectPackage } from './testing/package-cases/connect-package';
import { describePublished } from './testing/package-cases/describe-published';
import { hostOf, type TriedPackage } from './testing/package-cases/package-case';
import { POLL_CASES, type PollCase } from './testing/package-cases/poll-cases';
import { WEBHOOK_CASES, type WebhookCase } from './testing/package-cases/webhook-cases';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer, type VendorCall } from './testing/vendor-server';

const HOSTS = [
  ...new Set([
    ...POLL_CASES.map(({ place }) => place.slice(0, place.indexOf('/'))),
    ...WEBHOOK_CASES.map(({ remove }) => hostOf(remove)),
  ]),
];
/** The URL of a flow, wherever it is in what a vendor gets. */
const WEBHOOK_URL = /https?:[^"]+\/api\/v1\/webhooks\/[^"]+/;

describePublished('triggers of published packages', () => {
  let vendors: VendorServer;
  let polls: DuePolls;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    vendors = await VendorServer.start(HOSTS);
    polls = await DuePolls.makeDatabase();
    targets = await ServiceWithTargets.start({ ...vendors.settings, SVC_DATABASE_URL: polls.url });
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await polls.drop();
    await vendors.stop();
  });

  const client = () => targets.service.client;

  async function publish(each: TriedPackage & { trigger: string; input?: object }): Promise<string> {
    const { piece, version, trigger, input } = each;
    const flow = builtInTrigger(`@activepieces/piece-${piece}`, trigger);
    const inputs = { ...input, auth: await connectPackage(targets, each) };
    const settings = { ...flow.settings, pieceVersion: version, input: inputs };
    return (await client().publishFlow(targets.project, piece, { ...flow, settings })).id;
  }

  async function outputsOf(flowId: string): Promise<unknown[]> {
    const path = `/flow-runs?projectId=${targets.project}&flowId=${flowId}&limit=100`;
    const { data } = await client().must<{ data: { id: string }[] }>('GET', path);
    return Promise.all(data.map(async ({ id }) => (await client().endedRun(id)).steps?.['trigger']?.output));
  }

  async function storedKeys(flowId: string): Promise<string[]> {
    const path = `/store-entries?projectId=${targets.project}&scope=FLOW&scopeId=${flowId}`;
    const { data } = await client().must<{ data: { key: string }[] }>('GET', path);
    return data.map(({ key }) => key);
  }

  const callsTo = (place: string): number =>
    vendors.calls.filter(({ url }) => `${new URL(url).host}${new URL(url).pathname}` === place).length;

  /** Makes the poll due once the one under way has settled. Resolves when the vendor was asked. */
  async function pollNow(flowId: string, place: string): Promise<void> {
    let before = 0;
    await until('The settlement', async () => {
      before = callsTo(place);
      return (await polls.makeDue(flowId)) || undefined;
    });
    await until('The poll', async () => callsTo(place) > before || undefined);
  }

  it.each(POLL_CASES.map((each) => [each.piece, each] as const))(
    'a poll of %s starts one run for each new item',
    async (_piece, each: PollCase) => {
      vendors.answer(each.place, each.answer([1]));
      const flowId = await publish(each);
      await pollNow(flowId, each.place);

      vendors.answer(each.place, each.answer([3, 2, 1]));
      await pollNow(flowId, each.place);
      await pollNow(flowId, each.place);
      await until('The end of the poll without a new item', async () => (await polls.makeDue(flowId)) || undefined);

      expect(await storedKeys(flowId)).toEqual([each.compares === 'times' ? 'lastPoll' : 'lastItem']);
      const outputs = await outputsOf(flowId);
      const expected = (each.compares === 'times' ? [1, 2, 3] : [2, 3]).map(each.output);
      expect(outputs).toHaveLength(expected.length);
      expect(outputs).toEqual(expect.arrayContaining(expected.map((output) => expect.objectContaining(output))));
    },
  );

  it('a poll starts one run for each new item when its worker is killed before, while and after it commits', async () => {
    const each = POLL_CASES.find(({ compares }) => compares === 'ids') as PollCase;
    vendors.answer(each.place, each.answer([1]));
    const flowId = await publish(each);
    await pollNow(flowId, each.place);
    const items = [1];

    for (const delayMs of [0, 15, 60]) {
      items.unshift(items.length + 1);
      const killed = new Promise<void>((resolve) => {
        vendors.answer(each.place, () => {
          vendors.answer(each.place, each.answer(items));
          setTimeout(() => resolve(void targets.service.kill('worker')), delayMs);
          return each.answer(items);
        });
      });
      await pollNow(flowId, each.place);
      await killed;
      await polls.endClaim(flowId);
      await pollNow(flowId, each.place);
    }

    await until('The end of the last poll', async () => (await polls.makeDue(flowId)) || undefined);
    const outputs = await outputsOf(flowId);
    expect(outputs).toHaveLength(3);
    expect(outputs).toEqual(expect.arrayContaining([2, 3, 4].map((id) => expect.objectContaining(each.output(id)))));
  });

  const callOf = (call: string): VendorCall | undefined =>
    vendors.calls.find(({ method, url }) => `${method} ${url}`.startsWith(call));
  const placeOf = (call: string): string => call.slice(call.indexOf('//') + 2);

  it.each(WEBHOOK_CASES.map((each) => [each.piece, each] as const))(
    'a webhook of %s is registered at its vendor, starts runs, and is removed',
    async (_piece, each: WebhookCase) => {
      const [register, registered] = each.register;
      vendors.answer(placeOf(register), registered);
      vendors.answer(placeOf(each.remove), {});
      if (each.asks) vendors.answer(...each.asks);

      const flowId = await publish(each);
      const registration = callOf(register);
      expect(registration).toMatchObject({ credentials: each.credentials });
      const [url = ''] = WEBHOOK_URL.exec(registration?.body ?? '') ?? [];
      expect(url).toContain(flowId);

      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(each.sends) });
      expect(sent.status).toBe(200);
      const outputs = await until('The run', async () => {
        const found = await outputsOf(flowId);
        return found.length > 0 ? found : undefined;
      });
      expect(outputs).toEqual([expect.objectContaining(each.output ?? each.sends)]);

      const request = { status: 'DISABLED' };
      await client().must('POST', `/flows/${flowId}`, { type: 'CHANGE_STATUS', request });
      const removal = await until('The removal', async () => callOf(each.remove));
      expect(removal).toMatchObject({ credentials: each.credentials });
    },
  );
});
