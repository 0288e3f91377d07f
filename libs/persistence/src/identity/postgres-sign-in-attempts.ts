import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SIGN_IN_WINDOW_MS, SignInAttempts, type AttemptCount } from '@millrace/domain';
import { DataSource } from 'typeorm';

// Names are stored as hashes, because people type passwords into the field for the address.

/** The rows are locked in one order, so that two attempts at once do not wait for each other. */
const COUNT = `
  insert into sign_in_attempt (name, count, ends_at)
  select name, 1, $3::timestamptz from unnest($1::text[]) as name order by name
  on conflict (name) do update set
    count = case when sign_in_attempt.ends_at > $2 then sign_in_attempt.count + 1 else 1 end,
    ends_at = case when sign_in_attempt.ends_at > $2 then sign_in_attempt.ends_at else excluded.ends_at end
  returning name, count, ends_at as "endsAt"`;

const TAKE_BACK = `
  with locked as (select name from sign_in_attempt where name = any($1) order by name for update)
  update sign_in_attempt set count = count - 1 where name in (select name from locked)`;

const REMEMBER = `
  insert into known_address (account, address, last_used) values ($1, $2, $3)
  on conflict (account, address) do update set last_used = greatest(known_address.last_used, excluded.last_used)`;

@Injectable()
export class PostgresSignInAttempts extends SignInAttempts {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async count(names: readonly [string, string], now: Date): Promise<[AttemptCount, AttemptCount]> {
    const hashes = names.map(hashOf);
    const rows: (AttemptCount & { name: string })[] = await this.dataSource.query(COUNT, [
      hashes,
      now,
      new Date(now.getTime() + SIGN_IN_WINDOW_MS),
    ]);
    const [first, second] = hashes.map((hash) => {
      const { count = 1, endsAt = now } = rows.find(({ name }) => name === hash) ?? {};
      return { count, endsAt };
    });
    return [first, second] as [AttemptCount, AttemptCount];
  }

  async giveBack([forgotten, lessened]: readonly [string, string]): Promise<void> {
    await this.dataSource.query('delete from sign_in_attempt where name = $1', [hashOf(forgotten)]);
    await this.dataSource.query('update sign_in_attempt set count = count - 1 where name = $1', [hashOf(lessened)]);
  }

  async takeBack(names: readonly [string, string]): Promise<void> {
    await this.dataSource.query(TAKE_BACK, [names.map(hashOf)]);
  }

  async knows(account: string, address: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      'select from known_address where account = $1 and address = $2',
      [hashOf(account), hashOf(address)],
    );
    return rows.length > 0;
  }

  async remember(account: string, address: string, now: Date): Promise<void> {
    await this.dataSource.query(REMEMBER, [hashOf(account), hashOf(address), now]);
  }
}

const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');
