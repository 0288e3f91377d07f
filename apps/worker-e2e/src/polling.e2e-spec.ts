import type { FlowTrigger, PopulatedFlow } from '@millrace/domain';
import { builtInTrigger } from '@millrace/domain/testing';
import type { RunAnswer } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { DuePolls } from './testing/due-polls';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

let polls: DuePolls;
let targets: ServiceWithTargets;
let server: CalledServer;

beforeAll(async () => {
  server = await CalledServer.start();
  polls = await DuePolls.makeDatabase();
  targets = await ServiceWithTargets.start({ SVC_DATABASE_URL: polls.url });
});

afterAll(async () => {
  await server.stop();
  expect(await targets.service.stop()).toBe(0);
  await polls.drop();
});

const client = () => targets.service.client;
const polling = (triggerName: string, input: Record<string, unknown>): FlowTrigger => {
  const trigger = builtInTrigger('polling', triggerName);
  return { ...trigger, settings: { ...trigger.settings, input } };
};
const publish = (trigger: FlowTrigger) => client().publishFlow(targets.project, 'Polls', trigger);
const readFlow = (flowId: string) => client().must<PopulatedFlow>('GET', `/flows/${flowId}`);
const operate = (flowId: string, type: string, request: object) =>
  client().must('POST', `/flows/${flowId}`, { type, request });

/** Resolves when the server was called this often. */
const calledTimes = (path: string, times: number) =>
  until(`Call ${times} of ${path}`, async () => (server.callsTo(path).length >= times ? true : undefined));

/** Makes the poll due, once the one under way has settled, and resolves when the server was asked. */
async function pollNow(flowId: string, path: string): Promise<void> {
  let before = 0;
  await until('The settlement', async () => {
    before = server.callsTo(path).length;
    return (await polls.makeDue(flowId)) || undefined;
  });
  await calledTimes(path, before + 1);
}

/** The outputs of the triggers of the flow's runs, oldest first, when there are so many. */
async function itemsOf(flowId: string, count: number): Promise<unknown[]> {
  const page = await until(`Run ${count}`, async () => {
    const path = `/flow-runs?projectId=${targets.project}&flowId=${flowId}&limit=100`;
    const { data } = await client().must<{ data: { id: string }[] }>('GET', path);
    return data.length >= count ? data : undefined;
  });
  const runs = await Promise.all(page.reverse().map(({ id }) => client().endedRun(id)));
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'SUCCEEDED'));
  return runs.map((run: RunAnswer) => run.steps?.['trigger']?.output);
}

describe('polling.new_item_in_json', () => {
  const path = '/rows';
  let rows: { id: number }[] = [{ id: 1 }];
  let flowId: string;

  beforeAll(async () => {
    server.on(path, (answer, { headers }) => {
      const etag = `"${rows.map(({ id }) => id).join()}"`;
      if (headers['if-none-match'] === etag) answer.writeHead(304).end();
      else answerJson(answer, { data: { rows } }, 200, { etag });
    });
    await targets.connect('rows', 'SECRET_TEXT', { secret_text: 'top-secret-token' });
    const auth = { authType: 'bearer', authFields: { token: "{{connections['rows']}}" } };
    const input = { url: `${server.baseUrl}${path}`, itemsPath: 'data.rows', idPath: 'id', ...auth };
    flowId = (await publish(polling('new_item_in_json', input))).id;
    await calledTimes(path, 1);
  });

  it('starts one run for each item that is new since the flow was enabled, oldest first', async () => {
    rows = [{ id: 3 }, { id: 2 }, { id: 1 }];
    await pollNow(flowId, path);

    expect(await itemsOf(flowId, 2)).toEqual([{ id: 2 }, { id: 3 }]);
    expect(server.callsTo(path)[0]?.headers['authorization']).toBe('Bearer top-secret-token');
    const { data } = await client().must<{ data: RunAnswer[] }>(
      'GET',
      `/flow-runs?projectId=${targets.project}&flowId=${flowId}`,
    );
    expect(data[0]).toMatchObject({ triggeredBy: 'polling', environment: 'PRODUCTION' });
  });

  it('asks only for changes, and starts nothing for items that changed their places', async () => {
    await pollNow(flowId, path);
    expect(server.callsTo(path).at(-1)?.headers['if-none-match']).toBe('"3,2,1"');

    rows = [{ id: 1 }, { id: 3 }];
    await pollNow(flowId, path);
    rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
    await pollNow(flowId, path);
    await pollNow(flowId, path);

    expect(await itemsOf(flowId, 2)).toHaveLength(2);
  });

  it('goes on where it stopped when the flow is disabled and enabled, and published again', async () => {
    await operate(flowId, 'CHANGE_STATUS', { status: 'DISABLED' });
    rows = [{ id: 4 }, ...rows];
    const asked = server.callsTo(path).length;
    await operate(flowId, 'CHANGE_STATUS', { status: 'ENABLED' });
    await calledTimes(path, asked + 1);
    expect((await itemsOf(flowId, 3)).at(-1)).toEqual({ id: 4 });

    const { version } = await readFlow(flowId);
    await client().importFlow(flowId, 'Polls again', version.trigger);
    rows = [{ id: 5 }, ...rows];
    await operate(flowId, 'LOCK_AND_PUBLISH', {});
    expect((await itemsOf(flowId, 4)).at(-1)).toEqual({ id: 5 });
  });

  it('starts exactly one run for each item when workers are killed while they poll', async () => {
    const before = (await itemsOf(flowId, 4)).length;
    rows = [{ id: 7 }, { id: 6 }, ...rows];
    const asked = server.callsTo(path).length;
    server.on(path, (answer, _call, earlier) => {
      answerJson(answer, { data: { rows } });
      if (earlier === asked) targets.service.kill('worker');
    });
    await pollNow(flowId, path);
    await polls.endClaim(flowId);

    await pollNow(flowId, path);

    expect((await itemsOf(flowId, before + 2)).slice(before)).toEqual([{ id: 6 }, { id: 7 }]);
  });
});

describe('polling.new_item_in_feed', () => {
  it('shows on the flow that the feed fails, and goes on when it does not any more', async () => {
    const path = '/feed';
    let items = '<item><guid>a</guid></item>';
    let status = 200;
    server.on(path, (answer) =>
      answer
        .writeHead(status, { 'content-type': 'application/rss+xml' })
        .end(`<rss><channel><title>News</title>${items}</channel></rss>`),
    );
    const { id } = await publish(polling('new_item_in_feed', { url: `${server.baseUrl}${path}` }));
    await calledTimes(path, 1);
    expect((await readFlow(id)).triggerFailure).toBeUndefined();

    status = 500;
    await pollNow(id, path);
    const { triggerFailure } = await until('The failure', async () => {
      const flow = await readFlow(id);
      return flow.triggerFailure ? flow : undefined;
    });
    expect(triggerFailure).toEqual({
      message: expect.stringContaining('The server answered 500'),
      since: expect.any(String),
      failures: 1,
    });

    status = 200;
    items = `<item><guid>b</guid><title>B &amp; C</title><link>/b</link></item>${items}`;
    await pollNow(id, path);
    expect(await itemsOf(id, 1)).toMatchObject([
      { id: 'b', title: 'B & C', link: `${server.baseUrl}/b`, feed: { title: 'News' } },
    ]);
    expect((await readFlow(id)).triggerFailure).toBeUndefined();
  });
});
