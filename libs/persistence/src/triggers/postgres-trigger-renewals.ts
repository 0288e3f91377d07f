import {
  NOT_RENEWED,
  nextRenewal,
  retryAfterMs,
  TriggerRenewals,
  type DueRenewal,
  type RenewalEnding,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { writeStoreEntries } from '../store/store-writes';
import { LOST_AFTER_SECONDS, noteHookFailure } from '../flows/trigger-operation.statements';
import { sendIn } from '../postgres/send';

// No trigger is renewed while a worker may be inside of other hooks of its flow.
const CLAIM_DUE = `
  with due as (
    select flow_id from trigger_renewal as due
    where due_at <= now() and not exists (
      select from trigger_operation as operation
      where operation.flow_id = due.flow_id and operation.kind <> 'TESTING'
        and (operation.kind = 'ENABLING' or operation.claimed_until > now())
    )
    order by due_at limit $1 for update skip locked
  )
  update trigger_renewal as renewal
  set claim_epoch = claim_epoch + 1, due_at = now() + ${LOST_AFTER_SECONDS} * interval '1 second'
  from due where renewal.flow_id = due.flow_id
  returning renewal.flow_id, claim_epoch, project_id, flow_version_id`;

const IS_HELD = 'flow_id = $1 and claim_epoch = $2 and flow_version_id = $3';
const FIND = `select failures, every_hours, cron, now() from trigger_renewal where ${IS_HELD}`;

const RENEWED = `
  update trigger_renewal set failures = 0, due_at = $2 where flow_id = $1`;
const FAILED = `
  update trigger_renewal set failures = failures + 1, due_at = now() + $2 * interval '1 millisecond' where flow_id = $1`;
// The flow may show something else, for instance that a webhook is to be removed by hand.
const FORGET_FAILURE = 'delete from trigger_hook_failure where flow_id = $1 and starts_with(message, $2)';

interface HeldRow {
  failures: number;
  every_hours: number;
  /** Null when it is renewed every so many hours. */
  cron: string | null;
  now: Date;
}

interface RenewalRow {
  flow_id: string;
  claim_epoch: number;
  project_id: string;
  flow_version_id: string;
}

@Injectable()
export class PostgresTriggerRenewals extends TriggerRenewals {
  constructor(@Inject(SIDE_WORK_POOL) private readonly pool: Pool) {
    super();
  }

  async claimDue(limit: number): Promise<readonly DueRenewal[]> {
    return (await this.pool.query<RenewalRow>(CLAIM_DUE, [limit])).rows.map((row) => ({
      flowId: row.flow_id,
      epoch: row.claim_epoch,
      projectId: row.project_id,
      flowVersionId: row.flow_version_id,
    }));
  }

  async isHeld(renewal: DueRenewal): Promise<boolean> {
    return (await this.pool.query(FIND, heldBy(renewal))).rowCount === 1;
  }

  async settle(renewal: DueRenewal, ending: RenewalEnding): Promise<void> {
    const { flowId } = renewal;
    await inTransaction(this.pool, async (tx) => {
      // A change of the flow locks the flow first too.
      await tx.query('select from flow where id = $1 for update', [flowId]);
      const [held] = (await tx.query<HeldRow>(FIND, heldBy(renewal))).rows;
      if (!held) return;
      if (ending.kind === 'renewed') {
        await writeStoreEntries(tx, renewal, ending.writes);
        await tx.query(RENEWED, [flowId, nextOf(held)]);
        await tx.query(FORGET_FAILURE, [flowId, NOT_RENEWED]);
      } else {
        await tx.query(FAILED, [flowId, retryAfterMs(held.failures + 1, Math.random())]);
        await noteHookFailure(sendIn(tx), flowId, ending.message);
      }
    });
  }
}

const nextOf = ({ cron, every_hours: everyHours, now }: HeldRow): Date =>
  nextRenewal(cron === null ? { everyHours } : { cron }, now);

const heldBy = ({ flowId, epoch, flowVersionId }: DueRenewal): unknown[] => [flowId, epoch, flowVersionId];
