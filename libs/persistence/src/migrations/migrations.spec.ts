import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from './migrations';

/** Migrations up to this one were written before the rules about locks. */
const LAST_WITHOUT_RULES = '1790771000000';

const files = readdirSync(__dirname).filter((file) => /^\d{13}-.*\.ts$/.test(file) && !file.includes('spec'));

/** The indexes of a migration that are built while writers of the table wait. Indexes of new tables are empty. */
function indexesThatKeepWritersOut(source: string): string[] {
  const made = [...source.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, table]) => table);
  const built = [...source.matchAll(/create (?:unique )?index (?!concurrently)(?:\w+ )?on (?:only )?(\w+)/gi)];
  return built.filter(([, table]) => !made.includes(table)).map(([statement]) => statement);
}

describe('the migrations', () => {
  it('are listed in the order of their times, each from a file of its own', () => {
    expect(migrations.map(({ name }) => /\d{13}$/.exec(name)?.[0])).toEqual(files.map((file) => file.slice(0, 13)));
  });

  it('build indexes of tables that hold rows concurrently', () => {
    const late = files.filter((file) => file.slice(0, 13) > LAST_WITHOUT_RULES);
    const found = late.flatMap((file) => indexesThatKeepWritersOut(readFileSync(join(__dirname, file), 'utf8')));
    expect(found).toEqual([]);
    expect(indexesThatKeepWritersOut('create unique index a on run (id)')).toHaveLength(1);
    expect(indexesThatKeepWritersOut('create table run (id int); create index a on run (id)')).toEqual([]);
    expect(indexesThatKeepWritersOut('create index concurrently a on run (id)')).toEqual([]);
  });
});
