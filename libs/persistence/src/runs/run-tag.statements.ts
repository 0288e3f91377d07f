import { idRange, inIdRange } from '../postgres/id-range';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

// Tags are stored in the run's row, to show the run, and in run_tag, to find runs by their tags. Both are written
// together. Runs without tags do not use run_tag.

/** How many characters of a text the indexes of run lists hold. */
export const KEY_LENGTH = 200;

/** Returns the statement that writes the tags of `rows`, a table of runs or the result of an update of runs. */
export const insertTagsOf = (rows: string): string => `
  insert into run_tag (run_id, tag, project_id, flow_id, status, archived)
  select distinct run.id, left(tag, ${KEY_LENGTH}), run.project_id, run.flow_id,
    case run.status when 'RUNNING' then 'PAUSED' else run.status end, run.archived_at is not null
  from ${rows} run cross join unnest(run.tags) tag
  on conflict (run_id, tag) do update set status = excluded.status, archived = excluded.archived`;

/** The columns that `insertTagsOf` needs. */
export const TAGGED_COLUMNS = 'run.project_id, run.flow_id, run.status, run.tags, run.archived_at';

const INSERT_TAGS = insertTagsOf(`(select * from flow_run where id = any($1::uuid[]) and ${inIdRange('id', 2)})`);

export async function writeTags(tx: Queryable, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await tx.query({ name: 'write-tags', text: INSERT_TAGS, values: [plainArray(runIds), ...idRange(runIds)] });
}
