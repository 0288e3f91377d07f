import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidRequestError, ServiceUnavailableError, UnsupportedMediaTypeError } from '@millrace/domain';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BodyToCheck } from './body-check';

export interface BodyOnThread extends Omit<BodyToCheck, 'rawBody'> {
  id: number;
  bytes: Uint8Array;
}

export interface CheckedOnThread {
  id: number;
  bytes?: Uint8Array;
  invalid?: { path: string; message: string }[];
  unsupported?: string;
}

interface Asked {
  resolve: (text: Buffer) => void;
  reject: (error: unknown) => void;
}

/** Checks bodies on a thread of its own, which starts with the first; one after the other. The given bytes are gone. */
@Injectable()
export class BodyChecker implements OnApplicationShutdown {
  private readonly asked = new Map<number, Asked>();
  private worker: Worker | null = null;
  private lastId = 0;

  constructor(private readonly script = join(__dirname, 'body-check-thread.cjs')) {}

  /** Throws as checkedBody does. */
  check({ rawBody, contentType, bodyKind }: BodyToCheck): Promise<Buffer> {
    const bytes = withBytesOfItsOwn(rawBody);
    const message: BodyOnThread = { id: ++this.lastId, bytes, contentType, bodyKind };
    return new Promise((resolve, reject) => {
      this.asked.set(message.id, { resolve, reject });
      this.thread().postMessage(message, [bytes.buffer as ArrayBuffer]);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.script, { name: 'body-check', env: {}, argv: [], execArgv: [] });
    worker.unref();
    worker.on('message', (answer: CheckedOnThread) => this.settle(answer));
    worker.on('error', (error) => this.fail(error));
    worker.on('exit', () => this.fail(new Error('The thread ended.')));
    return (this.worker = worker);
  }

  private settle({ id, bytes, invalid, unsupported }: CheckedOnThread): void {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (bytes) asked?.resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    else asked?.reject(invalid ? new InvalidRequestError(invalid) : new UnsupportedMediaTypeError('', unsupported));
  }

  /** The next body starts another thread. */
  private fail(cause: Error): void {
    this.worker = null;
    const error = new ServiceUnavailableError('A large body could not be checked; try again.', 1, { cause });
    for (const { reject } of this.asked.values()) reject(error);
    this.asked.clear();
  }
}

/** What goes to another thread takes all of its memory along. */
const withBytesOfItsOwn = (bytes: Buffer): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
