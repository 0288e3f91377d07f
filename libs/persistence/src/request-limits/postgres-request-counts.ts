import { RequestCounts } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';

/** The rows are locked in one order, so that two processes do not wait for each other. */
const ADD = `
  insert into request_count (name, minute, count)
  select name, $1, count from unnest($2::text[], $3::integer[]) as told (name, count) order by name
  on conflict (minute, name) do update set count = request_count.count + excluded.count
  returning name, count`;

@Injectable()
export class PostgresRequestCounts extends RequestCounts {
  constructor(private readonly pool: Pool) {
    super();
  }

  async add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const values = [minute, [...counts.keys()], [...counts.values()]];
    const { rows } = await this.pool.query<{ name: string; count: number }>({
      name: 'count-requests',
      text: ADD,
      values,
    });
    return new Map(rows.map(({ name, count }) => [name, count]));
  }
}
