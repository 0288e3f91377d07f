import { once } from 'node:events';
import { Readable, type Duplex } from 'node:stream';
import type { Client, Submittable } from 'pg';

// PostgreSQL's COPY as streams. The driver passes the messages of a statement to the object that submitted it, and has
// no statement for COPY of its own. Rows are never held: the socket is paused until the reader wants more, and is
// written to as fast as the server reads.

interface CopyConnection {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

const CHUNK_BYTES = 256 * 1024;

/** The rows of `copy … to stdout`, as bytes. Fails with the error of the server. `onBytes` is told how many came. */
export const rowsOf = (client: Client, statement: string, onBytes: (bytes: number) => void): CopiedRows =>
  client.query(new CopyOut(statement, onBytes));

/** `rowCount` is set when the stream has ended. */
export type CopiedRows = Readable & { readonly rowCount: number };

/** Performs `copy … from stdin` with these bytes. Returns the number of rows. Rejects with the error of the source, if it fails. */
export const insertRows = (client: Client, statement: string, source: AsyncIterable<Buffer>): Promise<number> =>
  client.query(new CopyIn(statement, source)).ended;

class CopyOut extends Readable implements Submittable {
  private connection: CopyConnection | undefined;
  private chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  private filled = 0;

  rowCount = 0;

  constructor(
    private readonly statement: string,
    private readonly onBytes: (bytes: number) => void,
  ) {
    super({ highWaterMark: CHUNK_BYTES });
  }

  submit(connection: unknown): void {
    this.connection = connection as CopyConnection;
    this.connection.query(this.statement);
  }

  /** The driver uses the memory of a message again, so the row is copied out of it. */
  handleCopyData({ chunk: row }: { chunk: Buffer }): void {
    if (this.filled + row.length > CHUNK_BYTES) this.passOn();
    if (row.length > CHUNK_BYTES) return this.give(Buffer.from(row));
    row.copy(this.chunk, this.filled);
    this.filled += row.length;
  }

  private passOn(): void {
    if (this.filled === 0) return;
    const full = this.chunk.subarray(0, this.filled);
    this.chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    this.filled = 0;
    this.give(full);
  }

  private give(bytes: Buffer): void {
    this.onBytes(bytes.length);
    if (!this.push(bytes)) this.connection?.stream.pause();
  }

  override _read(): void {
    this.connection?.stream.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection?.stream.resume();
    done(error);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rowCount = rowsIn(text);
    this.passOn();
  }

  handleReadyForQuery(): void {
    this.push(null);
  }

  handleError(error: Error): void {
    this.destroy(error);
  }
}

class CopyIn implements Submittable {
  readonly ended: Promise<number>;
  private resolve!: (rows: number) => void;
  private reject!: (error: unknown) => void;
  private rows = 0;
  private broken: unknown;
  private readonly over = new AbortController();

  constructor(
    private readonly statement: string,
    private readonly source: AsyncIterable<Buffer>,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: unknown): void {
    (connection as CopyConnection).query(this.statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.send(connection).then(
      () => connection.endCopyFrom(),
      (error: unknown) => {
        this.broken ??= error;
        connection.sendCopyFail('The rows cannot be read.');
      },
    );
  }

  private async send(connection: CopyConnection): Promise<void> {
    for await (const chunk of this.source) {
      this.over.signal.throwIfAborted();
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal: this.over.signal });
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = rowsIn(text);
  }

  handleReadyForQuery(): void {
    this.resolve(this.rows);
  }

  handleError(error: Error): void {
    this.over.abort(error);
    this.reject(this.broken ?? error);
  }
}

const rowsIn = (command: string): number => Number(/^COPY (\d+)/.exec(command)?.[1] ?? 0);
