import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from './migrations';

/** Migrations up to this one were written before the rules about locks. */
const LAST_WITHOUT_RULES = '1790771000000';
/** It was merged with an import of the project, and a merged migration is not edited. No other one may. */
const IMPORTS_OF_THE_PROJECT = ['1790766000000-normalized-emails.ts'];
/** A migration may name its own kind, which has no code that changes what it does. */
const OF_MIGRATIONS = /^\.\.\/schema\/migration$/;

/** Every partition has had the indexes of this one since before it ran, so it joins them and builds none. */
const JOINS_INDEXES = '1790811000000-failure-fingerprints.ts';

const files = readdirSync(__dirname).filter((file) => /^\d{13}-.*\.ts$/.test(file) && !file.includes('spec'));

/** The indexes of a migration that are built while writers of the table wait. Indexes of new tables are empty. */
function indexesThatKeepWritersOut(source: string): string[] {
  const made = [...source.matchAll(/create table (?:if not exists )?(\w+)/gi)].map(([, table]) => table);
  const built = [
    ...source.matchAll(
      /create\s+(?:unique\s+)?index\s+(?!concurrently\b)(?:if\s+not\s+exists\s+)?(?:[\w"]+\s+)?on\s+(?:only\s+)?"?(\w+)/gi,
    ),
  ];
  return built.filter(([, table]) => !made.includes(table)).map(([statement]) => statement);
}

/** What the source imports from this project. Types are nothing when it runs. */
const importsOfProject = (source: string): string[] =>
  [...source.matchAll(/^(?!import type ).*\b(?:from |import\(|require\()'((?:\.|@millrace\/)[^']*)'/gm)]
    .map(([, path = '']) => path)
    .filter((path) => !OF_MIGRATIONS.test(path));

describe('the migrations', () => {
  it('are listed in the order of their times, each from a file of its own', () => {
    expect(migrations.map(({ name }) => /\d{13}$/.exec(name)?.[0])).toEqual(files.map((file) => file.slice(0, 13)));
  });

  it('import nothing of this project, which may change after them', () => {
    const imported = files.flatMap((file) =>
      importsOfProject(readFileSync(join(__dirname, file), 'utf8')).length > 0 ? [file] : [],
    );
    expect(imported).toEqual(IMPORTS_OF_THE_PROJECT);
    expect(importsOfProject("import { normalizedEmail } from '@millrace/domain';")).toHaveLength(1);
    expect(importsOfProject("const a = await import('../postgres/group-commit');")).toHaveLength(1);
    expect(importsOfProject("import type { QueryRunner } from 'typeorm';")).toEqual([]);
  });

  it('build indexes of tables that hold rows concurrently', () => {
    const late = files.filter((file) => file.slice(0, 13) > LAST_WITHOUT_RULES && file !== JOINS_INDEXES);
    const found = late.flatMap((file) => indexesThatKeepWritersOut(readFileSync(join(__dirname, file), 'utf8')));
    expect(found).toEqual([]);
    expect(indexesThatKeepWritersOut('create unique index a on run (id)')).toHaveLength(1);
    expect(indexesThatKeepWritersOut('create table run (id int); create index a on run (id)')).toEqual([]);
    for (const index of ['if not exists a', '"a"', ''])
      expect(indexesThatKeepWritersOut(`create index ${index}\n on run (id)`)).toHaveLength(1);
    expect(indexesThatKeepWritersOut('create index concurrently if not exists a on run (id)')).toEqual([]);
    expect(indexesThatKeepWritersOut('create index concurrently a on run (id)')).toEqual([]);
  });
});
