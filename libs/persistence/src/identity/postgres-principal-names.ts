import { Injectable } from '@nestjs/common';
import { idsInPrincipalNames, isId, PrincipalNames } from '@millrace/domain';
import { DataSource } from 'typeorm';

const FIND = `
  select id::text as name, trim(first_name || ' ' || last_name) as shown from app_user where id = any($1::uuid[])
  union all
  select 'api_key:' || id, display_name from api_key where id = any($2::uuid[])`;

@Injectable()
export class PostgresPrincipalNames extends PrincipalNames {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async find(names: Iterable<string | null | undefined>): Promise<ReadonlyMap<string, string>> {
    const ids = idsInPrincipalNames(names);
    const [users, keys] = [ids.users.filter(isId), ids.keys.filter(isId)];
    if (users.length === 0 && keys.length === 0) return new Map();
    const rows: { name: string; shown: string }[] = await this.dataSource.query(FIND, [users, keys]);
    return new Map(rows.filter(({ shown }) => shown !== '').map(({ name, shown }) => [name, shown]));
  }
}
