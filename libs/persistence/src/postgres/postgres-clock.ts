import { SharedClock } from '@millrace/domain';
import type { Pool } from 'pg';

/** The clock of the database. */
export class PostgresClock extends SharedClock {
  constructor(private readonly pool: Pick<Pool, 'query'>) {
    super();
  }

  async now(): Promise<Date> {
    const { rows } = await this.pool.query<{ now: Date }>('select clock_timestamp() as now');
    const [row] = rows;
    if (!row) throw new Error('The database did not say what time it is.');
    return row.now;
  }
}
