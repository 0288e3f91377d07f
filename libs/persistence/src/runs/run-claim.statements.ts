import type { RunClaim } from '@millrace/domain';
import type { Pool } from 'pg';
import {
  BEGINS,
  EVENT_COLUMNS,
  insertRunEventsOf,
  kindsIf,
  rowBefore,
} from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import { plainArray } from '../postgres/packed-bytes';
import { countsFirstFrom, countsFrom } from '../queue/loaded-run';

// Every write is fenced: it changes a run only while `id`, `epoch` and `status = 'RUNNING'` match.

export interface ClaimRow extends RunClaim {
  startTime: Date | null;
  leaseSeconds: number;
}

/** Returns a text that is equal for equal claims. */
export const claimKey = ({ runId, epoch }: RunClaim): string => `${runId} ${epoch}`;

// A run with a live lease cannot be claimed: the owner must finish or release the run, or the lease must expire. A
// lease that expired without a release counts as a lost worker. A claim without a start time does not begin the run. The
// worker tells the start of a run that it begins; the time of the run counts from it, within bounds of now().
const claimStatement = (moreTables = '', moreColumns = '') => `
  update flow_run run
  set epoch = run.epoch + 1, start_time = coalesce(run.start_time, claim.start_time),
      time_counts_from = case when paused_at is not null then ${countsFrom('run.start_time')}
                              when run.start_time is null and claim.start_time is not null then ${countsFirstFrom('claim.start_time')}
                              else time_counts_from end,
      paused_at = null,
      worker_deaths = run.worker_deaths + (run.lease_until is not null)::int,
      lease_until = now() + claim.lease_seconds * interval '1 second', updated = now()
  from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::float8[]) as claim (id, epoch, start_time, lease_seconds)${moreTables}
  where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING'
    and (run.lease_until is null or run.lease_until < now()) and ${inIdRange('run.id', 5)}
  returning run.id, claim.epoch${moreColumns}`;

const CLAIM = claimStatement();

// Whoever begins a run also raises its epoch or ends it, so the row before the change is the row of this epoch.
const CLAIM_WITH_EVENTS = `
  with claimed as (
    ${claimStatement(rowBefore('claim.id', 5), `, ${EVENT_COLUMNS}, ${kindsIf(BEGINS)} as kinds`)}
  ), reported as (${insertRunEventsOf('claimed')})
  select id, epoch from claimed`;

/** `withEvents` is false only when no destination listens to these runs. */
export async function claimRuns(pool: Pool, claims: readonly ClaimRow[], withEvents: boolean): Promise<Set<string>> {
  const [name, text] = withEvents ? ['claim-runs-with-events', CLAIM_WITH_EVENTS] : ['claim-runs', CLAIM];
  return heldClaims(pool, name, text, [
    plainArray(claims.map(({ runId }) => runId)),
    plainArray(claims.map(({ epoch }) => epoch)),
    plainArray(claims.map(({ startTime }) => startTime?.toISOString() ?? 'null')),
    plainArray(claims.map(({ leaseSeconds }) => leaseSeconds)),
    ...idRange(claims.map(({ runId }) => runId)),
  ]);
}

const RENEW = `
  update flow_run run set lease_until = now() + $3::float8 * interval '1 second'
  from unnest($1::uuid[], $2::int[]) as claim (id, epoch)
  where run.id = claim.id and run.epoch = claim.epoch and run.status = 'RUNNING' and run.lease_until is not null
    and ${inIdRange('run.id', 4)}
  returning run.id, run.epoch`;

export async function renewLeases(pool: Pool, claims: readonly RunClaim[], leaseSeconds: number): Promise<Set<string>> {
  return heldClaims(pool, 'renew-leases', RENEW, [
    plainArray(claims.map(({ runId }) => runId)),
    plainArray(claims.map(({ epoch }) => epoch)),
    leaseSeconds,
    ...idRange(claims.map(({ runId }) => runId)),
  ]);
}

// A release raises the epoch. A worker that loaded the run before the last segments of this claim can then not claim
// it.
const RELEASE = `
  update flow_run set lease_until = null, epoch = epoch + 1, updated = now()
  where id = $1 and epoch = $2 and status = 'RUNNING' and lease_until is not null`;

export async function releaseRun(pool: Pool, { runId, epoch }: RunClaim): Promise<boolean> {
  return (await pool.query({ name: 'release-run', text: RELEASE, values: [runId, epoch] })).rowCount === 1;
}

// A claim in a later epoch has counted this worker as lost although it lives, so its death is taken back. When the call
// is repeated because its first answer was lost, it takes back one death too many; that ends no run.
const DISOWN = `
  update flow_run run
  set worker_deaths = case when run.epoch = claim.epoch then worker_deaths else worker_deaths - 1 end,
      lease_until = case when run.epoch = claim.epoch then null else lease_until end,
      epoch = run.epoch + (run.epoch = claim.epoch)::int, updated = now()
  from unnest($1::uuid[], $2::int[]) as claim (id, epoch)
  where run.id = claim.id and run.status = 'RUNNING' and ${inIdRange('run.id', 3)}
    and (run.epoch = claim.epoch and run.lease_until is not null or run.epoch > claim.epoch and worker_deaths > 0)`;

export async function disownRuns(pool: Pool, claims: readonly RunClaim[]): Promise<void> {
  const runIds = claims.map(({ runId }) => runId);
  const values = [plainArray(runIds), plainArray(claims.map(({ epoch }) => epoch)), ...idRange(runIds)];
  await pool.query({ name: 'disown-runs', text: DISOWN, values });
}

/** Runs a statement that returns claims. Resolves with their keys. */
export async function heldClaims(pool: Pool, name: string, text: string, values: unknown[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string; epoch: number }>({ name, text, values });
  return new Set(rows.map(({ id, epoch }) => claimKey({ runId: id, epoch })));
}
