import {
  isId,
  JobQueue,
  NOBODY_WATCHES,
  PAUSED_RUN_LIMIT_DAYS,
  RecordedRun,
  RunJournal,
  RunMeters,
  type JournalSegment,
  type LiveUpdates,
  type NewRun,
  type PauseResult,
  type RecordedStep,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunPause,
  type RunToExecute,
  type UnreadableReason,
  type WaitEnding,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { DestinationWatch } from '../event-destinations/destination-watch';
import { BusyLoop } from '../postgres/batching-delay';
import { GroupCommit } from '../postgres/group-commit';
import { GroupsByEvents } from './groups-by-events';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, type EnqueuePatience } from './best-effort-enqueue';
import type { ClaimedRuns } from '../queue/claimed-runs';
import type { StoredRun, StoredRunHead } from '../queue/loaded-run';
import { showEnqueued } from '../live/show-enqueued';
import { pauseRuns } from './pause-runs';
import type { IntakeRow } from './run-intake.statements';
import { claimKey, claimRuns, disownRuns, releaseRun, renewLeases, type ClaimRow } from './run-claim.statements';
import { appendSegments, finishRuns, type EndingRow, type SegmentRow } from './run-journal.statements';
import { loadRunHeads, loadRuns, loadSegments, segmentsByRun } from './run-load.statements';
import type { PauseRow } from './run-pause.statements';
import { findEndings, openRequestsOf, opensRequests } from './run-wait.statements';
import { encodeSegment, readRecords, whyUnreadable } from './segment-records';
import { decodePayload, encodePayload } from '../postgres/stored-payload';

/** The class is also the token of these options. */
export abstract class RunJournalOptions {
  /** How long a run may be paused. */
  abstract readonly pausedLimitDays?: number;
  abstract readonly patience?: EnqueuePatience;
  /** The runs that claims of jobs have loaded already. */
  abstract readonly claimedRuns?: ClaimedRuns;
  /** Tells the clients that watch a project of the children that waits start. */
  abstract readonly live?: LiveUpdates;
  /** Counts the runs that end. */
  abstract readonly meters?: RunMeters;
}

/** The journal of a run that no worker has begun. */
const NOTHING_RECORDED = { recorded: [], nextSegment: 0, waitEndings: new Map<string, WaitEnding>() };

interface Paused {
  result: PauseResult;
  enqueued: Promise<void>;
}

/** How long a busy worker lets a load, a claim, a segment or an ending wait for others. */
const BUSY_DELAY_MS = 5;
/** How long a worker at ease lets an ending wait for others. */
const ENDING_DELAY_MS = 2;

/**
 * The journal in PostgreSQL. Calls for many runs at the same time become one statement. Loads, claims, appends, endings
 * and pauses form separate groups, so that no kind waits for another. The children that waits start are enqueued.
 */
