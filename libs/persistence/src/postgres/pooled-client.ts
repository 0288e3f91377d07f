// A connection to a pooler that shares sessions, such as PgBouncer in transaction mode.
//
// P1. The server's session is another one in each transaction. So what this service sets for a session elsewhere (limits,
//     the search path) is set at the beginning of each transaction here, and ends with it.
// P2. It costs no round trip: the settings travel with `begin`, or before a statement that is a transaction by itself.
// P3. Without a pooler that keeps prepared statements, no statement has a name.

import { Query, type ClientConfig } from 'pg';
import { WatchedClient } from './watched-client';

/** The settings of PostgreSQL that hold in each transaction. */
export type TransactionSettings = Readonly<Record<string, string | number>>;

export interface PooledClientConfig extends ClientConfig {
  transactionSettings: TransactionSettings;
  poolerPrepares: boolean;
}

type Done = (error: Error | null, result?: unknown) => void;
type Send = (statement: unknown, done: Done) => void;

interface Statement {
  text: string;
  name?: string;
  values?: unknown[];
  query_timeout?: number;
}

const BEGINS = /^\s*(begin|start\s+transaction)\b/i;
/** How PostgreSQL names a transaction block that goes on, and one that has failed. The status is null at first. */
const WITHIN_TRANSACTION = ['T', 'E'];

export class PooledClient extends WatchedClient {
  constructor(config: PooledClientConfig) {
    super(config);
    const { transactionSettings, poolerPrepares } = config;
    const setting = settingStatement(transactionSettings);
    const atBeginning = Object.entries(transactionSettings).map(([name, value]) => `; set local ${name} = '${value}'`);
    const query = this.query.bind(this) as unknown as Send;
    const fit = (statement: Statement): unknown => {
      const named = poolerPrepares ? statement : { ...statement, name: undefined };
      if (WITHIN_TRANSACTION.includes(this.transactionStatus ?? '')) return named;
      if (BEGINS.test(statement.text)) return { ...named, text: statement.text + atBeginning.join('') };
      return new LoneStatement(named, setting);
    };
    this.query = ((...sent: unknown[]) => {
      const { statement, done } = readCall(sent);
      const send = (answered: Done) => query(fit(statement), answered);
      if (done) return send(done);
      return new Promise((resolve, reject) =>
        send((error, result) => {
          if (error) reject(error);
          else resolve(result);
        }),
      );
    }) as typeof this.query;
  }

  private get transactionStatus(): string | null {
    return (this as unknown as { getTransactionStatus(): string | null }).getTransactionStatus();
  }
}

/** The forms in which node-postgres takes a statement. */
function readCall(sent: unknown[]): { statement: Statement; done: Done | undefined } {
  const [first, second] = sent;
  const done = sent.findLast((argument): argument is Done => typeof argument === 'function');
  const values = Array.isArray(second) ? { values: second as unknown[] } : {};
  const statement = typeof first === 'string' ? { text: first } : (first as Statement);
  return { statement: { ...statement, ...values }, done };
}

/** Unlike `set local`, the function may be called where there is no transaction block. */
function settingStatement(settings: TransactionSettings): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `select ${calls.join(', ')}`;
}

/** The part of node-postgres's connection and query that its types leave out. */
interface Wire {
  parse(message: { text: string; name: string }): void;
  bind(message: { portal: string; statement: string; values: unknown[] }): void;
  execute(message: { portal: string }): void;
}

interface QueryOnWire {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const QueryBase = Query as unknown as new (statement: Statement & { queryMode: 'extended' }) => QueryOnWire;

/**
 * A statement that is a transaction by itself. The settings are sent before it and belong to its transaction, because
 * PostgreSQL ends the transaction when it is told to synchronize, which follows both.
 */
class LoneStatement extends QueryBase {
  /** node-postgres reads it. */
  readonly query_timeout: number | undefined;
  private isSet = false;

  constructor(
    statement: Statement,
    private readonly setting: string,
  ) {
    super({ ...statement, queryMode: 'extended' });
    this.query_timeout = statement.query_timeout;
  }

  override prepare(wire: Wire): void {
    wire.parse({ text: this.setting, name: '' });
    wire.bind({ portal: '', statement: '', values: [] });
    wire.execute({ portal: '' });
    super.prepare(wire);
  }

  override handleDataRow(message: unknown): void {
    if (this.isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.isSet) super.handleCommandComplete(message, wire);
    this.isSet = true;
  }
}
