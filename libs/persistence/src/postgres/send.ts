import type { EntityManager } from 'typeorm';
import type { Queryable } from './in-transaction';

/** Sends a statement in a transaction of the hot pool or of TypeORM, and resolves with the rows that it returns. */
export type Send = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** Sends statements in a transaction of the hot pool. */
export const sendIn =
  (tx: Queryable): Send =>
  async <Row>(text: string, values: readonly unknown[]) =>
    (await tx.query(text, [...values])).rows as Row[];

/** Sends statements in a transaction of TypeORM, which gives the rows of an update or a deletion in a pair with their number. */
export const sendInManager =
  (tx: EntityManager): Send =>
  async <Row>(text: string, values: readonly unknown[]) => {
    const answer = await tx.query<Row[] | [Row[], number]>(text, [...values]);
    const [first] = answer;
    return (Array.isArray(first) ? first : answer) as Row[];
  };