@Injectable()
export class PostgresRunJournal extends RunJournal {
  private readonly loads: GroupCommit<string, RunToExecute | null>;
  private readonly heads: GroupCommit<string, RunHead | null>;
  private readonly claims: GroupsByEvents<ClaimRow, boolean>;
  private readonly appends: GroupCommit<SegmentRow, boolean>;
  private readonly endings: GroupsByEvents<EndingRow, boolean>;
  private readonly pauses: GroupsByEvents<PauseRow, Paused>;
  private readonly queue: BestEffortEnqueue;
  private readonly pausedLimitDays: number;
  private readonly claimed: ClaimedRuns | undefined;
  private readonly live: LiveUpdates;
  private readonly meters: RunMeters;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    @Optional()
    {
      pausedLimitDays = PAUSED_RUN_LIMIT_DAYS,
      patience = ENQUEUE_PATIENCE,
      claimedRuns,
      live = NOBODY_WATCHES,
      meters = new RunMeters(),
    }: RunJournalOptions = {},
  ) {
    super();
    this.queue = new BestEffortEnqueue(queue, patience);
    this.pausedLimitDays = pausedLimitDays;
    this.claimed = claimedRuns;
    this.live = live;
    this.meters = meters;
    claimedRuns?.loadFrom(pool);
    const destinations = new DestinationWatch(pool);
    const isHeard = ({ projectId }: RunClaim): boolean => destinations.mayListenToRunsOf(projectId);
    const loop = new BusyLoop();
    const usual = { slowRowsAlone: true, batchingDelayMs: (now: number) => (loop.isBusy(now) ? BUSY_DELAY_MS : 0) };
    this.loads = new GroupCommit((runIds) => this.loadGroup(runIds), { name: 'run look-ups', ...usual });
    this.heads = new GroupCommit((runIds) => this.loadHeads(runIds), { name: 'run look-ups' });
    const ofClaims = { name: 'claims', ...usual };
    this.claims = new GroupsByEvents<ClaimRow, boolean>(isHeard, (...group) => this.claimGroup(...group), ofClaims);
    const ofAppends = { name: 'segments', ...usual, bytesOf: sizeOf };
    this.appends = new GroupCommit<SegmentRow, boolean>((segments) => this.appendGroup(segments), ofAppends);
    const endingDelayMs = (now: number): number => (loop.isBusy(now) ? BUSY_DELAY_MS : ENDING_DELAY_MS);
    const ofEndings = { name: 'endings', slowRowsAlone: true, batchingDelayMs: endingDelayMs, bytesOf: sizeOf };
    const isEndingHeard = ({ ending }: EndingRow): boolean => isHeard(ending);
    const finish = this.finishGroup.bind(this);
    this.endings = new GroupsByEvents<EndingRow, boolean>(isEndingHeard, finish, ofEndings);
    const isPauseHeard = ({ pause }: PauseRow): boolean => isHeard(pause);
    const ofPauses = { name: 'pauses', slowRowsAlone: true, bytesOf: sizeOf };
    this.pauses = new GroupsByEvents<PauseRow, Paused>(isPauseHeard, (...group) => this.pauseGroup(...group), ofPauses);
  }

  async load(runId: string): Promise<RunToExecute | null> {
    const claimed = this.claimed?.take(runId);
    if (claimed) return toRunToExecute(claimed, new Map(), NOTHING_RECORDED);
    return isId(runId) ? this.loads.add(runId) : null;
  }

  async loadHead(runId: string): Promise<RunHead | null> {
    return isId(runId) ? this.heads.add(runId) : null;
  }

  async claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    const { runId, epoch, projectId } = claim;
    return (await this.claims.add({ runId, epoch, projectId, startTime, leaseSeconds })) ? epoch + 1 : null;
  }

  async renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    if (claims.length === 0) return new Set();
    const held = await renewLeases(this.pool, claims, leaseSeconds);
    return new Set(claims.filter((claim) => held.has(claimKey(claim))).map(({ runId }) => runId));
  }

  release(claim: RunClaim): Promise<boolean> {
    return releaseRun(this.pool, claim);
  }

  async disown(claims: readonly RunClaim[]): Promise<void> {
    if (claims.length === 0) return;
    await disownRuns(
      this.pool,
      inOrder(claims, (claim) => claim),
    );
  }

  async append(segment: JournalSegment): Promise<boolean> {
    const { runId, epoch, seq, records, stepsCount } = segment;
    // The requests are written before the records: a recorded step is not executed again, and could not open them
    // later.
    if (opensRequests(records)) await openRequestsOf(this.pool, segment);
    const encoded = encodeSegment(records);
    const bytes = Buffer.isBuffer(encoded) ? encoded : await encoded;
    return this.appends.add({ runId, epoch, seq, records: bytes, stepsCount });
  }

  async finish(ending: RunEnding): Promise<boolean> {
    if (opensRequests(ending.records)) await openRequestsOf(this.pool, ending);
    const encoded = ending.records.length > 0 ? encodeSegment(ending.records) : Buffer.alloc(0);
    return this.endings.add({ ending, records: Buffer.isBuffer(encoded) ? encoded : await encoded });
  }

  async pause(pause: RunPause): Promise<PauseResult> {
    const records = pause.records.length > 0 ? await encodeSegment(pause.records) : Buffer.alloc(0);
    const children = pause.waits.flatMap(({ child }) => child ?? []);
    const rows = await Promise.all(children.map(toIntakeRow));
    const { result, enqueued } = await this.pauses.add({ pause, records, children: rows });
    await enqueued;
    return result;
  }

  private async loadGroup(runIds: readonly string[]): Promise<(RunToExecute | null)[]> {
    const stored = await loadRuns(this.pool, [...new Set(runIds)]);
    // A run that was never claimed has no segments, so most runs need no further statement.
    const claimed = stored.filter(({ epoch }) => epoch > 0).map(({ id }) => id);
    const segments = segmentsByRun(await loadSegments(this.pool, claimed));
    // A run that cannot be read does not keep the other runs of its group from being loaded.
    const unreadable = new Map<string, UnreadableReason>();
    const recorded = await recordedSteps(segments, unreadable);
    const waiting = [...recorded].flatMap(([runId, steps]) =>
      [...new RecordedRun(steps).waitIds].map((requestId) => ({ runId, requestId })),
    );
    const endings = await findEndings(this.pool, waiting, unreadable);
    const runs = await Promise.all(
      stored.map((run) =>
        toRunToExecute(run, unreadable, {
          recorded: recorded.get(run.id) ?? [],
          nextSegment: (segments.get(run.id)?.at(-1)?.seq ?? -1) + 1,
          waitEndings: endings.get(run.id) ?? new Map<string, WaitEnding>(),
        }),
      ),
    );
    const byId = new Map(runs.map((run) => [run.id, run]));
    return runIds.map((runId) => byId.get(runId.toLowerCase()) ?? null);
  }

  private async loadHeads(runIds: readonly string[]): Promise<(RunHead | null)[]> {
    const heads = (await loadRunHeads(this.pool, [...new Set(runIds)])).map(toRunHead);
    const byId = new Map(heads.map((head) => [head.id, head]));
    return runIds.map((runId) => byId.get(runId.toLowerCase()) ?? null);
  }

  private async claimGroup(claims: readonly ClaimRow[], withEvents: () => boolean): Promise<boolean[]> {
    const firsts = firstPerClaim(claims, (claim) => claim);
    const held = await claimRuns(
      this.pool,
      inOrder([...firsts], (claim) => claim),
      withEvents(),
    );
    return claims.map((claim) => firsts.has(claim) && held.has(claimKey(claim)));
  }

  private async appendGroup(segments: readonly SegmentRow[]): Promise<boolean[]> {
    const held = await appendSegments(
      this.pool,
      inOrder(segments, (segment) => segment),
    );
    return segments.map((segment) => held.has(claimKey(segment)));
  }

  private async finishGroup(rows: readonly EndingRow[], withEvents: () => boolean): Promise<boolean[]> {
    const firsts = firstPerClaim(rows, ({ ending }) => ending);
    const held = await finishRuns(
      this.pool,
      inOrder([...firsts], ({ ending }) => ending),
      withEvents(),
    );
    return rows.map((row) => {
      const hasEnded = firsts.has(row) && held.has(claimKey(row.ending));
      if (hasEnded) this.count(row.ending);
      return hasEnded;
    });
  }

  /** A STOPPED run was ended, and counted, by whoever cancelled it. */
  private count({ status, startTime, finishTime }: RunEnding): void {
    if (status === 'STOPPED') return;
    this.meters.ended.add(status);
    this.meters.duration.add((finishTime.getTime() - startTime.getTime()) / 1_000);
  }

  private async pauseGroup(rows: readonly PauseRow[], withEvents: () => boolean): Promise<Paused[]> {
    const firsts = [...firstPerClaim(rows, ({ pause }) => pause)];
    const { results, jobs } = await pauseRuns(this.pool, firsts, {
      limitDays: this.pausedLimitDays,
      withEvents,
    });
    showEnqueued(this.live, jobs);
    // The callers await the queue, but the next group does not.
    const enqueued = this.queue.enqueue(jobs);
    const resultOf = new Map(firsts.map((row, i) => [row, results[i]]));
    return rows.map((row) => ({ result: resultOf.get(row) ?? 'claimLost', enqueued }));
  }
}

