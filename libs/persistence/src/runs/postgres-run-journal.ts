import { Injectable } from '@nestjs/common';
import {
  isId,
  RunJournal,
  type JournalSegment,
  type RunClaim,
  type RunEnding,
  type RunToExecute,
} from '@millrace/domain';
import { Pool } from 'pg';
import { GroupCommit } from '../postgres/group-commit';
import { decodeJson, encodeJson } from '../postgres/stored-json';
import {
  appendSegments,
  claimKey,
  claimRuns,
  finishRuns,
  loadRuns,
  loadSegments,
  releaseRun,
  renewLeases,
  type ClaimRow,
  type EndingRow,
  type SegmentRow,
  type StoredRun,
  type StoredSegment,
} from './run-journal.statements';
import { readRecords, recordsJson } from './segment-records';

/**
 * The journal in PostgreSQL. What many runs ask for at the same time is one statement: loads, claims, appends and
 * endings each have a group of their own, so that none waits behind another's.
 */
@Injectable()
export class PostgresRunJournal extends RunJournal {
  private readonly loads: GroupCommit<string, RunToExecute | null>;
  private readonly claims: GroupCommit<ClaimRow, boolean>;
  private readonly appends: GroupCommit<SegmentRow, boolean>;
  private readonly endings: GroupCommit<EndingRow, boolean>;

  constructor(private readonly pool: Pool) {
    super();
    this.loads = new GroupCommit((runIds) => this.loadGroup(runIds), { name: 'run look-ups' });
    this.claims = new GroupCommit((claims) => this.claimGroup(claims), { name: 'claims' });
    this.appends = new GroupCommit<SegmentRow, boolean>((segments) => this.appendGroup(segments), {
      name: 'segments',
      bytesOf: sizeOf,
    });
    this.endings = new GroupCommit<EndingRow, boolean>((endings) => this.finishGroup(endings), {
      name: 'endings',
      bytesOf: sizeOf,
    });
  }

  async load(runId: string): Promise<RunToExecute | null> {
    return isId(runId) ? this.loads.add(runId) : null;
  }

  async claim({ runId, epoch }: RunClaim, startTime: Date, leaseSeconds: number): Promise<number | null> {
    return (await this.claims.add({ runId, epoch, startTime, leaseSeconds })) ? epoch + 1 : null;
  }

  async renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    if (claims.length === 0) return new Set();
    const held = await renewLeases(this.pool, claims, leaseSeconds);
    return new Set(claims.filter((claim) => held.has(claimKey(claim))).map(({ runId }) => runId));
  }

  release(claim: RunClaim): Promise<void> {
    return releaseRun(this.pool, claim);
  }

  async append({ runId, epoch, seq, records }: JournalSegment): Promise<boolean> {
    const encoded = encodeJson(recordsJson(records));
    return this.appends.add({ runId, epoch, seq, records: Buffer.isBuffer(encoded) ? encoded : await encoded });
  }

  async finish(ending: RunEnding): Promise<boolean> {
    const encoded = ending.records.length > 0 ? encodeJson(recordsJson(ending.records)) : Buffer.alloc(0);
    return this.endings.add({ ending, records: Buffer.isBuffer(encoded) ? encoded : await encoded });
  }

  private async loadGroup(runIds: readonly string[]): Promise<(RunToExecute | null)[]> {
    const stored = await loadRuns(this.pool, [...new Set(runIds)]);
    // What was never claimed was never recorded: most runs need no second question.
    const claimed = stored.filter(({ epoch }) => epoch > 0).map(({ id }) => id);
    const segments = byRun(await loadSegments(this.pool, claimed));
    const runs = await Promise.all(stored.map((run) => toRunToExecute(run, segments.get(run.id) ?? [])));
    const byId = new Map(runs.map((run) => [run.id, run]));
    return runIds.map((runId) => byId.get(runId.toLowerCase()) ?? null);
  }

  private async claimGroup(claims: readonly ClaimRow[]): Promise<boolean[]> {
    const firsts = firstPerClaim(claims, (claim) => claim);
    const held = await claimRuns(
      this.pool,
      inOrder([...firsts], (claim) => claim),
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

  private async finishGroup(rows: readonly EndingRow[]): Promise<boolean[]> {
    const firsts = firstPerClaim(rows, ({ ending }) => ending);
    const held = await finishRuns(
      this.pool,
      inOrder([...firsts], ({ ending }) => ending),
    );
    return rows.map((row) => firsts.has(row) && held.has(claimKey(row.ending)));
  }
}

const sizeOf = ({ records }: { records: Buffer }): number => records.length;

/** Of two that want the same claim in one group only the first can have it; the statement alone would not tell them apart. */
function firstPerClaim<Row>(rows: readonly Row[], claimOf: (row: Row) => RunClaim): Set<Row> {
  const firsts = new Map<string, Row>();
  for (const row of rows) {
    const key = claimKey(claimOf(row));
    if (!firsts.has(key)) firsts.set(key, row);
  }
  return new Set(firsts.values());
}

/** One order for all workers, so that two statements never wait for each other's rows in a ring. */
const inOrder = <Row>(rows: readonly Row[], claimOf: (row: Row) => RunClaim): Row[] =>
  [...rows].sort((a, b) => (claimOf(a).runId < claimOf(b).runId ? -1 : 1));

function byRun(segments: readonly StoredSegment[]): Map<string, StoredSegment[]> {
  const grouped = new Map<string, StoredSegment[]>();
  for (const segment of segments) {
    const ofRun = grouped.get(segment.run_id);
    if (ofRun) ofRun.push(segment);
    else grouped.set(segment.run_id, [segment]);
  }
  return grouped;
}

async function toRunToExecute(run: StoredRun, segments: readonly StoredSegment[]): Promise<RunToExecute> {
  return {
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
    payload: run.payload ? await decodeJson(run.payload) : 'null',
    testStep: run.test_step,
    recorded: await readRecords(segments.map(({ records }) => records)),
    nextSegment: (segments.at(-1)?.seq ?? -1) + 1,
  };
}
