import { Injectable } from '@nestjs/common';
import { RunNotices, type RunListener } from '@millrace/domain';
import { Pool } from 'pg';
import { GroupCommit } from '../postgres/group-commit';
import type { Queryable } from '../postgres/in-transaction';
import { ListeningConnection } from '../postgres/listening-connection';

const STOPPED = 'run_stopped';
const ANSWERED = 'run_answered';
/** A payload must be shorter than 8,000 bytes. */
const IDS_PER_PAYLOAD = 200;

const ANNOUNCE = 'select pg_notify($1, payload) from unnest($2::text[]) as payload';

/** Sent when the transaction commits: who executes these runs stops. */
export async function announceStopped(tx: Queryable, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0) await announce(tx, STOPPED, runIds);
}

/** Over LISTEN and NOTIFY. What is announced at the same time is one statement, and few payloads. */
@Injectable()
export class PostgresRunNotices extends RunNotices {
  private readonly answers: GroupCommit<string, void>;

  constructor(
    private readonly pool: Pool,
    private readonly connection: ListeningConnection,
  ) {
    super();
    this.answers = new GroupCommit((runIds) => this.announceGroup(runIds), { name: 'announcements' });
  }

  listen(listener: RunListener): void {
    if (listener.stopped) {
      this.connection.on(STOPPED, (payload) => listener.stopped?.(payload === null ? null : payload.split(',')));
    }
    if (listener.answered) {
      this.connection.on(ANSWERED, (payload) => {
        for (const runId of payload?.split(',') ?? [null]) listener.answered?.(runId);
      });
    }
  }

  announceAnswered(runId: string): Promise<void> {
    return this.answers.add(runId);
  }

  private async announceGroup(runIds: readonly string[]): Promise<void[]> {
    await announce(this.pool, ANSWERED, runIds);
    return runIds.map(() => undefined);
  }
}

async function announce(db: Queryable, channel: string, runIds: readonly string[]): Promise<void> {
  const payloads: string[] = [];
  for (let start = 0; start < runIds.length; start += IDS_PER_PAYLOAD)
    payloads.push(runIds.slice(start, start + IDS_PER_PAYLOAD).join(','));
  await db.query({ name: 'announce-runs', text: ANNOUNCE, values: [channel, payloads] });
}
