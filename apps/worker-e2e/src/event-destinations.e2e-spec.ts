import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { EVENT_KINDS, type EventDelivery, type EventDestination } from '@millrace/domain';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Client } from 'pg';
import { CalledServer, type ReceivedCall } from './testing/called-server';
import { ServiceWithTargets } from './testing/service-with-targets';
import { patience } from '@millrace/e2e-support';

const ROOT = join(__dirname, '../../..');
const GIGABYTE = 2 ** 30;

interface Envelope {
  id: string;
  type: string;
  created: string;
  projectId: string;
  data: Record<string, unknown>;
}
type Created = EventDestination & { secret: string };
interface Page<T> {
  data: T[];
}

let targets: ServiceWithTargets;
let server: CalledServer;

beforeAll(async () => {
  server = await CalledServer.start();
  targets = await ServiceWithTargets.start();
});

afterAll(async () => {
  await server.stop();
  expect(await targets.service.stop()).toBe(0);
});

const client = () => targets.service.client;

/** Makes a destination in a project of its own. */
async function aDestination(path: string, events: readonly string[] = EVENT_KINDS): Promise<Created> {
  const projectId = await client().createProject('Events');
  return client().must('POST', '/event-destinations', { projectId, url: `${server.baseUrl}${path}`, events });
}

const call = <T>(method: string, { id }: EventDestination, path = '', body?: unknown) =>
  client().must<T>(method, `/event-destinations/${id}${path}`, body);

/** Returns the event of a call. Throws when the library does not accept the signature. */
const verified = ({ secret }: Created, { body, headers }: ReceivedCall): Envelope =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Envelope;

