import type { Duty } from '@millrace/domain';
import type { Pool } from 'pg';

const EXPIRED = 'delete from piece_question where expires < now()';

/** Deletes questions about packages that their askers have left, because an api ended while it waited. */
export class PieceQuestionPruning implements Duty {
  readonly name = 'Pruning of questions about pieces';
  readonly everyMs = 30_000;

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  async perform(): Promise<void> {
    await this.pool.query(EXPIRED);
  }
}
