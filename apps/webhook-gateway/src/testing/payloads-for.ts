import { FileLinks, type FileStore } from '@millrace/domain';
import { InMemoryFileStore } from '@millrace/domain/testing';
import { multipartBody } from '../bodies/multipart-body';
import { BodyChecker, type MultipartToRead } from '../bodies/body-checker';
import { LargeWebhooks } from '../intake/large-webhooks';
import { WebhookFiles } from '../intake/webhook-files';
import { WebhookPayloads } from '../intake/webhook-payloads';

export const PUBLIC_URL = 'https://millrace.test';

/** Reads forms with files without a thread. */
export const withoutThread = {
  multipartOf: ({ rawBody, contentType }: MultipartToRead) => multipartBody(rawBody, contentType),
};

/** The payloads of webhooks whose files are in this store. They have no thread, so they take small bodies only. */
export function payloadsFor(files: FileStore = new InMemoryFileStore()): WebhookPayloads {
  const links = new FileLinks(PUBLIC_URL, async () => Buffer.alloc(32, 7));
  return new WebhookPayloads(new LargeWebhooks(new BodyChecker()), new WebhookFiles(files, links, withoutThread));
}
