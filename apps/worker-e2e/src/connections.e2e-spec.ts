import { codeStep } from '@millrace/domain/testing';
import { answerJson, CalledServer } from './testing/called-server';
import { actionStep, ServiceWithTargets } from './testing/service-with-targets';

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
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  }, 60_000);

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
});
