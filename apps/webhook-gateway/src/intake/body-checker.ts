import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  InvalidRequestError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  type JsonText,
  type StoredPayload,
} from '@millrace/domain';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withBytesOfItsOwn, type BodyToCheck } from './body-check';

/** A webhook's body, with the line about its request that is stored before it. */
export interface LargeBody extends BodyToCheck {
  request: JsonText;
}

export interface BodyOnThread extends Omit<LargeBody, 'rawBody'> {
  id: number;
  bytes: Uint8Array;
}

export interface CheckedOnThread {
  id: number;
  stored?: Uint8Array;
  invalid?: { path: string; message: string }[];
  unsupported?: string;
}

interface Asked {
  resolve: (payload: StoredPayload) => void;
  reject: (error: unknown) => void;
}

/** Makes large bodies into payloads on a thread of its own, which starts with the first; one after the other. The given bytes are gone. */
@Injectable()
export class BodyChecker implements OnApplicationShutdown {
  private readonly asked = new Map<number, Asked>();
  private worker: Worker | null = null;
  private lastId = 0;

  constructor(private readonly script = join(__dirname, 'body-check-thread.cjs')) {}

  /** Throws as checkedBody does. */
  payloadOf({ rawBody, ...body }: LargeBody): Promise<StoredPayload> {
    const bytes = withBytesOfItsOwn(rawBody);
    const message: BodyOnThread = { id: ++this.lastId, bytes, ...body };
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

  private settle({ id, stored, invalid, unsupported }: CheckedOnThread): void {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (stored) asked?.resolve({ stored: Buffer.from(stored.buffer, stored.byteOffset, stored.length) });
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
