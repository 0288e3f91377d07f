import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { decodePayload } from '../postgres/stored-payload';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';

// Kills processes that poll, by SIGKILL. `node tools/kill-polls.mjs` does it a hundred times.
const KILLS = Number(process.env['MILLRACE_POLL_KILLS'] ?? 6);
/** A settlement takes a few milliseconds, so kills hit before, in and after it. */
const LATEST_KILL_MS = 12;
const ROOT = join(__dirname, '../../../..');
const PROGRAM = join(ROOT, `tmp/polling-process-${process.pid}.cjs`);

describe('a poll whose process is killed', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let server: Server;
  const items: string[] = ['first'];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'killed polls');
    dataSource = await new DataSource(dataSourceOptions(database.url, 'killed polls')).initialize();
    // Each answer has another order.
    server = createServer((_request, answer) =>
      answer.end(JSON.stringify([...items].sort(() => Math.random() - 0.5))),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const entryPoints = [join(__dirname, '../testing/polling-process.ts')];
    const tsconfig = join(ROOT, 'tsconfig.base.json');
    await build({ entryPoints, outfile: PROGRAM, tsconfig, bundle: true, packages: 'external', platform: 'node' });
  }, 60_000);
  afterAll(async () => {
    rmSync(PROGRAM, { force: true });
    server.close();
    await dataSource.destroy();
    await pool.end();
    await database.drop();
  });

  async function aPollingFlow(): Promise<string> {
    const flows = new PostgresFlowRepository(dataSource, aSecretBox());
    const version = aFlowVersion([], { id: anId() });
    const flow = aFlow({ projectId: await seedProject(dataSource) });
    await flows.insert(flow, { ...version, flowId: flow.id });
    await flows.change(flow.id, 'any', (current) => ({
      flow: current,
      version: current.version,
      isNewVersion: false,
      listening: { flowVersionId: version.id, plan: { kind: 'POLLING', poll: { everyMinutes: null } } },
    }));
    return flow.id;
  }

  /** Polls in a process of its own. Resolves with the words that it said before it ended. */
  async function poll(kill?: { holds: boolean; afterMs: number }): Promise<string[]> {
    await pool.query('update trigger_state set due_at = now(), claimed_until = least(claimed_until, now())');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [PROGRAM, database.url, url, ...(kill?.holds ? ['holds'] : [])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const said: string[] = [];
    for await (const word of createInterface({ input: child.stdout })) {
      said.push(word);
      if (word === 'asked' && kill) void sleep(kill.afterMs).then(() => child.kill('SIGKILL'));
    }
    await ended;
    return said;
  }

  async function startedItems(flowId: string): Promise<string[]> {
    const select = 'select payload from flow_run where flow_id = $1';
    const { rows } = await pool.query<{ payload: Buffer }>(select, [flowId]);
    const payloads = await Promise.all(rows.map(async ({ payload }) => (await decodePayload(payload)) as string));
    return payloads.map((payload) => JSON.parse(payload) as string).sort();
  }

  it(
    `starts exactly one run for each item, also when it is killed ${KILLS} times`,
    async () => {
      const flowId = await aPollingFlow();
      expect(await poll()).toEqual(['asked', 'settled']);

      let killedBetween = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        items.push(`item ${kill} a`, `item ${kill} b`);
        // Every other process is certainly killed between its fetching and the start of its runs.
        const said = await poll({ holds: kill % 2 === 0, afterMs: Math.random() * LATEST_KILL_MS });
        if (!said.includes('settled')) killedBetween++;
      }
      expect(killedBetween).toBeGreaterThanOrEqual(Math.ceil(KILLS / 2));

      expect(await poll()).toEqual(['asked', 'settled']);
      expect(await startedItems(flowId)).toEqual(items.slice(1).sort());
    },
    60_000 + KILLS * 5_000,
  );
});