async function until<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
  withinMs = 20_000 * patience,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`There was no ${what} within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const delivery = (destination: EventDestination, isSo: (delivery: EventDelivery) => boolean) =>
  until('such delivery', async () =>
    (await call<Page<EventDelivery>>('GET', destination, '/deliveries')).data.find(isSo),
  );

/** Calls the service's database, as an operator could. */
async function inDatabase(text: string, values: unknown[] = []): Promise<void> {
  const { databaseUrl } = targets.service;
  const db = new Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query(text, values).finally(() => db.end());
}

describe('event destinations', () => {
  it('get what happens in their project, signed as the library expects', async () => {
    const destination = await aDestination('/all');
    const { projectId } = destination;

    const flow = await client().publishFlow(projectId, 'Told', webhookTrigger([codeStep('step_1')]));
    const run = await client().endedRun((await client().sendWebhook(flow.id, {})).body.id);
    const connection = await client().must<{ id: string }>('POST', '/connections', {
      projectId,
      externalId: 'shop',
      displayName: 'Shop',
      type: 'SECRET_TEXT',
      value: { secret_text: 'sk-told' },
    });
    await client().must('DELETE', `/connections/${connection.id}`);
    await client().must('POST', `/flows/${flow.id}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
    await client().must('DELETE', `/flows/${flow.id}`);
    const events = await until('nine events', () => {
      const calls = server.callsTo('/all');
      return calls.length >= 10 ? calls.map((each) => verified(destination, each)) : undefined;
    });

    expect(events.map(({ type }) => type).sort()).toEqual([
      'connection.deleted',
      'connection.upserted',
      'flow.created',
      'flow.deleted',
      'flow.disabled',
      'flow.enabled',
      'flow.published',
      'flow.updated',
      'flow_run.started',
      'flow_run.succeeded',
    ]);
    const { steps: _steps, logsFileId: _logs, triggeredByName: _name, ...shown } = run;
    const ended = events.find(({ type }) => type === 'flow_run.succeeded');
    expect(ended).toMatchObject({ projectId, data: shown });
    expect(ended?.data).not.toHaveProperty('steps');
    expect(new Set(events.map(({ id }) => id)).size).toBe(10);
    expect(JSON.stringify(events)).not.toContain('sk-told');
  });

  it('show their secret once', async () => {
    const destination = await aDestination('/once');

    const { secret, ...shown } = destination;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{40,}$/);
    expect(await call('GET', destination)).toEqual(shown);
    const list = await client().must('GET', `/event-destinations?projectId=${destination.projectId}`);
    expect(list).toEqual({ data: [shown], next: null, previous: null });
  });

  it('are changed, enabled again and deleted', async () => {
    const destination = await aDestination('/changed', ['flow.created']);
    const events = ['flow.deleted'];

    expect(await call('POST', destination, '', { status: 'DISABLED', events })).toMatchObject({
      status: 'DISABLED',
      statusReason: null,
      events,
    });
    await inDatabase('update event_destination set status_reason = $2, failing_since = now() where id = $1', [
      destination.id,
      'Every attempt has failed for 5 days.',
    ]);
    expect(await call('POST', destination, '', { status: 'ENABLED' })).toMatchObject({
      status: 'ENABLED',
      statusReason: null,
      failingSince: null,
    });
    await call('DELETE', destination);
    expect((await client().request('GET', `/event-destinations/${destination.id}`)).status).toBe(404);
  });

  it.each([
    ['http://93.184.215.14/hook', 'must begin with https'],
    ['https://10.0.0.1/hook', 'is not allowed'],
    ['no url', 'is not a valid URL'],
  ])('cannot have the URL %s', async (url, message) => {
    const { id } = await aDestination('/url', ['flow.created']);

    const answer = await client().request<{ params: { errors: unknown[] } }>('POST', `/event-destinations/${id}`, {
      url,
    });

    expect(answer.status).toBe(400);
    expect(answer.body.params.errors).toEqual([{ path: '/url', message: expect.stringContaining(message) as string }]);
  });

  it('are unknown to a foreign project, as their deliveries are', async () => {
    const destination = await aDestination('/foreign', ['flow.created']);
    const { value } = await client().must<{ value: string }>('POST', '/api-keys', {
      displayName: 'Foreign',
      projectId: await client().createProject('Foreign'),
    });
    const foreign = client().withToken(value);

    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${destination.id}/redeliver`],
    ] as const) {
      const body = path === '' && method === 'POST' ? {} : undefined;
      expect((await foreign.request(method, `/event-destinations/${destination.id}${path}`, body)).status).toBe(404);
    }
  });

  describe('the test of a destination', () => {
    it('sends a signed event and tells how that went', async () => {
      const destination = await aDestination('/tested', ['flow.created']);

      expect(await call('POST', destination, '/test')).toEqual({ delivered: true, status: 200, error: null });

      const [received] = server.callsTo('/tested');
      expect(received && verified(destination, received)).toMatchObject({
        type: 'event_destination.test',
        projectId: destination.projectId,
        data: { eventDestinationId: destination.id },
      });
      expect(received?.headers['content-type']).toBe('application/json');
    });

    it.each([
      [500, 'The destination answered 500.'],
      [301, 'The destination answered 301, and redirects are not followed.'],
      [404, 'The destination answered 404.'],
    ])('is not fulfilled by %i', async (status, error) => {
      const path = `/tested-${status}`;
      const destination = await aDestination(path, ['flow.created']);
      server.on(path, (answer) => answer.writeHead(status, { location: `${server.baseUrl}/followed` }).end());

      expect(await call('POST', destination, '/test')).toEqual({ delivered: false, status, error });
      expect(server.callsTo('/followed')).toEqual([]);
    });

    it('takes an answer of a gigabyte for its status, and reads little of it', async () => {
      const destination = await aDestination('/gigabyte', ['flow.created']);
      let sent = 0;
      server.on('/gigabyte', (answer) => {
        answer.writeHead(200, { 'content-type': 'text/plain' });
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const more = (): void => {
          while (sent < GIGABYTE && !answer.destroyed && answer.write(chunk)) sent += chunk.length;
        };
        answer.on('drain', more);
        more();
      });

      expect(await call('POST', destination, '/test')).toEqual({ delivered: true, status: 200, error: null });
      expect(sent).toBeLessThan(GIGABYTE / 16);
    });

    it('ends after ten seconds without an answer', async () => {
      const destination = await aDestination('/never', ['flow.created']);
      server.on('/never', () => undefined);

      expect(await call('POST', destination, '/test')).toEqual({
        delivered: false,
        status: null,
        error: 'The call took longer than 10 seconds.',
      });
    });

    it('tells of a connection that is reset, and of a server that does not speak TLS', async () => {
      const reset = await aDestination('/reset', ['flow.created']);
      server.on('/reset', (answer) => answer.socket?.resetAndDestroy());
      const noTls = await aDestination('/tls', ['flow.created']);
      await call('POST', noTls, '', { url: `${server.baseUrl.replace('http:', 'https:')}/tls` });

      expect(await call('POST', reset, '/test')).toMatchObject({ delivered: false, status: null });
      const answer = await call<{ error: string }>('POST', noTls, '/test');
      expect(answer).toMatchObject({ delivered: false, status: null });
      expect(answer.error).toContain('TLS');
    });
  });

  it('get an event again after five seconds, under the same id, and the log tells of it', async () => {
    const destination = await aDestination('/retried', ['flow.created']);
    server.on('/retried', (answer, _call, earlier) => answer.writeHead(earlier === 0 ? 500 : 204).end());
    await client().createFlow(destination.projectId, 'Retried');

    const waiting = await delivery(destination, ({ attempts }) => attempts === 1);
    expect(waiting).toMatchObject({
      type: 'flow.created',
      status: 'PENDING',
      responseStatus: 500,
      error: 'The destination answered 500.',
    });
    expect((await call<EventDestination>('GET', destination)).failingSince).not.toBeNull();
    const delivered = await delivery(destination, ({ status }) => status === 'DELIVERED');

    expect(delivered).toMatchObject({ attempts: 2, responseStatus: 204, error: null, nextAttempt: null });
    const [first, second] = server.callsTo('/retried').map((each) => verified(destination, each));
    expect(second).toEqual(first);
    expect(first?.id).toBe(delivered.eventId);
    expect((await call<EventDestination>('GET', destination)).failingSince).toBeNull();
  });

  it('get a delivery of the log again when somebody asks for it', async () => {
    const destination = await aDestination('/again', ['flow.created']);
    await client().createFlow(destination.projectId, 'Again');
    const first = await delivery(destination, ({ status }) => status === 'DELIVERED');

    const asked = await call<EventDelivery>('POST', destination, `/deliveries/${first.id}/redeliver`);

    expect(asked).toMatchObject({ id: first.id, status: 'PENDING', attempts: 0 });
    await until('second call', () => server.callsTo('/again')[1]);
    expect(new Set(server.callsTo('/again').map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([first.eventId]),
    );
  });

  it('get an event again whose worker was killed before it could note the answer', async () => {
    const destination = await aDestination('/killed', ['flow.created']);
    let answered = 0;
    server.on('/killed', (answer) => {
      if (answered++ === 0) targets.service.kill('worker');
      else answer.writeHead(204).end();
    });
    await client().createFlow(destination.projectId, 'Killed');
    await until('first call', () => server.callsTo('/killed')[0]);
    // The claim of the killed worker would run out after a minute.
    await inDatabase('update event_destination set claimed_until = now() where id = $1', [destination.id]);

    const delivered = await delivery(destination, ({ status }) => status === 'DELIVERED');

    const ids = server.callsTo('/killed').map((each) => verified(destination, each).id);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids)).toEqual(new Set([delivered.eventId]));
    expect(delivered.attempts).toBe(1);
  });

  it('can be the receiver of the guide', async () => {
    const guide = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');
    const program = /^```js\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? '';
    const destination = await aDestination('/', ['flow.created']);
    const env = { ...process.env, SECRET: destination.secret, PORT: '0' };
    const shown = `${program}\nserver.on('listening', () => console.log('port', server.address().port));`;
    const receiver = spawn(process.execPath, ['--input-type=module', '-e', shown], { cwd: ROOT, env });
    let output = '';
    receiver.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const port = await until('port', () => /port (\d+)/.exec(output)?.[1]);
    await call('POST', destination, '', { url: `http://127.0.0.1:${port}/` });

    const { id } = await client().createFlow(destination.projectId, 'Guide');
    await until('event', () => (output.includes(`flow.created ${id}`) ? true : undefined));
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });

    expect(forged.status).toBe(401);
    receiver.kill();
    await once(receiver, 'exit');
  });
});
