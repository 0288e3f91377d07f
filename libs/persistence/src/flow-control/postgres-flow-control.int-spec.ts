import { payloadText, type FlowRunStatus } from '@millrace/domain';
import { aNewRun, anId, describeFlowControl, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { PostgresRunIntake } from '../runs/postgres-run-intake';
import { PostgresUnfinishedRuns } from '../runs/postgres-unfinished-runs';
import { decodePayload } from '../postgres/stored-payload';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { stalledBefore, untilLockWait } from '../testing/stalled-pool';
import { PostgresFlowControl } from './postgres-flow-control';
import { writePublishedControl } from '../flows/published-control.statements';

const PROJECT = aNewRun().projectId;
const ROW = 'select status, status_reason as "statusReason", payload from flow_run where id = $1';

/** Time passes for what is stored when its moments move back. */
const PASS = [
  `update flow_control_run set due = due - $1 * interval '1 millisecond'`,
  `update flow_control_start set at = at - $1 * interval '1 millisecond', expires = expires - $1 * interval '1 millisecond'`,
  `update flow_control_first set expires = expires - $1 * interval '1 millisecond'`,
];

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'flow control test');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const setStatus = async (runId: string, status: FlowRunStatus): Promise<void> => {
  await pool.query('update flow_run set status = $2 where id = $1', [runId, status]);
};

describeFlowControl('PostgreSQL', () => {
  const queue = new InMemoryJobQueue();
  const intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
  return {
    control: new PostgresFlowControl(pool, queue),
    addRun: async ({ retryOf, ...run }) => {
      await intake.accept(aNewRun({ ...run, ...(retryOf && { retryOfRunId: retryOf }) }));
    },
    setStatus,
    rowOf: async (runId) => {
      const query = await pool.query<{ status: FlowRunStatus; statusReason: string | null; payload: Buffer }>(ROW, [
        runId,
      ]);
      const { status, statusReason, payload } = query.rows[0] ?? { status: 'FAILED', statusReason: '', payload: null };
      const output = payload && (JSON.parse(payloadText(await decodePayload(payload))) as unknown);
      return { status, statusReason, payload: output };
    },
    woken: () => queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId)),
    publish: (flowId, settings) =>
      writePublishedControl((text, values) => pool.query(text, [...values]), flowId, settings, null),
    passTime: async (ms) => {
      for (const statement of PASS) await pool.query(statement, [ms]);
    },
  };
});