const sizeOf = ({ records }: { records: Buffer }): number => records.length;

/** Returns the first row for each claim. The statement alone would give two rows of a group the same claim. */
function firstPerClaim<Row>(rows: readonly Row[], claimOf: (row: Row) => RunClaim): Set<Row> {
  const firsts = new Map<string, Row>();
  for (const row of rows) {
    const key = claimKey(claimOf(row));
    if (!firsts.has(key)) firsts.set(key, row);
  }
  return new Set(firsts.values());
}

/** Sorts the rows by run. All workers use this order, so that two statements never wait for each other's rows. */
const inOrder = <Row>(rows: readonly Row[], claimOf: (row: Row) => RunClaim): Row[] =>
  [...rows].sort((a, b) => (claimOf(a).runId < claimOf(b).runId ? -1 : 1));

async function recordedSteps(
  segments: ReadonlyMap<string, readonly { records: Buffer }[]>,
  unreadable: Map<string, UnreadableReason>,
): Promise<Map<string, RecordedStep[]>> {
  const read = [...segments].map(async ([runId, ofRun]): Promise<[string, RecordedStep[]]> => {
    const steps = readRecords(ofRun.map(({ records }) => records));
    return [runId, await steps.catch((error: unknown) => noted(unreadable, runId, error, []))];
  });
  return new Map(await Promise.all(read));
}

function noted<Nothing>(
  unreadable: Map<string, UnreadableReason>,
  runId: string,
  error: unknown,
  nothing: Nothing,
): Nothing {
  unreadable.set(runId, whyUnreadable(error, `Run ${runId}`));
  return nothing;
}

async function readPayload({ payload }: StoredRun): Promise<RunToExecute['payload']> {
  return payload ? decodePayload(payload) : 'null';
}

async function toIntakeRow(run: NewRun): Promise<IntakeRow> {
  return { run, payload: await encodePayload(run.payload), kept: null, jobId: run.id };
}

async function toRunToExecute(
  run: StoredRun,
  unreadable: Map<string, UnreadableReason>,
  journal: Pick<RunToExecute, 'recorded' | 'nextSegment' | 'waitEndings'>,
): Promise<RunToExecute> {
  const payload = await readPayload(run).catch((error: unknown) => noted(unreadable, run.id, error, 'null'));
  return { ...toRunHead(run), payload, unreadable: unreadable.get(run.id) ?? null, ...journal };
}

const toRunHead = (run: StoredRunHead): RunHead => ({
  id: run.id,
  projectId: run.project_id,
  flowId: run.flow_id,
  flowVersionId: run.flow_version_id,
  status: run.status,
  environment: run.environment,
  triggerType: run.trigger_type,
  epoch: run.epoch,
  isLeased: run.is_leased,
  startTime: run.start_time,
  testStep: run.test_step,
  timeUsedMs: run.time_used_ms,
  workerDeaths: run.worker_deaths,
  parentRunId: run.parent_run_id,
  depth: run.depth,
  isAwaited: run.is_awaited,
});
