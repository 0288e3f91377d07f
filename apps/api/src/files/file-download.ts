import { RequestLinkFilter, runLogLines, type FileView, type OpenedFile, type RunLog } from '@millrace/domain';
import { Logger, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pipeline, Readable, Transform } from 'node:stream';

const LOG_TYPE = 'application/x-ndjson';

/**
 * An answer that browsers save as a file. They never show it, so that its content cannot act with the rights of this
 * origin.
 */
export interface FileDownload {
  name: string;
  contentType: string;
  content: Readable;
  /** The length in bytes; null when it is known only at the end. */
  bytes: number | null;
  /** The entity tag of a file that never changes; null for other content. */
  etag: string | null;
}

export function downloadOf({ file, content }: OpenedFile, view: FileView): FileDownload {
  const { name, contentType, bytes } = file;
  if (view === 'whole' || file.type !== 'STEP_FILE') return { name, contentType, content, bytes, etag: `"${file.id}"` };
  return { name, contentType, content: masked(content), bytes: null, etag: `"${file.id}-masked"` };
}

/** Returns the output of a step without the ids of requests to people. */
function masked(content: Readable): Readable {
  const filter = new RequestLinkFilter();
  const shown = new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, filter.next(piece)),
    flush: (done) => done(null, filter.end()),
  });
  // Whoever reads the result gets an error of the content from it. Who stops reading it ends the content too.
  return pipeline(content, shown, () => undefined);
}

export const logDownload = (log: RunLog): FileDownload => ({
  name: `${log.run.id}.log.ndjson`,
  contentType: LOG_TYPE,
  content: Readable.from(runLogLines(log), { objectMode: false }),
  bytes: null,
  etag: null,
});

const logger = new Logger('FileDownload');

export function sendDownload(
  { name, contentType, content, bytes, etag }: FileDownload,
  reply: FastifyReply,
): StreamableFile {
  void reply.header('content-security-policy', "sandbox; default-src 'none'");
  // The address is the permission to read the file, also for pages of other sites that show it.
  void reply.header('cross-origin-resource-policy', 'cross-origin');
  if (etag !== null) void reply.header('etag', etag);
  const disposition = attachment(name);
  const file = new StreamableFile(content, { type: contentType, disposition, length: bytes ?? undefined });
  // The connection is cut when reading fails, so that part of a file does not look like a whole one or like a short
  // error.
  return file.setErrorHandler((error, answer) => {
    logger.warn(`A file broke off while it was sent: ${error.message}`);
    answer.destroy?.();
  });
}

const PLAIN = /[^\x20-\x7e]|["\\%]/g;
const NOT_IN_EXTENDED = /['()*]/g;

/** Returns the `Content-Disposition` header. It has the name twice: in ASCII, and unchanged as RFC 5987 defines. */
export function attachment(name: string): string {
  const extended = encodeURIComponent(name).replace(
    NOT_IN_EXTENDED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(PLAIN, '_')}"; filename*=UTF-8''${extended}`;
}
