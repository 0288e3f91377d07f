import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import {
  InvalidRequestError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  type JsonText,
  type SenderCheck,
  type StoredPayload,
} from '@millrace/domain';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MultipartBody } from './multipart-body';
import { withBytesOfItsOwn, type BodyToCheck } from './body-check';

/** A larger body is read on another thread. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** The body of a webhook, with its request as the line of JSON that is stored before the body. */
export interface LargeBody extends BodyToCheck {
  request: JsonText;
}

export type MultipartToRead = Pick<LargeBody, 'rawBody' | 'contentType'>;

/** A request whose sender is to be checked by a signature of its body. */
export interface SignedBody {
  sender: SenderCheck;
  rawHeaders: readonly string[];
  rawBody: Buffer;
  now: Date;
}

/** What the thread does with a body: it makes the payload to store, reads a form with files, or checks the sender. */
type BodyWithoutBytes =
  | ({ task: 'payload' } & Omit<LargeBody, 'rawBody'>)
  | { task: 'multipart'; contentType: string }
  | ({ task: 'sender' } & Omit<SignedBody, 'rawBody'>);

export type BodyOnThread = BodyWithoutBytes & { id: number; bytes: Uint8Array };

export interface CheckedOnThread {
  id: number;
  stored?: Uint8Array;
  multipart?: MultipartBody;
  sender?: { isGenuine: boolean; bytes: Uint8Array };
  invalid?: { path: string; message: string }[];
  unsupported?: string;
  /** What went wrong on the thread, which is no fault of the body. */
  failed?: string;
}

interface Asked {
  resolve: (answer: CheckedOnThread) => void;
  reject: (error: unknown) => void;
}

/** The class is also the token of these options. */
export abstract class BodyCheckerOptions {
  /** The path of the thread's code. */
  abstract readonly script: string;
}

/** Reads large bodies and forms with files, and checks the signatures of large bodies, one after the other, on a thread that the first body starts. */
@Injectable()
export class BodyChecker implements OnApplicationShutdown {
  private readonly asked = new Map<number, Asked>();
  private worker: Worker | null = null;
  private lastId = 0;

  private readonly script: string;

  constructor(@Optional() options?: BodyCheckerOptions) {
    this.script = options?.script ?? join(__dirname, 'body-check-thread.cjs');
  }

  /**
   * Takes the memory of `rawBody`, which cannot be used afterwards. Rejects as `checkedBody` throws, and with
   * ServiceUnavailableError when the thread fails.
   */
  async payloadOf({ rawBody, ...body }: LargeBody): Promise<StoredPayload> {
    const { stored } = await this.ask(rawBody, { task: 'payload', ...body });
    return { stored: bufferOf(stored as Uint8Array) };
  }

  /** Does what `multipartBody` does. Takes the memory of `rawBody`, and rejects, as `payloadOf` does. */
  async multipartOf({ rawBody, contentType }: MultipartToRead): Promise<MultipartBody> {
    return (await this.ask(rawBody, { task: 'multipart', contentType })).multipart as MultipartBody;
  }

  /**
   * Does what `isGenuine` does. Takes the memory of `rawBody` and gives it back in the answer, and rejects, as
   * `payloadOf` does.
   */
  async isGenuine({ rawBody, ...request }: SignedBody): Promise<{ isGenuine: boolean; rawBody: Buffer }> {
    const { sender } = await this.ask(rawBody, { task: 'sender', ...request });
    const { isGenuine, bytes } = sender as NonNullable<CheckedOnThread['sender']>;
    return { isGenuine, rawBody: bufferOf(bytes) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private ask(rawBody: Buffer, body: BodyWithoutBytes): Promise<CheckedOnThread> {
    const bytes = withBytesOfItsOwn(rawBody);
    const message: BodyOnThread = { id: ++this.lastId, bytes, ...body };
    return new Promise((resolve, reject) => {
      this.asked.set(message.id, { resolve, reject });
      this.thread().postMessage(message, [bytes.buffer as ArrayBuffer]);
    });
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.script, { name: 'body-check', env: {}, argv: [], execArgv: [] });
    worker.unref();
    worker.on('message', (answer: CheckedOnThread) => this.settle(answer));
    worker.on('error', (error) => this.fail(worker, error));
    worker.on('exit', () => this.fail(worker, new Error('The thread that checks large bodies ended.')));
    return (this.worker = worker);
  }

  private settle(answer: CheckedOnThread): void {
    const { id, invalid, unsupported, failed } = answer;
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (invalid) asked?.reject(new InvalidRequestError(invalid));
    else if (unsupported !== undefined) asked?.reject(new UnsupportedMediaTypeError('', unsupported));
    else if (failed !== undefined) asked?.reject(notChecked(new Error(failed)));
    else asked?.resolve(answer);
  }

  /** Rejects all bodies that wait, and the next starts a new thread. A thread exits after its error: both come here. */
  private fail(worker: Worker, cause: Error): void {
    if (worker !== this.worker) return;
    this.worker = null;
    const error = notChecked(cause);
    for (const { reject } of this.asked.values()) reject(error);
    this.asked.clear();
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

const notChecked = (cause: Error): ServiceUnavailableError =>
  new ServiceUnavailableError('A large body could not be checked; try again.', 1, { cause });