describe('PostgresFlowControl', () => {
  const placesFor = (limit: number) => ({ concurrency: { resource: anId(), limit, isKeyed: false, drops: false } });

  async function acceptRuns(flowId: string, count: number): Promise<string[]> {
    const intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    const runs = Array.from({ length: count }, () => aNewRun({ id: newId(), flowId }));
    await Promise.all(runs.map((run) => intake.accept(run)));
    return runs.map(({ id }) => id);
  }

  it('keeps a limit that several processes decide about at the same time', async () => {
    const flowId = anId();
    const processes = [1, 2, 3].map(() => new PostgresFlowControl(pool, new InMemoryJobQueue()));
    const runIds = await acceptRuns(flowId, 30);
    const demand = placesFor(3);

    const admitted = await Promise.all(
      runIds.flatMap((runId) =>
        processes.map((each) => each.admit({ runId, flowId, projectId: PROJECT, epoch: 0, demand })),
      ),
    );

    expect(admitted.filter(({ isAdmitted }) => isAdmitted).length).toBeLessThanOrEqual(9);
    const { rows } = await pool.query(`select from flow_control_run where flow_id = $1 and state = 'admitted'`, [
      flowId,
    ]);
    expect(rows).toHaveLength(3);
  });

  it('reports the runs that it ends to the destinations for events', async () => {
    const source = await new DataSource(dataSourceOptions(database.url, 'flow control events')).initialize();
    await seedProject(source, { id: aNewRun().projectId });
    await source.destroy();
    await seedDestination(pool, aNewRun().projectId);
    const flowId = anId();
    const [first = '', second = ''] = await acceptRuns(flowId, 2);
    const control = new PostgresFlowControl(pool, new InMemoryJobQueue());
    const demand = { concurrency: { resource: anId(), limit: 1, isKeyed: false, drops: true } };

    for (const runId of [first, second]) await control.admit({ runId, flowId, projectId: PROJECT, epoch: 0, demand });

    const { rows } = await pool.query(
      `select type, data ->> 'id' as id, data ->> 'status' as status, data ->> 'statusReason' as reason
       from event_delivery`,
    );
    const { status, statusReason: reason } = (await pool.query(ROW, [second])).rows[0] as Record<string, string>;
    expect(rows).toEqual([{ type: `flow_run.${status?.toLowerCase()}`, id: second, status, reason }]);
    await pool.query('delete from event_destination');
  });

  it('ends a run with its tags, so that lists find it by them and its status', async () => {
    const flowId = anId();
    const [first = '', second = ''] = await acceptRuns(flowId, 2);
    await pool.query(`update flow_run set tags = '{vip}' where id = $1`, [second]);
    await pool.query(
      `insert into run_tag (run_id, tag, project_id, flow_id, status, archived)
       select id, 'vip', project_id, flow_id, 'PAUSED', false from flow_run where id = $1`,
      [second],
    );
    const control = new PostgresFlowControl(pool, new InMemoryJobQueue());
    const demand = { concurrency: { resource: anId(), limit: 1, isKeyed: false, drops: true } };

    for (const runId of [first, second]) await control.admit({ runId, flowId, projectId: PROJECT, epoch: 0, demand });

    const { rows } = await pool.query('select tag, status from run_tag where run_id = $1', [second]);
    expect(rows).toEqual([{ tag: 'vip', status: 'STOPPED' }]);
  });

  it('does not let a flow wait for the decision about another one', async () => {
    const [busy, other] = [anId(), anId()];
    const [[held = ''], [behind = ''], [free = '']] = [
      await acceptRuns(busy, 1),
      await acceptRuns(busy, 1),
      await acceptRuns(other, 1),
    ];
    const stalled = stalledBefore(pool, 'put-control');
    const run = (runId: string, flowId: string) => ({
      runId,
      flowId,
      projectId: PROJECT,
      epoch: 0,
      demand: placesFor(1),
    });
    const first = new PostgresFlowControl(stalled.pool, new InMemoryJobQueue()).admit(run(held, busy));
    await stalled.reached;
    const control = new PostgresFlowControl(pool, new InMemoryJobQueue());
    const second = control.admit(run(behind, busy));
    await untilLockWait(pool);

    expect((await control.admit(run(free, other))).isAdmitted).toBe(true);
    stalled.go();
    await Promise.all([first, second]);
  });

  it('decides about the one run of a project next, although another project has 200 decisions under way', async () => {
    const stalled = stalledBefore(pool, 'put-control');
    const control = new PostgresFlowControl(stalled.pool, new InMemoryJobQueue());
    const decided: string[] = [];
    const decide = async (projectId: string): Promise<void> => {
      await control.admit({ runId: newId(), flowId: anId(), projectId, epoch: 0, demand: placesFor(1) });
      decided.push(projectId);
    };
    const ofBusy = Array.from({ length: 200 }, () => decide('busy'));
    await stalled.reached;
    const ofOther = decide('other');
    stalled.go();
    await Promise.all([...ofBusy, ofOther]);

    expect(decided).toHaveLength(201);
    // Decisions that are under way may end before it, and on a busy machine some that begin with it.
    expect(decided.indexOf('other')).toBeLessThanOrEqual(20);
  });

  it('keeps the runs that wait from the rescuer, and shows it those that have their turn', async () => {
    const flowId = anId();
    const control = new PostgresFlowControl(pool, new InMemoryJobQueue());
    const one = placesFor(1);
    const [first = '', second = ''] = await acceptRuns(flowId, 2);
    await control.admit({ runId: first, flowId, projectId: PROJECT, epoch: 0, demand: one });
    await control.admit({ runId: second, flowId, projectId: PROJECT, epoch: 0, demand: one });
    const lost = async () => {
      const runs = new PostgresUnfinishedRuns(pool);
      const ofThese: string[] = [];
      // One call has a limit of time, so on a busy machine several calls are needed.
      for (let calls = 0; calls < 50 && ofThese.length === 0; calls++) {
        const found = await runs.findUnfinished(-60_000, null, 10_000);
        ofThese.push(...found.map(({ id }) => id).filter((id) => id === first || id === second));
      }
      return ofThese;
    };

    expect(await lost()).toEqual([first]);
    await setStatus(first, 'SUCCEEDED');
    await control.leave({ runId: first, flowId, projectId: PROJECT, epoch: 0 }, 'ended');
    expect(await lost()).toEqual([second]);
  });

  it('lets no run end for its time while it waits, even if a worker has claimed it to load it', async () => {
    const flowId = anId();
    const control = new PostgresFlowControl(pool, new InMemoryJobQueue());
    const one = placesFor(1);
    const [first = '', second = ''] = await acceptRuns(flowId, 2);
    await pool.query(`update flow_run set start_time = '2026-01-01' where id = $1`, [second]);
    await control.admit({ runId: first, flowId, projectId: PROJECT, epoch: 0, demand: one });
    await control.admit({ runId: second, flowId, projectId: PROJECT, epoch: 0, demand: one });

    const overdue = await new PostgresUnfinishedRuns(pool).findOverdue(0, 10_000);
    expect(overdue.filter(({ id }) => id === second)).toEqual([]);

    await setStatus(first, 'SUCCEEDED');
    await control.leave({ runId: first, flowId, projectId: PROJECT, epoch: 0 }, 'ended');
    const woken = await pool.query('select start_time, time_counts_from from flow_run where id = $1', [second]);
    expect(woken.rows).toEqual([{ start_time: null, time_counts_from: null }]);
  });

  it('reviews the due runs of a flow while those of another one, which are due for longer, always fail', async () => {
    const [failing, other] = [anId(), anId()];
    const control = new PostgresFlowControl(failingFor(pool, failing), new InMemoryJobQueue());
    const insertDue = async (flowId: string, minutes: number): Promise<string> => {
      const runId = newId();
      await pool.query(
        `insert into flow_control_run (run_id, flow_id, state, epoch, demand, since, due)
         values ($1, $2, 'waiting', 0, '{}', now(), now() - $3 * interval '1 minute')`,
        [runId, flowId, minutes],
      );
      return runId;
    };
    await pool.query('delete from flow_control_run');
    for (let i = 0; i < 3; i++) await insertDue(failing, 10);
    const behind = await insertDue(other, 1);
    const kept = async () => (await pool.query('select from flow_control_run where run_id = $1', [behind])).rowCount;

    await control.reviewDue(2);
    expect(await kept()).toBe(1);
    await control.reviewDue(2);

    expect(await kept()).toBe(0);
  });
});

/** A pool on which no decision about the flow succeeds. */
function failingFor(all: Pool, flowId: string): Pool {
  const connect = async (): Promise<PoolClient> => {
    const client = await all.connect();
    const query = (...sent: unknown[]): unknown => {
      const { values } = sent[0] as { values?: unknown[] };
      if (values?.includes(flowId)) return Promise.reject(new Error('This flow fails.'));
      return Reflect.apply(client.query, client, sent) as unknown;
    };
    return Object.assign(Object.create(client) as PoolClient, { query, release: client.release.bind(client) });
  };
  return Object.assign(Object.create(all) as Pool, { connect, query: all.query.bind(all) });
}
