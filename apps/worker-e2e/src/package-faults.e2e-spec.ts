import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, patience, type ServiceProcess } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { callingStep, installCallingPackage } from './testing/calling-package';
import { ServiceWithTargets } from './testing/service-with-targets';

const HOSTS = 8;
const WITHIN_MS = 120_000 * patience;
const KILOBYTE = Buffer.alloc(1_024);

jest.setTimeout(3 * WITHIN_MS);

describe('an action of a package', () => {
  let server: CalledServer;

  beforeAll(async () => {
    server = await CalledServer.start();
  });
  afterAll(() => server.stop());

  describe('on two workers of which one stands still', () => {
    let targets: ServiceWithTargets;
    let other: ServiceProcess;

    beforeAll(async () => {
      targets = await ServiceWithTargets.start({ SVC_PIECE_HOSTS: String(HOSTS) });
      const redisUrl = ownRedisUrl(process.env);
      other = await targets.service.startWorker({
        SVC_SSRF_ALLOW_LIST: '127.0.0.1',
        SVC_PIECE_HOSTS: String(HOSTS),
        ...(redisUrl && { SVC_REDIS_URL: redisUrl }),
      });
      await installCallingPackage(targets.service.client);
    });
    afterAll(async () => {
      expect(await other.stop()).toBe(0);
      expect(await targets.service.stop()).toBe(0);
    });

    it('is repeated once at most, and its run goes on elsewhere', async () => {
      const { client } = targets.service;
      const trigger = webhookTrigger([callingStep(`${server.baseUrl}/held`)]);
      const { id: flowId } = await client.publishFlow(targets.project, 'Held', trigger);
      let held: ServerResponse[] | null = [];
      server.on('/held', (answer) => (held ? void held.push(answer) : answerJson(answer, { ok: true })));
      const begun: string[] = [];
      // A worker lets a project have half of its hosts, so that both are at work when one more call is there.
      while (held.length <= HOSTS / 2) {
        begun.push((await client.sendWebhook(flowId, {})).body.id);
        await pause(100);
      }

      const thaw = targets.service.freeze('worker');
      const answers = held;
      held = null;
      for (const answer of answers) answerJson(answer, { ok: true });
      const ended = [];
      for (const runId of begun) ended.push(await client.endedRun(runId, WITHIN_MS));
      thaw();

      expect(ended.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
      const calls = [...server.callsByKey('/held').values()];
      expect([calls.length, Math.max(...calls)]).toEqual([begun.length, 2]);
      const { status } = await targets.run([callingStep(`${server.baseUrl}/again`)]);
      expect(status).toBe('SUCCEEDED');
    });
  });

  const place = mkdtempSync(join(tmpdir(), 'full-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place]).status === 0;
  afterAll(() => {
    if (isMounted) spawnSync('umount', [place]);
    rmSync(place, { recursive: true, force: true });
  });

  (isMounted ? describe : describe.skip)(
    'on a worker whose disk is full (left out where nothing can be mounted)',
    () => {
      let targets: ServiceWithTargets;

      beforeAll(async () => {
        targets = await ServiceWithTargets.start({ TMPDIR: place });
        await installCallingPackage(targets.service.client);
      });
      afterAll(async () => {
        expect(await targets.service.stop()).toBe(0);
      });

      it('fails with a reason, and works again once there is room', async () => {
        const filler = join(place, 'filler');
        fill(filler);
        const failed = await targets.run([callingStep(`${server.baseUrl}/full`)]);
        rmSync(filler);

        const message = expect.stringContaining('ENOSPC') as string;
        expect(failed).toMatchObject({ status: 'FAILED', failedStep: { message } });
        expect(server.callsTo('/full')).toEqual([]);
        expect((await targets.run([callingStep(`${server.baseUrl}/full`)])).status).toBe('SUCCEEDED');
      });
    },
  );
});

/** Writes a file until there is no room for more. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, KILOBYTE);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}
