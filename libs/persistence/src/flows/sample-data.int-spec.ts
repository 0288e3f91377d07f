import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { encodeWebhook } from '../postgres/stored-payload';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresFlowRepository } from './postgres-flow.repository';
import { PostgresSampleDataReader } from './postgres-sample-data.reader';
import { PostgresSampleDataWriter } from './postgres-sample-data.writer';
import { PostgresSampleOutputs } from './postgres-sample-outputs';

describe('sample data that tests bring', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let flows: PostgresFlowRepository;
  let reader: PostgresSampleDataReader;
  let writer: PostgresSampleDataWriter;
  let outputs: PostgresSampleOutputs;
  let flowId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'sample test')).initialize();
    pool = openHotPool(database.url, 'sample test');
    flows = new PostgresFlowRepository(dataSource, aSecretBox());
    reader = new PostgresSampleDataReader(dataSource);
    writer = new PostgresSampleDataWriter(pool);
    outputs = new PostgresSampleOutputs(pool);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const flow = aFlow({ projectId: await seedProject(dataSource), id: newId() });
    await flows.insert(flow, aFlowVersion([], { id: newId(), flowId: flow.id }));
    flowId = flow.id;
  });

  it('is read by people, and its outputs by the steps that come after', async () => {
    await writer.save(flowId, [
      { stepName: 'step_1', type: 'INPUT', payload: '{"asked":1}' },
      { stepName: 'step_1', type: 'OUTPUT', payload: '{"b":1,"a":2}' },
      { stepName: 'step_2', type: 'OUTPUT', payload: 'null' },
    ]);

    expect(await reader.get(flowId, 'any', 'step_1', 'INPUT')).toMatchObject({ payload: { asked: 1 } });
    expect(await outputs.load(flowId)).toEqual(
      new Map([
        ['step_1', '{"b":1,"a":2}'],
        ['step_2', 'null'],
      ]),
    );
  });

  it('may be a webhook in the form in which its run stores it', async () => {
    const rawBody = Buffer.from('{ "n": 1 }');
    const webhook = { request: '{"method":"POST"}', bodyKind: 'json' as const, rawBody };
    await writer.save(flowId, [
      { stepName: 'small', type: 'OUTPUT', payload: webhook },
      { stepName: 'large', type: 'OUTPUT', payload: { stored: encodeWebhook(webhook) } },
    ]);

    const output = { method: 'POST', body: { n: 1 }, rawBody: '{ "n": 1 }' };
    for (const name of ['small', 'large'])
      expect((await reader.get(flowId, 'any', name, 'OUTPUT')).payload).toEqual(output);
    expect(JSON.parse((await outputs.load(flowId)).get('large') ?? '')).toEqual(output);
  });

  it('is marked in the steps of the latest version, also when these were not changed for it', async () => {
    const before = Date.now() - 60_000;
    await writer.save(flowId, [
      { stepName: 'trigger', type: 'OUTPUT', payload: '1' },
      { stepName: 'step_1', type: 'OUTPUT', payload: '1' },
    ]);

    const { version } = await flows.get(flowId, 'any');

    const marks = version.trigger.settings['sampleData'] as { outputSavedAt: string };
    expect(Date.parse(marks.outputSavedAt)).toBeGreaterThan(before);
    expect(marks).toEqual({ outputSavedAt: expect.any(String) });
    expect((await flows.get(flowId, 'any', version.id)).version.trigger.settings['sampleData']).toEqual(marks);
    const changed = await flows.change(flowId, 'any', ({ version: seen, ...flow }) => {
      expect(seen.trigger.settings['sampleData']).toEqual(marks);
      return { flow, version: seen, isNewVersion: false, sampleData: { kind: 'clear' } };
    });
    expect(changed.version.id).toBe(version.id);
    expect((await flows.get(flowId, 'any')).version.trigger.settings['sampleData']).toBeUndefined();
  });

  it('is listed with the smallest first, as far as there is room, also when it takes less on the disk', async () => {
    const long = JSON.stringify('x'.repeat(100_000));
    await writer.save(flowId, [
      { stepName: 'long', type: 'OUTPUT', payload: long },
      { stepName: 'step_1', type: 'INPUT', payload: '"in"' },
      { stepName: 'step_1', type: 'OUTPUT', payload: '"out"' },
    ]);

    const list = async (most: number) =>
      (await reader.list(flowId, 'any', most)).samples.map(({ stepName, type, text }) => [stepName, type, text]);
    const small = [
      ['step_1', 'INPUT', '"in"'],
      ['step_1', 'OUTPUT', '"out"'],
    ];
    expect(await list(1_000_000)).toEqual([...small, ['long', 'OUTPUT', long]]);
    expect(await list(50_000)).toEqual([...small, ['long', 'OUTPUT', null]]);
    expect(await list(1)).toEqual([...small.map(([name, type]) => [name, type, null]), ['long', 'OUTPUT', null]]);
    const [listed] = (await reader.list(flowId, 'any', 0)).samples;
    expect(listed?.savedAt).toEqual(expect.any(Date));
    await expect(reader.list(flowId, [], 1)).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
  });

  it('is read for some steps alone', async () => {
    const entries = ['a', 'b', 'c'].map((stepName) => ({ stepName, type: 'OUTPUT' as const, payload: '"output"' }));
    await writer.save(flowId, [...entries, { stepName: 'a', type: 'INPUT', payload: '"input"' }]);

    expect(await reader.outputsOf(flowId, ['a', 'c', 'none'], 100)).toEqual(
      new Map([
        ['a', '"output"'],
        ['c', '"output"'],
      ]),
    );
    expect(await reader.outputsOf(flowId, ['a', 'c'], 10)).toEqual(
      new Map([
        ['a', '"output"'],
        ['c', null],
      ]),
    );
    expect(await reader.outputsOf(flowId, [], 100)).toEqual(new Map());
  });

  it('replaces what was there, and counts the last of two for one step', async () => {
    await writer.save(flowId, [{ stepName: 'step_1', type: 'OUTPUT', payload: '1' }]);

    await writer.save(flowId, [
      { stepName: 'step_1', type: 'OUTPUT', payload: '2' },
      { stepName: 'step_1', type: 'OUTPUT', payload: '3' },
    ]);

    expect(await outputs.load(flowId)).toEqual(new Map([['step_1', '3']]));
  });

  it('lets tests of one flow that end together all save', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `step_${i}`);
    const entries = names.map((stepName) => ({ stepName, type: 'OUTPUT' as const, payload: '1' }));

    await Promise.all(
      Array.from({ length: 10 }, (_, i) => writer.save(flowId, i % 2 ? entries : [...entries].reverse())),
    );

    expect((await outputs.load(flowId)).size).toBe(20);
  });

  it('keeps what PostgreSQL cannot hold readable, and outputs of megabytes', async () => {
    const large = JSON.stringify('x'.repeat(2_000_000));

    await writer.save(flowId, [
      { stepName: 'step\0', type: 'OUTPUT', payload: '"a\\u0000"' },
      { stepName: 'large', type: 'OUTPUT', payload: large },
    ]);

    expect(await outputs.load(flowId)).toEqual(
      new Map([
        ['step\ufffd', '"a\ufffd"'],
        ['large', large],
      ]),
    );
  });

  it('keeps nothing for a flow that is not there', async () => {
    const entries = [{ stepName: 'step_1', type: 'OUTPUT' as const, payload: '1' }];
    await flows.delete(flowId, 'any', () => undefined);

    for (const id of [flowId, anId(), 'no-id']) {
      await writer.save(id, entries);
      expect(await outputs.load(id)).toEqual(new Map());
    }
  });

  it('leaves flow and version as they are', async () => {
    const before = await flows.get(flowId, 'any');

    await writer.save(flowId, [{ stepName: 'step_1', type: 'OUTPUT', payload: '1' }]);

    expect(await flows.get(flowId, 'any')).toEqual(before);
  });
});
