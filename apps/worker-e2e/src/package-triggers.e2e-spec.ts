import { builtInTrigger } from '@millrace/domain/testing';
import { registryHas } from '@millrace/e2e-support';
import { DuePolls } from './testing/due-polls';
import { connectPackage } from './testing/package-cases/connect-package';
import type { TriedPackage } from './testing/package-cases/package-case';
import { POLL_CASES, type PollCase } from './testing/package-cases/poll-cases';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer } from './testing/vendor-server';

const whereTheyAre = registryHas('@activepieces/piece-baserow', '0.10.0') ? describe : describe.skip;
const HOSTS = [...new Set(POLL_CASES.map(({ place }) => place.slice(0, place.indexOf('/'))))];

whereTheyAre('triggers of published packages (left out where the registry has none of them)', () => {
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
      await pollNow(flowId, each.place); // so the first one has ended
      const before = (await outputsOf(flowId)).length;

      vendors.answer(each.place, each.answer([3, 2, 1]));
      await pollNow(flowId, each.place);
      await pollNow(flowId, each.place);
      await pollNow(flowId, each.place); // so the one without a new item has ended

      const outputs = await outputsOf(flowId);
      expect(outputs).toHaveLength(before + 2);
      expect(outputs).toEqual(
        expect.arrayContaining([2, 3].map((number) => expect.objectContaining(each.output(number)))),
      );
    },
  );
});
