import { InvalidRequestError } from '../errors/invalid-request.error';

// What the service keeps as a file, and what may be sent to it as one.

export const FILE_TYPES = ['FILE', 'FLOW_RUN_LOG', 'STEP_FILE', 'PACKAGE_ARCHIVE'] as const;
/** Sent by a user; the log of a run; the large output of a step; the package of a piece. */
export type FileType = (typeof FILE_TYPES)[number];

/** All that is told of a file before its content comes. */
export interface NewFile {
  id: string;
  projectId: string;
  type: FileType;
  name: string;
  contentType: string;
  bytes: number;
  /** The run it belongs to: it goes when the data of that run goes. */
  runId: string | null;
}

export interface StoredFile extends NewFile {
  created: Date;
}

/** The largest file that a user may send. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** How many files one call may delete. */
export const MAX_FILES_DELETED = 100;
export const MAX_FILE_NAME_LENGTH = 255;
/** What a file is when its sender says nothing else. */
export const UNKNOWN_CONTENT_TYPE = 'application/octet-stream';

const MAX_CONTENT_TYPE_LENGTH = 255;
/** Also what turns the direction of writing around, so that a name shows another ending than it has. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069/\\]/u;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(?:;[\x20-\x7e]*)?$/;

/** What a user sends, as a file to be kept. Throws InvalidRequestError. */
export function uploadedFile(upload: {
  id: string;
  projectId: string;
  name: string | undefined;
  contentType: string | undefined;
  bytes: number;
}): NewFile {
  const { id, projectId, name = 'file', contentType = UNKNOWN_CONTENT_TYPE, bytes } = upload;
  const errors = [
    ...(bytes > 0 ? [] : [{ path: '', message: 'must be the content of the file.' }]),
    ...(isFileName(name) ? [] : [{ path: '/name', message: wrongName }]),
    ...(isContentType(contentType) ? [] : [{ path: '/content-type', message: 'must be a media type.' }]),
  ];
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return { id, projectId, type: 'FILE', name, contentType, bytes, runId: null };
}

const wrongName = `must be 1 to ${MAX_FILE_NAME_LENGTH} characters without slashes and control characters.`;

const isFileName = (name: string): boolean =>
  name.trim() !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.length <= MAX_FILE_NAME_LENGTH &&
  !NOT_IN_NAMES.test(name);

const isContentType = (text: string): boolean => text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text);
