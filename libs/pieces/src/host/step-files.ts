import { basename, extname } from 'node:path';
import {
  MAX_FILE_BYTES,
  type FileInHand,
  type FileRoom,
  type OutboundHttp,
  type StepFiles,
  type WritingStep,
} from '@millrace/domain';
import type { FilesOfStep } from '../framework/files';
import { ActionFailure } from '../framework/piece';

const FETCH_TIMEOUT_MS = 60_000;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(;base64)?,/i;
/** The ending of a file whose name has none. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/xml': 'xml',
  'application/zip': 'zip',
  'audio/mpeg': 'mp3',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
};

/** Counts the files that a call writes, each before it is written. */
export class FileBudget {
  bytes = 0;

  constructor(private readonly room?: FileRoom) {}

  /** Throws ActionFailure for a file for which there is no room. */
  take(bytes: number): void {
    if (this.room && this.bytes + bytes > this.room.bytes) throw new ActionFailure(this.room.problem);
    this.bytes += bytes;
  }
}

/** The files of one step: those that it writes, and those behind URLs. No file is larger than MAX_FILE_BYTES. */
export function filesOfStep(
  step: WritingStep,
  files: StepFiles,
  http: OutboundHttp,
  budget = new FileBudget(),
): FilesOfStep {
  return {
    write: async (file) => {
      assertSize(file.content.length, 'A file that is written');
      budget.take(file.content.length);
      return files.write(step, file);
    },
    read: async (url, signal) =>
      url.startsWith('data:') ? fromDataUrl(url) : ((await files.read(url)) ?? fetched(url, http, signal)),
  };
}

/** The ending of the name, without its dot. */
export const extensionOf = ({ name }: Pick<FileInHand, 'name'>): string => extname(name).slice(1).toLowerCase();

function fromDataUrl(url: string): FileInHand {
  const [head, type = 'text/plain', isBase64] = DATA_URL.exec(url) ?? [];
  if (head === undefined) throw new ActionFailure('A data URL is malformed.');
  const data = url.slice(head.length);
  const content = isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decoded(data));
  assertSize(content.length, 'The file in a data URL');
  return { name: withExtension('file', type), content };
}

async function fetched(url: string, http: OutboundHttp, signal?: AbortSignal): Promise<FileInHand> {
  signal?.throwIfAborted();
  const bounds = { maxAnswerBytes: MAX_FILE_BYTES, timeoutMs: FETCH_TIMEOUT_MS };
  const answer = await http.send({ method: 'GET', url, ...bounds, ...(signal && { signal }) });
  const { status, headers, body } = answer;
  if (status < 200 || status > 299)
    throw new ActionFailure(`The file of a URL cannot be read: its server answered ${status}.`);
  const name = basename(decoded(new URL(url).pathname)) || 'file';
  return { name: withExtension(name, headers['content-type'] ?? ''), content: Buffer.from(body) };
}

function withExtension(name: string, contentType: string): string {
  const extension = EXTENSIONS[contentType.split(';')[0]?.trim().toLowerCase() ?? ''];
  return extname(name) !== '' || extension === undefined ? name : `${name}.${extension}`;
}

function assertSize(bytes: number, what: string): void {
  if (bytes > MAX_FILE_BYTES) throw new ActionFailure(`${what} has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
