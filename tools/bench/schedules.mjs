// W12: measures how late the runs of many schedules of the same minute start, and what the api and the webhooks of
// another project notice of it.
import { setTimeout as wait } from 'node:timers/promises';
import { askApi, quantiles } from './api-answers.mjs';
import { sample } from './neighbours.mjs';
import { NEIGHBOUR } from './slow-kinds.mjs';
import { code, trigger } from '../flow-steps.mjs';

const PROJECTS = 10;
const PUBLISHED_AT_ONCE = 8;
const DUE_IN_SECONDS = 3;
const SAMPLED_SECONDS = 15;
const MOST_SECONDS = 90;

/** The schedule fires only when its row is made due. */
const SCHEDULED = {
  title: 'A schedule',
  trigger: trigger(code('step_1', 'export const code = async ({ at }) => at;', { at: '{{trigger.scheduledFor}}' }), {
    pieceName: 'schedule',
    pieceVersion: '0.1.0',
    triggerName: 'cron_expression',
    input: { cronExpression: '0 0 1 1 *', timezone: 'Europe/Berlin' },
  }),
};

async function publishAll(publish, flows) {
  const ids = [];
  let next = 0;
  const work = async () => {
    for (let n = next++; n < flows; n = next++) ids.push((await publish(SCHEDULED, `schedules ${n % PROJECTS}`)).id);
  };
  await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, work));
  return ids;
}

const LATENESS = `
  select count(*)::int as runs, count(*) filter (where status = 'SUCCEEDED')::int as succeeded,
    coalesce(json_agg(extract(epoch from uuid_extract_timestamp(id) - $2) * 1000), '[]') as accepted,
    coalesce(json_agg(extract(epoch from start_time - $2) * 1000), '[]') as started,
    coalesce(json_agg(extract(epoch from finish_time - $2) * 1000), '[]') as ended
  from flow_run where flow_id = any($1::uuid[])`;

async function latenessOnceEnded(db, flowIds, dueAt) {
  for (const deadline = Date.now() + MOST_SECONDS * 1_000; ; await wait(250)) {
    const [measured] = (await db.query(LATENESS, [flowIds, dueAt])).rows;
    if (measured.succeeded === flowIds.length || Date.now() > deadline) return measured;
  }
}

/** `publish(workload, project)` publishes a workload in the project of that name. */
export async function schedules(service, db, publish, { flows }) {
  console.error(`W12: publishing ${flows} schedules in ${PROJECTS} projects …`);
  const flowIds = await publishAll(publish, flows);
  const neighbour = await publish(NEIGHBOUR, 'neighbour');
  const { rows } = await db.query(
    `update trigger_state
     set next_instant = date_trunc('minute', now()), due_at = now() + interval '${DUE_IN_SECONDS} seconds'
     where flow_id = any($1::uuid[]) returning due_at`,
    [flowIds],
  );
  console.error(`W12: all of them fire in ${DUE_IN_SECONDS} s …`);
  const stopAsking = askApi(service);
  const [webhooks, lateness] = await Promise.all([
    sample(service, db, neighbour, SAMPLED_SECONDS),
    latenessOnceEnded(db, flowIds, rows[0].due_at),
  ]);
  const answers = await stopAsking();
  return {
    flows,
    runs: lateness.runs,
    succeeded: lateness.succeeded,
    acceptedMs: quantiles(lateness.accepted),
    startedMs: quantiles(lateness.started),
    endedMs: quantiles(lateness.ended),
    apiAnswers: answers.length,
    apiMs: quantiles(answers),
    webhookStartMs: webhooks.startMs,
    webhooksNotEnded: webhooks.notEnded,
  };
}
