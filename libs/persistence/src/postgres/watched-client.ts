import { Client, type ClientConfig } from 'pg';

type Done = (error: Error | null, result?: unknown) => void;

/** The message of node-postgres's error when `query_timeout` has passed. */
const NO_ANSWER = 'Query read timeout';
/** How long `end` waits for the server before it destroys the connection. A peer that is gone never answers. */
const GOODBYE_MS = 2_000;

const ignore = (): void => undefined;

/**
 * A connection that ends when a statement is not answered in time. node-postgres would keep the connection, and every
 * later statement would wait behind the lost one until the network stack gives the peer up.
 *
 * A lost connection never ends the process, even if nobody listens to its errors: the statement under way and every
 * later one reject. A pool listens to idle connections only, and BullMQ listens to none that it has taken from a pool.
 */
export class WatchedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', ignore);
    const query = this.query.bind(this) as (...sent: unknown[]) => unknown;
    this.query = ((...sent: unknown[]) => this.watch(query, sent)) as Client['query'];
  }

  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(done?: (error: Error) => void): Promise<void> | void {
    setTimeout(() => this.breakOff(), GOODBYE_MS).unref();
    return done ? super.end(done) : super.end();
  }

  private watch(query: (...sent: unknown[]) => unknown, sent: unknown[]): unknown {
    const at = sent.findLastIndex((argument) => typeof argument === 'function');
    if (at === -1) {
      const answer = query(...sent);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.endIfSilent(error));
      return answer;
    }
    const done = sent[at] as Done;
    const watched: Done = (error, result) => {
      this.endIfSilent(error);
      done(error, result);
    };
    return query(...sent.with(at, watched));
  }

  private endIfSilent(error: unknown): void {
    if (error instanceof Error && error.message === NO_ANSWER) this.breakOff('The database did not answer in time.');
  }

  private breakOff(why?: string): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(error?: Error): void } } };
    connection.stream.destroy(why === undefined ? undefined : new Error(why));
  }
}
