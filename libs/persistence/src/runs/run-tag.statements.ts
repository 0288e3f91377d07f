import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

// Tags are in the run's row, where the run is shown, and in run_tag, where runs are found by them. Both are written
// together; runs without tags have nothing to do with it.

/** As much of a text as the indexes of run lists have. */
export const KEY_LENGTH = 200;

/** Writes the tags of `rows`: runs as they are in flow_run, or as an update of it returns them. */
export const insertTagsOf = (rows: string): string => `
  insert into run_tag (run_id, tag, project_id, flow_id, status, archived)
  select distinct run.id, left(tag, ${KEY_LENGTH}), run.project_id, run.flow_id,
    case run.status when 'RUNNING' then 'PAUSED' else run.status end, run.archived_at is not null
  from ${rows} run cross join unnest(run.tags) tag
  on conflict (run_id, tag) do update set status = excluded.status, archived = excluded.archived`;

/** What `insertTagsOf` needs to know of a run. */
export const TAGGED_COLUMNS = 'run.project_id, run.flow_id, run.status, run.tags, run.archived_at';

const INSERT_TAGS = insertTagsOf(`(select * from flow_run where id = any($1::uuid[]) and ${inIdRange('id', 2)})`);

export async function writeTags(tx: Queryable, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await tx.query({ name: 'write-tags', text: INSERT_TAGS, values: [plainArray(runIds), ...idRange(runIds)] });
}
