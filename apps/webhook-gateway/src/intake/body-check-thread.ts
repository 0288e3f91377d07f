/** The entry of the thread that prepares large bodies. The built app has it as a file beside `main.cjs`. */
import { InvalidRequestError, UnsupportedMediaTypeError } from '@millrace/domain';
import { encodeWebhook } from '@millrace/persistence';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { checkedBody, withBytesOfItsOwn } from './body-check';
import type { BodyOnThread, CheckedOnThread } from './body-checker';

/** Lowers the priority of this thread on Linux, so that the other threads, with the small webhooks, run first. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
}

lowerPriority();
parentPort?.on('message', ({ id, bytes, request, contentType, bodyKind }: BodyOnThread) => {
  const answer: CheckedOnThread = { id };
  try {
    const rawBody = checkedBody({
      rawBody: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      contentType,
      bodyKind,
    });
    answer.stored = withBytesOfItsOwn(encodeWebhook({ request, bodyKind, rawBody }));
  } catch (error) {
    if (error instanceof InvalidRequestError) answer.invalid = error.params['errors'] as CheckedOnThread['invalid'];
    else if (error instanceof UnsupportedMediaTypeError) answer.unsupported = error.message;
    else throw error;
  }
  parentPort?.postMessage(answer, answer.stored ? [answer.stored.buffer as ArrayBuffer] : []);
});
