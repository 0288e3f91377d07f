// Measures runs of many steps, one run at a time: the cost of a step, its bytes in the journal, and the time to read
// the run by the API.
import { setTimeout as wait } from 'node:timers/promises';
import { minus, round, rssMbOf, sum } from './measure.mjs';
import { cpuMsByRole, findProcesses } from './processes.mjs';
import { startTarget } from './target-server.mjs';

const MEASURED_RUNS = 3;
const RUN_MAY_TAKE_MS = 300_000;
const STORES = ['postgres', 'redis'];

async function endOfRun(db, runId) {
  const deadline = Date.now() + RUN_MAY_TAKE_MS;
  while (Date.now() < deadline) {
    const { rows } = await db.query(
      `select status, extract(epoch from finish_time - uuid_extract_timestamp(id))::float as seconds
         from flow_run where id = $1 and status <> 'RUNNING'`,
      [runId],
    );
    if (rows[0]) return rows[0];
    await wait(20);
  }
  throw new Error(`Run ${runId} had not ended after ${RUN_MAY_TAKE_MS / 1_000} s.`);
}

async function runOnce(service, db, flow, body) {
  const answer = await fetch(`${service.base}/api/v1/webhooks/${flow.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}: ${await answer.text()}`);
  /** @type {any} */
  const { id } = await answer.json();
  return { id, ...(await endOfRun(db, id)) };
}

async function journalBytes(db, runId) {
  const text = 'select coalesce(sum(octet_length(records)), 0)::int as bytes from run_segment where run_id = $1';
  return (await db.query(text, [runId])).rows[0].bytes;
}

async function readBack(service, runId) {
  const start = performance.now();
  const answer = await fetch(`${service.base}/api/v1/flow-runs/${runId}`, {
    headers: { authorization: `Bearer ${service.credentials.apiKey}` },
  });
  const text = await answer.text();
  const ms = performance.now() - start;
  if (!answer.ok) throw new Error(`Run ${runId} read back as ${answer.status}: ${text.slice(0, 500)}`);
  return ms;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Measures runs of `steps` steps. A first run of a tenth of the steps warms the service up. Its bytes in the journal
 * show whether a journal grows faster than the number of steps.
 */
export async function longRuns(service, db, flow, { bodyOf }, steps) {
  const target = await startTarget();
  try {
    const tenth = Math.max(1, Math.round(steps / 10));
    const short = await runOnce(service, db, flow, bodyOf(tenth, target.url));
    const roles = () => findProcesses(service);
    const before = cpuMsByRole(roles());
    const runs = [];
    for (let run = 0; run < MEASURED_RUNS; run++)
      runs.push(await runOnce(service, db, flow, bodyOf(steps, target.url)));
    const cpu = minus(cpuMsByRole(roles()), before);
    const measured = steps * runs.length;
    const perStep = (roleNames) => round(sum(roleNames.map((role) => cpu[role])) / measured, 3);
    const reads = [];
    for (const { id } of runs) reads.push(await readBack(service, id));
    return {
      steps,
      runSeconds: round(median(runs.map(({ seconds }) => seconds)), 2),
      readMs: round(median(reads), 0),
      ourCpuMsPerStep: perStep(Object.keys(cpu).filter((role) => !STORES.includes(role))),
      databaseCpuMsPerStep: perStep(Object.keys(cpu).filter((role) => STORES.includes(role))),
      cpuUsPerStepByProcess: Object.fromEntries(
        Object.entries(cpu).map(([role, ms]) => [role, Math.round((ms * 1_000) / measured)]),
      ),
      journalBytesPerStep: round((await journalBytes(db, runs[0].id)) / steps, 0),
      journalBytesPerStepOfTenth: round((await journalBytes(db, short.id)) / tenth, 0),
      notSucceeded: [short, ...runs].filter(({ status }) => status !== 'SUCCEEDED').length,
      rssMb: rssMbOf(service),
    };
  } finally {
    target.stop();
  }
}
