import { FLOW_RUN_STATUSES, MOST_RUNS_COUNTED, type FlowRunStatus } from '@millrace/domain';
import { StatementValues, type Statement } from '../lists/list-statement';
import { firstRunAt } from './matching-runs.statements';

export interface SummaryRow {
  flowId: string;
  /** The newest run; all are null when there is none. */
  lastRunId: string | null;
  status: FlowRunStatus | null;
  finishTime: Date | null;
  runs: number;
  failed: number;
}

const OTHERS = FLOW_RUN_STATUSES.filter((status) => status !== 'RUNNING');

/**
 * Returns the statement that reads the newest run of each flow, and counts its runs since a moment up to a bound. It
 * reads the ends of the index ranges of each flow, so its time does not grow with the number of runs. Archived runs and
 * test runs do not count.
 */
export function summaryStatement(projectId: string, flowIds: readonly string[], createdAfter: Date): Statement {
  const values = new StatementValues();
  const [project, flows, others] = [values.id(projectId), values.ids(flowIds), values.texts(OTHERS)];
  const since = `run.id >= ${values.id(firstRunAt(createdAfter))}`;
  const ofFlow = `run.flow_id = asked.flow_id and run.project_id = ${project} and run.archived_at is null
    and run.environment = 'PRODUCTION'`;
  const running = `${ofFlow} and run.status = 'RUNNING'`;
  const ended = (status: string) => `${ofFlow} and run.status = ${status} and run.status <> 'RUNNING'`;
  const newest = `select run.id, run.status, run.finish_time from flow_run run where`;
  const counted = (condition: string) =>
    `select from flow_run run where ${condition} and ${since} limit ${MOST_RUNS_COUNTED}`;
  const text = `
    select asked.flow_id as "flowId", last.id as "lastRunId", last.status, last.finish_time as "finishTime",
      (select count(*)::int from (
        (select from unnest(${others}) other (status) cross join lateral (${counted(ended('other.status'))}) found
         limit ${MOST_RUNS_COUNTED})
        union all (${counted(running)}) limit ${MOST_RUNS_COUNTED}) all_runs) as runs,
      (select count(*)::int from (${counted(ended(`'FAILED'`))}) failures) as failed
    from unnest(${flows}) asked (flow_id) left join lateral (
      select * from (
        (select found.* from unnest(${others}) other (status) cross join lateral (
           ${newest} ${ended('other.status')} order by run.id desc limit 1) found)
        union all (${newest} ${running} order by run.id desc limit 1)) ends
      order by id desc limit 1) last on true`;
  return { text, values: values.all };
}
