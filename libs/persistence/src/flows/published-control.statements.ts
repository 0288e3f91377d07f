import {
  momentOf,
  publishedLimits,
  SystemClock,
  type ControlSettings,
  type FlowVersion,
  type Moment,
  type PublishedLimits,
} from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';

// The limits of the published versions, which every decision reads. A version may be large, and reading one member of
// its JSON reads all of it. Flows whose versions never had control have no row.

const HAS_CONTROL = ['concurrency', 'rateLimit', 'debounce', 'batch']
  .map((name) => `trigger #> '{settings,${name}}' is not null`)
  .join(' or ');

const WRITE = `
  insert into flow_control_published (flow_id, concurrency, rate, rate_window_ms, gathers)
  select $1, $2::int, $3::int, $4::int, $5::boolean
  where $6::boolean or exists (select from flow_control_published where flow_id = $1)
    or exists (select from flow_version where id = $7 and (${HAS_CONTROL}))
  on conflict (flow_id) do update
    set concurrency = excluded.concurrency, rate = excluded.rate, rate_window_ms = excluded.rate_window_ms,
      gathers = excluded.gathers, is_reviewed = false`;

/** What can send a statement, in the transaction that publishes. */
type Sender = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** Records the limits of the version that is published. A duty then looks at the runs that wait. */
export async function writePublishedControl(
  send: Sender,
  flowId: string,
  settings: ControlSettings,
  versionBefore: string | null,
): Promise<void> {
  const { concurrency, rate } = publishedLimits(settings);
  const gathers = Boolean(settings.debounce ?? settings.batch);
  const limits = [concurrency, rate?.limit ?? null, rate?.windowMs ?? null, gathers];
  const hasControl = concurrency !== null || rate !== null || gathers;
  await send(WRITE, [flowId, ...limits, hasControl, versionBefore]);
}

export const controlSettingsOf = ({ trigger }: FlowVersion): ControlSettings =>
  trigger.type === 'PIECE_TRIGGER' ? trigger.settings : {};

const READ = `
  select clock_timestamp() as now, flow_id, concurrency, rate, rate_window_ms
  from (select $1::uuid as id) asked left join flow_control_published on flow_id = asked.id`;

const CLOCK = new SystemClock();

interface PresentRow {
  now: Date;
  flow_id: string | null;
  concurrency: number | null;
  rate: number | null;
  rate_window_ms: number | null;
}

/** The time of the database with a moment before it by the clocks of this process, and the limits of the flow. */
export async function readPresent(
  tx: Queryable,
  flowId: string,
): Promise<{ now: Date; askedAt: Moment; published: PublishedLimits | null }> {
  const askedAt = momentOf(CLOCK);
  const [row] = (await tx.query<PresentRow>({ name: 'control-present', text: READ, values: [flowId] })).rows;
  if (!row?.flow_id) return { now: row?.now ?? new Date(askedAt.wallMs), askedAt, published: null };
  const { now, concurrency, rate, rate_window_ms: windowMs } = row;
  const ofRate = rate === null || windowMs === null ? null : { limit: rate, windowMs };
  return { now, askedAt, published: { concurrency, rate: ofRate } };
}

const UNREVIEWED = `
  select flow_id as "flowId" from flow_control_published
  where not is_reviewed and flow_id <> all($2::uuid[]) limit $1`;

/** The flows whose limits have changed since their waiting runs were looked at. */
export async function findUnreviewed(db: Queryable, limit: number, besides: readonly string[]): Promise<string[]> {
  const query = { name: 'unreviewed-controls', text: UNREVIEWED, values: [limit, plainArray(besides)] };
  return (await db.query<{ flowId: string }>(query)).rows.map(({ flowId }) => flowId);
}

const MARK = 'update flow_control_published set is_reviewed = true where flow_id = $1 returning gathers';

// The head of each line is enough: whoever leaves a line lets the next one have its turn.
const headsOf = (limit: 'concurrency' | 'rate'): string => `
  select distinct on (${limit}) run_id from flow_control_run
  where flow_id = $1 and state = 'waiting' and ${limit} is not null order by ${limit}, run_id`;
const MAKE_DUE = `
  update flow_control_run set due = now() where run_id in (
    (${headsOf('concurrency')}) union (${headsOf('rate')}) union
    (select run_id from flow_control_run where flow_id = $1 and state = 'gathering' and not $2::boolean))`;

/** Makes the runs due that may begin by the new limits, in a transaction that holds the lock of the control. */
export async function makeHeadsDue(tx: Queryable, flowId: string): Promise<void> {
  const query = { name: 'mark-reviewed-control', text: MARK, values: [flowId] };
  const [marked] = (await tx.query<{ gathers: boolean }>(query)).rows;
  if (marked) await tx.query({ name: 'heads-due', text: MAKE_DUE, values: [flowId, marked.gathers] });
}

const FORGET = `
  delete from flow_control_published where flow_id in (
    select flow_id from flow_control_published
    where not exists (select from flow where id = flow_id) limit $1)`;

/** Deletes the limits of deleted flows. Runs that still wait then have those of their versions. */
export async function forgetPublished(db: Queryable, limit: number): Promise<number> {
  return (await db.query({ name: 'forget-published', text: FORGET, values: [limit] })).rowCount ?? 0;
}
