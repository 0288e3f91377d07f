/** Reads what the database and the api have of the runs of a proof, at its end. */
import { chanceOf } from '../../chance.mjs';

const AT_ONCE = 8;
/** Of so many runs that ended badly it is asked why. */
const MOST_EXPLAINED = 20;

/** @returns all runs of the project. Those that no acknowledgement names get the number in their payload. */
export async function findRuns({ audit, stack, projectId, webhooks }) {
  const { rows } = await audit.query(
    `select id, status, status_reason as reason, finish_time::text as finished from flow_run where project_id = $1`,
    [projectId],
  );
  audit.compareAll(rows);
  const told = new Set(webhooks.map(({ runId }) => runId));
  const others = rows.filter(({ id }) => !told.has(id));
  await eachOf(others, async (run) => {
    run.number = numberOf(await stack.call('GET', `/flow-runs/${run.id}`));
  });
  await eachOf(rows.filter(endedBadly).slice(0, MOST_EXPLAINED), async (run) => {
    run.reason ??= messageOf(await stack.call('GET', `/flow-runs/${run.id}`));
  });
  return rows;
}

const endedBadly = ({ status }) => !['RUNNING', 'PAUSED', 'SUCCEEDED'].includes(status);

/** Why a run failed: the message of its first failed step. That of a loop only says in which iteration another one failed. */
export function messageOf({ steps }) {
  const failed = Object.values(steps).find(({ status }) => status === 'FAILED');
  const within = failed?.output?.iterations?.map((iteration) => messageOf({ steps: iteration }));
  return within?.find((message) => message !== undefined) ?? failed?.errorMessage;
}

/** Reads some acknowledged runs by the api. @returns the ids of those that have not the data of their webhook */
export async function findWrongRuns({ stack, webhooks, amount, seed }) {
  const acknowledged = webhooks.filter(({ outcome }) => outcome === 'acknowledged');
  const chosen = chanceOf(seed, 0).shuffled(acknowledged).slice(0, amount);
  const wrong = [];
  await eachOf(chosen, async ({ number, kind, runId }) => {
    const run = await stack.call('GET', `/flow-runs/${runId}`);
    const hasData = numberOf(run) === number && run.steps.double?.output === number * 2;
    if (run.status === 'SUCCEEDED' && !hasData) wrong.push(`${runId} (${kind})`);
  });
  return wrong;
}

/** The number that came with the webhook of a run. */
const numberOf = (run) => run.steps?.trigger?.output?.body?.number;

async function eachOf(values, work) {
  const left = [...values];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let value = left.pop(); value; value = left.pop()) await work(value);
    }),
  );
}
