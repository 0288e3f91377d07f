import { TriggerRequests, type MadeItems, type NewRun, type RunClaim, type RunHead } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { encodePayload } from '../postgres/stored-payload';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { writeStoreEntries } from '../store/store-writes';

const HELD = `id = $1 and epoch = $2 and status = 'RUNNING' and lease_until is not null`;

const BEGIN_WITH = `
  update flow_run set payload = $3, lease_until = null, epoch = epoch + 1, updated = now() where ${HELD}`;
const DELETE = `delete from flow_run where ${HELD}`;

@Injectable()
export class PostgresTriggerRequests extends TriggerRequests {
  constructor(
    @Inject(SIDE_WORK_POOL) private readonly pool: Pool,
    private readonly runs: RunsInTransaction,
  ) {
    super();
  }

  override async settle(run: RunHead, claim: RunClaim, { items, writes }: MadeItems): Promise<boolean> {
    const [first, ...further] = items;
    // All that takes time is made before the transaction, which holds a connection of the hot path.
    const payload = first === undefined ? null : await encodePayload(first);
    const prepared = await this.runs.prepare(further.map((item) => runOf(run, item)));
    const inserted = await inTransaction(this.pool, async (tx) => {
      if (!(await endClaim(tx, claim, payload))) return null;
      await writeStoreEntries(tx, run, writes);
      return this.runs.insert(tx, prepared);
    });
    if (inserted === null) return false;
    await this.runs.enqueue(prepared, inserted);
    return true;
  }
}

async function endClaim(tx: Queryable, { runId, epoch }: RunClaim, payload: Buffer | null): Promise<boolean> {
  const query =
    payload === null
      ? { name: 'delete-requested-run', text: DELETE, values: [runId, epoch] }
      : { name: 'begin-requested-run', text: BEGIN_WITH, values: [runId, epoch, payload] };
  return (await tx.query(query)).rowCount === 1;
}

const runOf = (
  { projectId, flowId, flowVersionId, environment, triggerType }: RunHead,
  payload: NewRun['payload'],
): NewRun => ({
  id: newId(),
  projectId,
  flowId,
  flowVersionId,
  environment,
  triggeredBy: 'webhook',
  triggerType,
  idempotencyKey: null,
  payload,
});
