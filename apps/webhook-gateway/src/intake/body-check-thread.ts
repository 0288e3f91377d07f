/** Entry of the thread that checks large bodies. It is a file of its own in the built app, beside `main.cjs`. */
import { InvalidRequestError, UnsupportedMediaTypeError } from '@millrace/domain';
import { parentPort } from 'node:worker_threads';
import { checkedBody } from './body-check';
import type { BodyOnThread, CheckedOnThread } from './body-checker';

parentPort?.on('message', ({ id, bytes, contentType, bodyKind }: BodyOnThread) => {
  const answer: CheckedOnThread = { id };
  try {
    const text = checkedBody({
      rawBody: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      contentType,
      bodyKind,
    });
    answer.bytes = text;
  } catch (error) {
    if (error instanceof InvalidRequestError) answer.invalid = error.params['errors'] as CheckedOnThread['invalid'];
    else if (error instanceof UnsupportedMediaTypeError) answer.unsupported = error.message;
    else throw error;
  }
  parentPort?.postMessage(answer, answer.bytes ? [answer.bytes.buffer as ArrayBuffer] : []);
});
