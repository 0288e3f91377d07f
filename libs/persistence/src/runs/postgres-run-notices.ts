import { Injectable } from '@nestjs/common';
import { isFinal, RunNotices, type JsonText, type RunAnswer, type RunListener } from '@millrace/domain';
import { Pool } from 'pg';
import { GroupCommit } from '../postgres/group-commit';
import { untilNone } from '../postgres/halving-batches';
import type { Queryable } from '../postgres/in-transaction';
import { ListeningConnection } from '../postgres/listening-connection';
import { noticePayloads } from '../postgres/notice-payloads';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { encodeJson } from '../postgres/stored-json';

const STOPPED = 'run_stopped';
const ANSWERED = 'run_answered';
/**
 * The largest response that a notification carries. All gateways get it; the one that waits reads a larger response.
 */
const CARRIED_BYTES = 4_000;
const KEPT_MS = 60 * 60 * 1000;
const DELETED_AT_ONCE = 1_000;

const ANNOUNCE = 'select pg_notify($1, payload) from unnest($2::text[]) as payload';

// A caller waits for this commit. The response is also in the run's journal, so the commit need not wait for the disk.
const KEEP_AND_ANNOUNCE = `
  with kept as (
    insert into run_response (run_id, response, created)
    select id, substr($6::bytea, response_start, response_length), now()
    from unnest($3::uuid[], $4::int[], $5::int[]) as r (id, response_start, response_length)
    on conflict do nothing
  )
  select pg_notify($1, payload), set_config('synchronous_commit', 'off', true) from unnest($2::text[]) as payload`;

interface Announcement {
  runId: string;
  /** The element of the payload: the run's id, and the answer when it is small. */
  notice: JsonText;
  /** The response to store: one too large for the payload, or one of an unfinished run, whose journal is not read. */
  kept: JsonText | null;
}

/**
 * Tells the workers that execute these runs to stop. PostgreSQL sends the notification when the transaction commits.
 */
export async function announceStopped(tx: Queryable, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0)
    await tx.query({ name: 'announce-runs', text: ANNOUNCE, values: [STOPPED, noticePayloads(runIds.map(quoted))] });
}

/** Run events over LISTEN and NOTIFY. Events that are announced at the same time share a statement and its payloads. */
@Injectable()
export class PostgresRunNotices extends RunNotices {
  private readonly answers: GroupCommit<Announcement, void>;

  constructor(
    private readonly pool: Pool,
    private readonly connection: ListeningConnection,
  ) {
    super();
    this.answers = new GroupCommit<Announcement, void>((group) => this.announceGroup(group), {
      name: 'announcements',
      bytesOf: ({ kept }) => kept?.length ?? 0,
    });
  }

  listen(listener: RunListener): void {
    if (listener.stopped) {
      this.connection.on(STOPPED, (payload) => listener.stopped?.(payload ? (JSON.parse(payload) as string[]) : null));
    }
    if (listener.answered) {
      this.connection.on(ANSWERED, (payload) => {
        const answered = payload ? (JSON.parse(payload) as [runId: string, answer?: RunAnswer][]) : [[null] as const];
        for (const [runId, answer] of answered) listener.answered?.(runId, answer ?? null);
      });
    }
  }

  async announceAnswered(runId: string, { status, response }: RunAnswer): Promise<void> {
    const text = response && JSON.stringify(response);
    const isCarried = text !== null && Buffer.byteLength(text) <= CARRIED_BYTES;
    await this.answers.add({
      runId,
      notice: isCarried ? `["${runId}",{"status":"${status}","response":${text}}]` : `["${runId}"]`,
      // The group compresses the response. Compressing here would let a later announcement of the run overtake this
      // one.
      kept: isCarried && isFinal(status) ? null : text,
    });
  }

  private async announceGroup(group: readonly Announcement[]): Promise<void[]> {
    const payloads = noticePayloads(group.map(({ notice }) => notice));
    // The first response of each run is kept. The order of ids keeps two statements from waiting for each other's rows.
    const responses = group.flatMap(({ runId, kept }) => (kept ? [{ runId, response: kept }] : []));
    const toKeep = [...new Map(responses.reverse().map((each) => [each.runId, each])).values()].sort((a, b) =>
      a.runId < b.runId ? -1 : 1,
    );
    await (toKeep.length > 0
      ? this.keepAndAnnounce(toKeep, payloads)
      : this.pool.query({ name: 'announce-runs', text: ANNOUNCE, values: [ANSWERED, payloads] }));
    return group.map(() => undefined);
  }

  private async keepAndAnnounce(kept: readonly { runId: string; response: JsonText }[], payloads: string[]) {
    const packed = packBytes(await Promise.all(kept.map(async ({ response }) => encodeJson(response))));
    const ids = plainArray(kept.map(({ runId }) => runId));
    const values = [ANSWERED, payloads, ids, plainArray(packed.starts), plainArray(packed.lengths), packed.bytes];
    await this.pool.query({ name: 'keep-and-announce', text: KEEP_AND_ANNOUNCE, values });
  }
}

const quoted = (runId: string): JsonText => `"${runId}"`;

const DELETE_OLD = `
  delete from run_response where run_id = any(array(
    select run_id from run_response where created < now() - $1 * interval '1 millisecond'
    order by created limit $2 for update skip locked))`;

/**
 * Deletes responses that are older than an hour, for which no caller waits. They stay in the journals of their runs.
 */
export async function deleteOldResponses(pool: Pool): Promise<void> {
  await untilNone(DELETED_AT_ONCE, async (limit) => {
    const query = { name: 'delete-old-responses', text: DELETE_OLD, values: [KEPT_MS, limit] };
    return (await pool.query(query)).rowCount ?? 0;
  });
}
