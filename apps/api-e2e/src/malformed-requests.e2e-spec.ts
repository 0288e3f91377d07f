import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { isSlow, malformedCases, placeholdersIn, type MalformedCase } from './malformed/case-file';
import { CHECKED_AT_THE_END, CHECKS, NOT_SEEN_FROM_OUTSIDE } from './malformed/checks';
import { exchange, NoAnswerError, rawExchange, type Exchange } from './malformed/exchange';
import { loggedSince, logPosition, processIds, wordsOfServer, type LogPosition } from './malformed/installation';
import { LEFT_OUT } from './malformed/left-out';
import { fill, render } from './malformed/rendered-request';
import { brokenRules, INSIDE_OF_SERVER, leaksIn, type Forbidden } from './malformed/rules';
import { signaturesFor } from './malformed/signatures';
import { quiet, sendSlowly } from './malformed/slow-senders';
import { authorizationOf, makeWorld, snapshotOf, type World } from './malformed/world';

const PROBE_MS = 500;
/** A single answer may be late on a busy machine; a harmed service is late every time. */
const PROBES = 5;
const leftOut = new Set(LEFT_OUT.flatMap(({ cases }) => cases));
const run = malformedCases.filter(({ id }) => !leftOut.has(id));
const slow = run.filter(isSlow);
const quick = run.filter((one) => !isSlow(one));

function dataDirUnderTest(): string {
  const dataDir = process.env['MILLRACE_DATA_DIR'];
  if (!dataDir) throw new Error('MILLRACE_DATA_DIR is not set: run the end-to-end tests with "npm test -- e2e".');
  return dataDir;
}

describe('malformed requests', () => {
  const service = serviceUnderTest();
  let world: World;
  let forbidden: Forbidden;
  let before: { pids: object; tenant: unknown; log: LogPosition };
  let slowProblems: Promise<string[][]>;

  beforeAll(async () => {
    world = await makeWorld(service, dataDirUnderTest());
    forbidden = [
      ...INSIDE_OF_SERVER,
      ...wordsOfServer(world.installation, process.env['PATH'] ?? ''),
      ['a word of the other tenant', world.other.word],
    ];
    before = {
      pids: processIds(world.installation),
      tenant: await snapshotOf(world.other),
      log: logPosition(world.installation),
    };
    slowProblems = Promise.all(slow.map((one) => sendSlowly(one, world)));
  });

  afterAll(() => world.canary.close());

  const rendered = (one: MalformedCase) =>
    render(one, new Map([...world.values, ...signaturesFor(one)]), authorizationOf(one, world, service));

  const send = (one: MalformedCase): Promise<Exchange> =>
    one.rawRequest
      ? rawExchange(world.baseUrl, [fill(one.rawRequest, quiet(world))])
      : exchange(world.baseUrl, rendered(one));

  async function problemsOf(one: MalformedCase): Promise<string[]> {
    try {
      if (one.path.includes('{flow_touched_by_user2_id}')) await world.touchFlow();
      const answer = await send(one);
      const request = rendered(one);
      const check = CHECKS[one.check ?? ''];
      return [
        ...brokenRules(one, answer, forbidden, false),
        ...((await check?.({ one, world, request, answer })) ?? []),
      ];
    } catch (error) {
      if (error instanceof NoAnswerError) return [`no answer: ${error.message}`];
      throw error;
    }
  }

  async function problemsOfProbe(tries = PROBES): Promise<string[]> {
    const started = performance.now();
    const { status } = await world.owner.request('GET', `/flows?projectId=${world.values.get('project_id')}`);
    const ms = Math.round(performance.now() - started);
    if (status === 200 && ms > PROBE_MS && tries > 1) return problemsOfProbe(tries - 1);
    return status === 200 && ms <= PROBE_MS ? [] : [`a good request after it got ${status} after ${ms} ms`];
  }

  it('leave out only what the service cannot do yet', async () => {
    const missing = await Promise.all(LEFT_OUT.map((entry) => entry.stillMissing(world)));
    const possible = LEFT_OUT.filter((_, index) => !missing[index]).map(({ reason }) => reason);
    console.info(
      [`${run.length} of ${malformedCases.length} malformed requests are sent; left out:`]
        .concat(LEFT_OUT.map(({ reason, cases }) => `${cases.length} since ${reason}: ${cases.join(', ')}`))
        .join('\n'),
    );

    expect(malformedCases).toHaveLength(280);
    expect(run.length + LEFT_OUT.flatMap(({ cases }) => cases).length).toBe(malformedCases.length);
    expect(possible).toEqual([]);
  });

  it('are checked for everything that can be seen', () => {
    const known = [...Object.keys(CHECKS), ...CHECKED_AT_THE_END, ...NOT_SEEN_FROM_OUTSIDE];
    expect(run.map(({ check }) => check ?? '').filter((check) => check && !known.includes(check))).toEqual([]);
  });

  it('are sent with a value for every placeholder', () => {
    const known = (one: MalformedCase) => new Map([...world.values, ...signaturesFor(one), ['body_limit_bytes', '1']]);
    const unfilled = run
      .map((one) => [one.id, placeholdersIn(fill(JSON.stringify(one), known(one)))] as const)
      .filter(([, placeholders]) => placeholders.length > 0);
    expect(Object.fromEntries(unfilled)).toEqual({});
  });

  it('carry tokens that are wrong in one respect only', async () => {
    const holder = new ServiceClient(world.baseUrl, world.goodToken);
    expect((await holder.request('GET', '/users/me')).status).toBe(200);
  });

  it.each([...new Set(quick.map(({ group }) => group))])('of the group %s are refused in order', async (group) => {
    const problems: Record<string, string[]> = {};
    for (const one of quick.filter((each) => each.group === group)) {
      const found = [...(await problemsOf(one)), ...(await problemsOfProbe())];
      if (found.length > 0) problems[one.id] = found;
    }
    expect(problems).toEqual({});
  });

  it('sent slowly are ended in time, and keep nobody else waiting', async () => {
    const found = await slowProblems;
    const problems = Object.fromEntries(slow.map(({ id }, index) => [id, found[index]]));
    expect(problems).toEqual(Object.fromEntries(slow.map(({ id }) => [id, []])));
    expect(await CHECKS['queue depth unchanged']?.({ world } as never)).toEqual([]);
  });

  it('leave the flow that they were aimed at readable', async () => {
    const flow = world.values.get('flow_id');
    for (const path of [`/flows/${flow}`, `/flows/${flow}/template`])
      expect(await world.owner.request('GET', path)).toMatchObject({ status: 200 });
  });

  it('change nothing of another tenant, call nobody, and end no process', async () => {
    expect(await snapshotOf(world.other)).toEqual(before.tenant);
    expect(world.canary.hits).toEqual([]);
    expect(processIds(world.installation)).toEqual(before.pids);
  });

  it('leave nothing secret in the log', () => {
    const lines = loggedSince(world.installation, before.log);
    expect(lines.flatMap((line) => leaksIn(line, forbidden))).toEqual([]);
  });
});
