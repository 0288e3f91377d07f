import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';
import { malformedCases } from './malformed/case-file';
import { ECHO_CODE, webhookWithCode } from './malformed/flow-definitions';

// The board is on in the service whose queue is in Redis. In the other one it is off, which malformed-requests checks.

const password = process.env['MILLRACE_QUEUE_BOARD_PASSWORD'];

if (password !== undefined)
  describe('the queue board behind the gateway', () => {
    const service = serviceUnderTest();
    const client = new ServiceClient(service.baseUrl, service.adminApiKey);
    const board = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${service.baseUrl}/admin/queues${path}`, {
        headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`, ...headers },
      });

    it('asks for its password as the case adm-board-bad says', async () => {
      const { headers, expect: expected } = malformedCases.find(({ id }) => id === 'adm-board-bad') ?? {};
      const answer = await board('', headers);

      expect(expected?.status).toContain(answer.status);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    });

    it('is a page whose files are found, and shows the job of a run', async () => {
      const page = await (await board('')).text();
      const [script = ''] = /static\/js\/main[^"]+/.exec(page) ?? [];
      expect((await board(`/${script}`)).status).toBe(200);

      const project = await client.createProject('Board');
      const flow = await client.publishFlow(project, 'Shown', webhookWithCode('echo', ECHO_CODE));
      const { body: run } = await client.sendWebhook(flow.id, {});
      await client.runOnce(run.id, ({ status }) => status === 'SUCCEEDED');

      const jobs = await (await board('/api/queues?activeQueue=flow-runs&status=completed')).text();
      expect(jobs).toContain(run.id);
    });

    it('is no way around the credentials of the api, and lists no failed job of these tests', async () => {
      expect((await client.withToken(null).request('GET', '/admin/queue/failed')).status).toBe(401);
      expect((await client.request('GET', '/admin/queue/failed?limit=5')).status).toBe(200);
    });
  });
else describe.skip('the queue board (left out: it is off in this service)', () => it.todo('is behind the gateway'));
