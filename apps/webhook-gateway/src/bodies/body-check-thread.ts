/** The entry of the thread that prepares large bodies. The built app has it as a file beside `main.cjs`. */
import { InvalidRequestError, isGenuine, UnsupportedMediaTypeError } from '@millrace/domain';
import { lowerPriority } from '@millrace/http';
import { encodeWebhook } from '@millrace/persistence';
import { readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { multipartBody } from './multipart-body';
import { checkedBody, withBytesOfItsOwn } from './body-check';
import type { BodyOnThread, CheckedOnThread } from './body-checker';

/** Lowers the priority of this thread on Linux, so that the other threads, with the small webhooks, run first. */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  lowerPriority(constants.priority.PRIORITY_BELOW_NORMAL, Number(basename(readlinkSync('/proc/thread-self'))));
}

/** What is known of a body, and the memory that goes to the other thread with it. */
type Prepared = [answer: Omit<CheckedOnThread, 'id'>, moved: TransferListItem[]];

async function prepare(body: BodyOnThread): Promise<Prepared> {
  const { bytes } = body;
  const rawBody = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (body.task) {
    case 'payload': {
      const text = checkedBody({ ...body, rawBody });
      const stored = withBytesOfItsOwn(encodeWebhook({ ...body, rawBody: text }));
      return [{ stored }, [memoryOf(stored)]];
    }
    case 'multipart': {
      const { members, files } = await multipartBody(rawBody, body.contentType);
      const own = files.map((file) => ({ ...file, content: withBytesOfItsOwn(file.content) }));
      return [{ multipart: { members, files: own } }, own.map(({ content }) => memoryOf(content))];
    }
    case 'sender': {
      const sender = { isGenuine: isGenuine(body.sender, { ...body, rawBody }, body.now), bytes };
      return [{ sender }, [memoryOf(bytes)]];
    }
  }
}

const memoryOf = ({ buffer }: Uint8Array): ArrayBuffer => buffer as ArrayBuffer;

/** Every error refuses its body only: an error that ends the thread would refuse all that wait. */
function refusalOf(error: unknown): Prepared {
  if (error instanceof InvalidRequestError)
    return [{ invalid: error.params['errors'] as CheckedOnThread['invalid'] }, []];
  if (error instanceof UnsupportedMediaTypeError) return [{ unsupported: error.message }, []];
  return [{ failed: String(error) }, []];
}

giveWay();
parentPort?.on('message', async (body: BodyOnThread) => {
  const [answer, moved] = await prepare(body).catch(refusalOf);
  parentPort?.postMessage({ id: body.id, ...answer }, moved);
});
