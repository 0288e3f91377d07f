import {
  IntakeGate,
  isId,
  NO_MEMORY,
  POLL_TURN_MS,
  Polls,
  type ClaimedPoll,
  type ClaimLimits,
  type PollClaim,
  type PollMemory,
  type PollTurn,
  type SettledPoll,
  type TriggerPlan,
} from '@millrace/domain';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { decodeJson, encodeExactJson, storableText } from '../postgres/stored-json';
import { Admission } from '../runs/admission';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { writeStoreEntries } from '../store/store-writes';
import { claimDuePolls, endPollClaim, findHeldPoll, holdPolledFlow, writePollMemory } from './poll.statements';

const NONE: ReadonlySet<string> = new Set();

@Injectable()
export class PostgresPolls extends Polls {
  private readonly admission: Admission | null;

  constructor(
    @Inject(SIDE_WORK_POOL) private readonly pool: Pool,
    private readonly runs: RunsInTransaction,
    @Optional() gate?: IntakeGate,
  ) {
    super();
    this.admission = gate ? new Admission(gate) : null;
  }

  override claimDue(limits: ClaimLimits): Promise<ClaimedPoll[]> {
    return claimDuePolls(this.pool, limits);
  }

  override async find(claim: PollClaim): Promise<PollTurn | null> {
    const row = isId(claim.flowId) ? await findHeldPoll(this.pool, claim, POLL_TURN_MS) : undefined;
    if (!row) return null;
    const plan = JSON.parse(row.plan) as TriggerPlan;
    return {
      ...claim,
      projectId: row.project_id,
      flowVersionId: row.flow_version_id,
      everyMinutes: plan.poll?.everyMinutes ?? null,
      failures: row.failures,
      memory: row.memory ? (JSON.parse(await decodeJson(row.memory)) as PollMemory) : NO_MEMORY,
      refusal: (await this.admission?.refusal(row.project_id)) ?? null,
    };
  }

  override async settle(turn: ClaimedPoll, settled: SettledPoll): Promise<boolean> {
    const { memory, writes = [], runs, failure } = settled;
    // All that takes time is made before the transaction, which holds a connection of the hot path.
    const bytes = memory && (await encodeExactJson(JSON.stringify(memory)));
    const prepared = await this.runs.prepare(runs);
    const ending = { ...settled, failure: failure === null ? null : storableText(failure) };
    const inserted = await inTransaction(this.pool, async (tx) => {
      // A change of the flow locks the flow first, too.
      if (writes.length > 0 && !(await holdPolledFlow(tx, turn.flowId))) return null;
      if (!(await endPollClaim(tx, turn, ending))) return null;
      if (bytes) await writePollMemory(tx, turn.flowId, bytes);
      await writeStoreEntries(tx, turn, writes);
      return prepared.length > 0 ? this.runs.insert(tx, prepared) : NONE;
    });
    if (inserted === null) return false;
    await this.runs.enqueue(prepared, inserted);
    return true;
  }
}
