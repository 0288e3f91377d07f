import { runLogLines, type OpenedFile, type RunLog } from '@millrace/domain';
import { Logger, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';

const LOG_TYPE = 'application/x-ndjson';

/** An answer that is a file, to be saved and never shown: whatever it holds, a browser does not run it as ours. */
export interface FileDownload {
  name: string;
  contentType: string;
  content: Readable;
  /** Null: known only at the end. */
  bytes: number | null;
  /** Of what never changes. */
  etag: string | null;
}

export const downloadOf = ({ file, content }: OpenedFile): FileDownload => ({
  name: file.name,
  contentType: file.contentType,
  content,
  bytes: file.bytes,
  etag: `"${file.id}"`,
});

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
  if (etag !== null) void reply.header('etag', etag);
  const disposition = attachment(name);
  const file = new StreamableFile(content, { type: contentType, disposition, length: bytes ?? undefined });
  // A file that breaks off must not look like a whole one, or like a short error.
  return file.setErrorHandler((error, answer) => {
    logger.warn(`A file broke off while it was sent: ${error.message}`);
    answer.destroy?.();
  });
}

const PLAIN = /[^\x20-\x7e]|["\\%]/g;
const NOT_IN_EXTENDED = /['()*]/g;

/** The name twice: for everyone in ASCII, and as it is for those who know RFC 5987. */
export function attachment(name: string): string {
  const extended = encodeURIComponent(name).replace(
    NOT_IN_EXTENDED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(PLAIN, '_')}"; filename*=UTF-8''${extended}`;
}
