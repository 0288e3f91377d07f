import { randomBytes } from 'node:crypto';
import type { FlowTrigger } from '@millrace/domain';
import { branch, builtInTrigger, codeStep, loop, router, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, type RunAnswer } from '@millrace/e2e-support';
import { Client } from 'pg';
import { io, type Socket } from 'socket.io-client';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';
import { textsInDatabase, textsInRedis } from './testing/stored-texts';

const TOKEN = 'nobody-may-read-this-51c9';
const REDACTED = '**REDACTED**';

describe('a connection in a run', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;

  beforeAll(async () => {
    server = await CalledServer.start();
    targets = await ServiceWithTargets.start();
    await targets.connect('warehouse', 'SECRET_TEXT', { secret_text: TOKEN });
    await targets.connect('login', 'BASIC_AUTH', { username: 'ada', password: TOKEN });
    await targets.connect('custom', 'CUSTOM_AUTH', { props: { region: 'europe', deep: { token: TOKEN } } });
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const bearer = (path: string, token: string) =>
    actionStep('call', 'http.send_request', {
      method: 'GET',
      url: `${server.baseUrl}${path}`,
      authType: 'bearer',
      authFields: { token },
    });

  it.each([
    ['its secret text', '/text', "{{ connections['warehouse'] }}"],
    ['its password', '/password', "{{ connections['login'].password }}"],
    ['a custom property', '/custom', "{{ connections['custom'].deep.token }}"],
    ['what JavaScript makes of it', '/script', "{{ connections['warehouse'].trim() }}"],
  ])('is sent as %s, and reads as redacted in the run', async (_, path, expression) => {
    const run = await targets.run([bearer(path, expression)]);

    expect(run.status).toBe('SUCCEEDED');
    expect(server.callsTo(path)).toMatchObject([{ headers: { authorization: `Bearer ${TOKEN}` } }]);
    expect(run.steps?.['call']?.input).toMatchObject({ authFields: { token: REDACTED } });
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  it('is masked in messages and logs of steps that were given it', async () => {
    const code = `export const code = ({ token }) => { console.log('got ' + token); throw new Error('bad ' + token); };`;

    const run = await targets.run([codeStep('step', { token: "{{ connections['warehouse'] }}" }, code)]);

    expect(run).toMatchObject({ status: 'FAILED', failedStep: { message: expect.stringContaining(REDACTED) } });
    expect(run.steps?.['step']?.logs).toEqual([`got ${REDACTED}`]);
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  it('is refused as a part of a key of the store, which everybody reads', async () => {
    const run = await targets.run([
      actionStep('put', 'store.put', { key: "k-{{ connections['warehouse'] }}", value: 1 }),
    ]);

    expect(run).toMatchObject({
      status: 'FAILED',
      failedStep: { message: expect.stringContaining('The key of the store has a value of a connection') as string },
    });
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  it('that is unknown reads as nothing in code', async () => {
    const run = await targets.run([codeStep('step', { token: "{{ connections['unknown'] }}" })]);

    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: { step: { output: { token: '' } } } });
  });

  it('that is unknown fails the step of a piece, which names it, also in an optional input', async () => {
    const headers = { authorization: "Bearer {{ connections['unknown'] }}" };
    const call = actionStep('call', 'http.send_request', { method: 'GET', url: `${server.baseUrl}/unknown`, headers });

    const run = await targets.run([call]);

    const message = 'The input headers names the connection "unknown", and there is no such connection.';
    expect(run).toMatchObject({ status: 'FAILED', failedStep: { name: 'call', message } });
    expect(server.callsTo('/unknown')).toEqual([]);
  });

  it('is read anew by each run, so that a new secret counts from the next one', async () => {
    await targets.connect('changing', 'SECRET_TEXT', { secret_text: 'the-first-secret' });
    server.on('/changing', (answer) => answerJson(answer, {}));
    await targets.run([bearer('/changing', "{{ connections['changing'] }}")]);

    await targets.connect('changing', 'SECRET_TEXT', { secret_text: 'the-second-secret' });
    await targets.run([bearer('/changing', "{{ connections['changing'] }}")]);

    expect(server.callsTo('/changing').map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-first-secret',
      'Bearer the-second-secret',
    ]);
  });

  describe('whose stored bytes somebody has moved', () => {
    let db: Client;
    const unreadable = (what: string) =>
      `It is not possible to open ${what}: the stored bytes were changed, or belong to another row.`;
    const idOf = async (externalId: string, projectId: string) => {
      const path = `/connections?projectId=${projectId}&externalIds=${externalId}`;
      const { data } = await targets.service.client.must<{ data: { id: string }[] }>('GET', path);
      return data[0]?.id ?? '';
    };
    /** Runs a step that reads the connection, in a project of its own or another one. */
    const runWith = async (externalId: string, projectId = targets.project) => {
      const step = codeStep('read', { token: `{{ connections['${externalId}'] }}` });
      const { client } = targets.service;
      const flow = await client.publishFlow(projectId, 'Read', webhookTrigger([step]));
      return client.endedRun((await client.sendWebhook(flow.id, {})).body.id);
    };
    const swap = (table: string, column: string, one: string, other: string) =>
      db.query(
        `update ${table} t set ${column} = (select ${column} from ${table} where id = swapped.from_id)
         from (values ($1::uuid, $2::uuid), ($2, $1)) as swapped (id, from_id) where t.id = swapped.id`,
        [one, other],
      );

    beforeAll(async () => {
      db = new Client({ connectionString: targets.service.databaseUrl });
      await db.connect();
    });
    afterAll(() => db.end());

    it('is unreadable, as is the other one: its test and its runs say so, and all else goes on', async () => {
      const { client } = targets.service;
      const names = ['left', 'right'];
      for (const name of [...names, 'beside'])
        await targets.connect(name, 'SECRET_TEXT', { secret_text: `${name} secret` });
      const ids = await Promise.all(names.map((name) => idOf(name, targets.project)));

      await swap('connection', 'value', ids[0] ?? '', ids[1] ?? '');

      for (const [index, name] of names.entries()) {
        const message = unreadable(`the value of the connection ${name}`);
        expect(await client.must('POST', `/connections/${ids[index]}/test`)).toEqual({ ok: false, message });
        expect(await client.must('GET', `/connections/${ids[index]}`)).toMatchObject({ externalId: name });
        expect(await runWith(name)).toMatchObject({
          status: 'FAILED',
          failedStep: { name: 'read', message: `The connection "${name}" cannot be used: ${message}` },
        });
      }
      expect(await runWith('beside')).toMatchObject({
        status: 'SUCCEEDED',
        steps: { read: { output: { token: REDACTED } } },
      });
      await targets.connect('left', 'SECRET_TEXT', { secret_text: 'given again' });
      expect(await runWith('left')).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('is unreadable with all of its project when the keys of two projects were swapped', async () => {
      const { client } = targets.service;
      const projects = await Promise.all(['One', 'Other'].map((name) => client.createProject(name)));
      for (const projectId of projects) {
        const value = { secret_text: 'a secret of a project' };
        const names = { externalId: 'crm', displayName: 'CRM', type: 'SECRET_TEXT' };
        await client.must('POST', '/connections', { ...names, projectId, value });
      }
      const { rows } = await db.query<{ id: string }>(
        `select id from data_key where purpose = 'secrets' and project_id = any($1) order by project_id`,
        [projects],
      );
      const keys = rows.map(({ id }) => id);

      await swap('data_key', 'wrapped', keys[0] ?? '', keys[1] ?? '');

      for (const [index, projectId] of [...projects].sort().entries())
        expect(await runWith('crm', projectId)).toMatchObject({
          status: 'FAILED',
          failedStep: { message: `The connection "crm" cannot be used: ${unreadable(`the data key ${keys[index]}`)}` },
        });
      expect(await runWith('warehouse')).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('opens nothing of another project, and no event is signed by a secret of another destination', async () => {
      const { client } = targets.service;
      const projectId = await client.createProject('Thief');
      const value = { secret_text: 'own' };
      const names = { externalId: 'warehouse', displayName: 'Own', type: 'SECRET_TEXT' };
      const own = await client.must<{ id: string }>('POST', '/connections', { ...names, projectId, value });
      const body = { projectId, url: `${server.baseUrl}/events`, events: ['flow.created'] };
      const [one, other] = [
        await client.must<{ id: string }>('POST', '/event-destinations', body),
        await client.must<{ id: string }>('POST', '/event-destinations', body),
      ];

      await swap('connection', 'value', own.id, await idOf('warehouse', targets.project));
      await swap('event_destination', 'secret', one.id, other.id);

      const message = unreadable('the value of the connection warehouse');
      expect(await client.must('POST', `/connections/${own.id}/test`)).toEqual({ ok: false, message });
      expect(await client.must('POST', `/event-destinations/${one.id}/test`)).toEqual({
        delivered: false,
        status: null,
        error: unreadable(`the secret of the event destination ${one.id}`),
      });
      await targets.connect('warehouse', 'SECRET_TEXT', { secret_text: TOKEN });
    });
  });

  describe('whose values a flow echoes on purpose', () => {
    const SECRETS = Array.from(
      { length: 20 },
      (_, index) => `Canary-${index}/\\"${randomBytes(9).toString('base64')}"+ü<&>${index === 19 ? '\n' : ''}`,
    );
    const PIN = 938_475_610;
    const smallCodes = (text: string) => text.replace(/%../g, (code) => code.toLowerCase());
    const asHtml = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    const FORMS: ((secret: string) => string)[] = [
      (secret) => secret,
      (secret) => JSON.stringify(secret).slice(1, -1),
      (secret) => encodeURIComponent(secret),
      (secret) => Buffer.from(secret).toString('base64'),
      (secret) => Buffer.from(secret).toString('base64url'),
      (secret) => Buffer.from(secret).toString('hex'),
      (secret) => secret.trim(),
      (secret) => secret.toLowerCase(),
      encodeURI,
      (secret) => smallCodes(encodeURIComponent(secret)),
      (secret) => new URL(`http://h/${secret}`).pathname.slice(1),
      (secret) => new URL(`http://h/?${secret}`).search.slice(1),
      (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
      asHtml,
    ];
    /** What nobody may find: each secret in each form, and as JSON escapes it. */
    const HIDDEN = SECRETS.flatMap((secret) => FORMS.map((form) => form(secret)))
      .flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
      .concat(String(PIN));
    const hiddenIn = (text: string): string[] => HIDDEN.filter((hidden) => text.includes(hidden));
    const first = SECRETS[0] ?? '';

    const give = codeStep(
      'give',
      { all: "{{ connections['canary'].list }}", pin: "{{ connections['canary'].pin }}" },
      `export const code = ({ all, pin }) => {
        const hex = (bytes) => bytes.reduce((text, byte) => text + byte.toString(16).padStart(2, '0'), '');
        const escapes = (text) => unescape(encodeURIComponent(text)).split('').map((c) => c.charCodeAt(0));
        const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
        const base64 = (bytes) => {
          const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
          const groups = bits.match(/.{1,6}/g).map((six) => letters[parseInt(six.padEnd(6, '0'), 2)]).join('');
          return groups + '='.repeat((4 - (groups.length % 4)) % 4);
        };
        const url = (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
        return {
          all, first: all[0], header: 'Bearer ' + hex(escapes(all[0])),
          json: all.map((text) => JSON.stringify({ text })), uri: all.map(encodeURIComponent),
          base64: all.map((text) => base64(escapes(text))), base64url: all.map((text) => url(base64(escapes(text)))),
          wholeUri: all.map(encodeURI), small: all.map((text) => text.toLowerCase()), pin: [pin, 'pin ' + pin],
          twice: all.map((text) => JSON.stringify(JSON.stringify(text))), trimmed: all.map((text) => text.trim()),
          html: all.map((text) => text.replace(/[&<>"]/g, (c) => '&' + { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[c] + ';')),
          codes: all.map((text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())),
          hex: all.map((text) => hex(escapes(text))), keys: Object.fromEntries(all.map((text, i) => [text, i])),
        };
      };`,
    );
    const send = (name: string, path: string, value: string) =>
      actionStep(name, 'http.send_request', {
        method: 'POST',
        url: `${server.baseUrl}${path}`,
        bodyType: 'json',
        body: { value },
      });
    const sentTo = (path: string) =>
      server.callsTo(path).map(({ body }) => (JSON.parse(body) as { value: unknown }).value);

    /** A flow that hands the values to every piece, waits, and sends them after the wait. */
    const echoing = (child: string) => [
      give,
      actionStep('map', 'data_mapper.advanced_mapping', {
        mapping: { of: '{{ give.all }}', text: 'a {{ give.first }} b' },
      }),
      loop('each', '{{ give.all }}', [codeStep('inner', { item: '{{ each.item }}' })]),
      router('route', [
        branch('One', [[{ operator: 'TEXT_CONTAINS', firstValue: '{{ give.first }}', secondValue: 'Canary' }]]),
      ]),
      actionStep('tag', 'flow_control.add_tag', { name: '{{ give.first }}' }),
      actionStep('put', 'store.put', { key: 'canary', value: { kept: '{{ give.all }}' } }),
      actionStep('emit', 'events.emit', { name: 'canary', data: { value: '{{ give.all }}' } }),
      codeStep(
        'large',
        { all: '{{ give.all }}' },
        `export const code = ({ all }) => ({ pad: 'x'.repeat(1_200_000), all });`,
      ),
      codeStep(
        'loud',
        { all: '{{ give.all }}' },
        `export const code = ({ all }) => { all.forEach((text) => console.log('got', text)); throw new Error(all.join()); };`,
        { errorHandlingOptions: { continueOnFailure: { value: true } } },
      ),
      actionStep('call', 'subflows.call_flow', {
        flowId: child,
        payload: { all: '{{ give.all }}' },
        waitForResponse: true,
      }),
      actionStep('wait', 'delay.delay_for', { unit: 'seconds', delayFor: 1 }),
      actionStep('get', 'store.get', { key: 'canary' }),
      send('afterwards', '/canary/resumed', '{{ give.all }}{{ give.header }}'),
      send('pin', '/canary/pin', '{{ give.pin[0] }}'),
      send('fromChild', '/canary/child', '{{ call.echo }}'),
      send('fromStore', '/canary/store', '{{ get.kept }}'),
      send('fromFile', '/canary/file', '{{ large.all }}'),
      send('fromLoop', '/canary/loop', '{{ each.iterations[0].inner.output.item }}'),
      actionStep('answer', 'webhook.return_response', {
        responseType: 'json',
        fields: { status: 200, body: { all: '{{ give.all }}' } },
      }),
    ];

    let runId: string;
    let run: RunAnswer;
    let rerun: string;
    let flowIds: string[];
    let token: string;
    let answered: unknown;
    let socket: Socket | undefined;
    const messages: unknown[] = [];

    const publish = async (name: string, trigger: FlowTrigger): Promise<string> =>
      (await targets.service.client.publishFlow(targets.project, name, trigger)).id;
    const watch = async (room: string): Promise<unknown> => socket?.timeout(20_000).emitWithAck('subscribe', room);

    /** Publishes the flow, one that it calls and one that hears its event. */
    async function publishAll(): Promise<string> {
      const answer = actionStep('answer', 'subflows.return_response', { response: { echo: '{{ trigger.all }}' } });
      const child = await publish('Child', builtInTrigger('subflows', 'callable_flow', [answer]));
      const sent = send('sent', '/canary/event', '{{ trigger.data.value }}');
      const listener = await publish('Listener', builtInTrigger('events', 'on_event', [sent], { name: 'canary' }));
      const flow = await publish('Echo', webhookTrigger(echoing(child)));
      flowIds = [flow, child, listener];
      return flow;
    }

    beforeAll(async () => {
      const { client } = targets.service;
      const { project } = targets;
      await targets.connect('canary', 'CUSTOM_AUTH', { props: { list: SECRETS, pin: PIN } });
      const flow = await publishAll();
      const key = { displayName: 'Live', projectId: project };
      token = (await client.must<{ value: string }>('POST', '/api-keys', key)).value;
      socket = io(client.baseUrl, { path: '/api/socket.io', auth: { token }, transports: ['websocket'] });
      socket.onAny((...message: unknown[]) => messages.push(message));
      await watch('project');

      const answer = await client.request('POST', `/webhooks/${flow}/sync`, {});
      answered = answer.body;
      runId = answer.headers.get('x-webhook-id') ?? '';
      run = await client.endedRun(runId);
      rerun = (await client.must<{ id: string }>('POST', `/flow-runs/${runId}/rerun`, { fromStep: 'afterwards' })).id;
      await watch(`run:${rerun}`);
      await client.endedRun(rerun);
      for (const { id } of await runsOfProject()) await client.endedRun(id);
    });

    afterAll(() => void socket?.close());

    const runsOfProject = async (): Promise<RunAnswer[]> =>
      (await targets.service.client.must<{ data: RunAnswer[] }>('GET', runsPath())).data;
    const runsPath = () => `/flow-runs?projectId=${targets.project}&limit=100`;

    it('are sent as they are: by the run after its pause, by its rerun, and by the flows that it starts', () => {
      expect(run.status).toBe('SUCCEEDED');
      expect(answered).toEqual({ all: SECRETS });
      const resumed = `${JSON.stringify(SECRETS)}Bearer ${Buffer.from(first).toString('hex')}`;
      expect(sentTo('/canary/resumed')).toEqual([resumed, resumed]);
      for (const path of ['child', 'store', 'file']) expect(sentTo(`/canary/${path}`)).toEqual([SECRETS, SECRETS]);
      expect(sentTo('/canary/loop')).toEqual([first, first]);
      expect(sentTo('/canary/event')).toEqual([SECRETS]);
      expect(sentTo('/canary/pin')).toEqual([PIN, PIN]);
    });

    it('are hidden in the URL that a server echoes', async () => {
      const { pathname } = new URL(`${server.baseUrl}/echo/${first}`);
      server.on(pathname, (answer, { url }) => answerJson(answer, { url }));
      const secret = "{{ connections['canary'].list[0] }}";
      const url = `${server.baseUrl}/echo/${secret}?token=${secret}`;
      const echo = await targets.run([actionStep('echo', 'http.send_request', { method: 'GET', url })]);

      expect(echo.steps?.['echo']?.output).toMatchObject({ body: { url: `/echo/${REDACTED}?token=${REDACTED}` } });
      expect(hiddenIn(JSON.stringify(echo))).toEqual([]);
    });

    it('are read nowhere: in no answer of the API, no file, no log and no live update', async () => {
      const { client } = targets.service;
      const paths = [
        runsPath(),
        ...(await runsOfProject()).map(({ id }) => `/flow-runs/${id}`),
        `/flow-runs/${runId}/diff/${rerun}`,
        `/store-entries?projectId=${targets.project}`,
        `/flows?projectId=${targets.project}`,
        ...flowIds.map((id) => `/flows/${id}`),
        ...flowIds.map((id) => `/trigger-events?flowId=${id}`),
      ];
      for (const path of paths)
        expect([path, hiddenIn(JSON.stringify(await client.must('GET', path)))]).toEqual([path, []]);

      const { outputFile } = run.steps?.['large'] as unknown as { outputFile: { url: string } };
      const file = await (await fetch(outputFile.url)).text();
      expect([file.length > 1_200_000, hiddenIn(file)]).toEqual([true, []]);
      const headers = { authorization: `Bearer ${token}` };
      const log = await (await fetch(`${client.baseUrl}/api/v1/files/${runId}`, { headers })).text();
      expect([log.includes('got **REDACTED**'), hiddenIn(log)]).toEqual([true, []]);
      expect([messages.length > 0, hiddenIn(JSON.stringify(messages))]).toEqual([true, []]);
    });

    it('are stored nowhere: in no column of the database, and in no key of Redis', async () => {
      const redisUrl = ownRedisUrl(process.env);
      const values = [
        ...(await textsInDatabase(targets.service.databaseUrl)),
        ...(redisUrl ? await textsInRedis(redisUrl) : []),
      ];

      expect(values.some(({ text }) => text.includes('**REDACTED**'))).toBe(true);
      expect(values.flatMap(({ place, text }) => (hiddenIn(text).length > 0 ? [place] : []))).toEqual([]);
    });
  });
});
