import type { MigrationInterface } from 'typeorm';

/**
 * One change of the schema. It runs in a transaction of its own, together with its record in the table `migration`.
 * With `transaction = false` it runs outside one, for statements such as `create index concurrently`; it may then end
 * midway, so repeating it from its beginning must do.
 */
export interface Migration extends MigrationInterface {
  readonly transaction?: false;
  /**
   * Of a migration that takes away what an earlier release used: the name of the migration that an app must know to work
   * with what is left. An app of an earlier release refuses to start.
   */
  readonly needs?: string;
}

/** The name of the class is the name on record. It ends with the time of the migration, in milliseconds. */
export type MigrationClass = new () => Migration;

/** The time in the name of a migration, which orders migrations. */
export const timeOf = ({ name }: { name: string }): number => Number(/\d{13}$/.exec(name)?.[0]);
