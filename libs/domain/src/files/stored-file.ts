import { InvalidRequestError } from '../errors/invalid-request.error';

// What the service stores as a file, and which files a user may send.

export const FILE_TYPES = ['FILE', 'FLOW_RUN_LOG', 'STEP_FILE', 'PACKAGE_ARCHIVE'] as const;
/** In this order: a file that a user sent, the log of a run, an offloaded output, the package of a piece. */
export type FileType = (typeof FILE_TYPES)[number];

/** What is known about a file before its content arrives. */
export interface NewFile {
  id: string;
  projectId: string;
  type: FileType;
  name: string;
  contentType: string;
  bytes: number;
  /** The run that the file belongs to. The file is purged with the data of that run. */
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
/** The content type of a file whose sender names none. */
export const UNKNOWN_CONTENT_TYPE = 'application/octet-stream';

const MAX_CONTENT_TYPE_LENGTH = 255;
/** Characters that change the direction of writing are refused: with them a name can appear to have another ending. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069/\\]/u;
const EACH_NOT_IN_NAMES = new RegExp(NOT_IN_NAMES, 'gu');
/** The name of a file whose sender names none. */
const UNKNOWN_NAME = 'file';
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(?:;[\x20-\x7e]*)?$/;

/** Describes the file that a user sends. Throws InvalidRequestError. */
export function uploadedFile(upload: {
  id: string;
  projectId: string;
  name: string | undefined;
  contentType: string | undefined;
  bytes: number;
}): NewFile {
  const { id, projectId, name = UNKNOWN_NAME, contentType = UNKNOWN_CONTENT_TYPE, bytes } = upload;
  const errors = [
    ...(bytes > 0 ? [] : [{ path: '', message: 'must be the content of the file.' }]),
    ...(isFileName(name) ? [] : [{ path: '/name', message: wrongName }]),
    ...(isContentType(contentType) ? [] : [{ path: '/content-type', message: 'must be a media type.' }]),
  ];
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return { id, projectId, type: 'FILE', name, contentType, bytes, runId: null };
}

/**
 * Describes a file that a webhook brought. What cannot be its name or its type is replaced, because no sender of a
 * webhook can be asked for another one.
 */
export function receivedFile(file: {
  id: string;
  projectId: string;
  runId: string;
  name: string;
  contentType: string;
  bytes: number;
}): NewFile {
  const name = [...file.name.replace(EACH_NOT_IN_NAMES, '_')]
    .slice(0, MAX_FILE_NAME_LENGTH / 2)
    .join('')
    .trim();
  const contentType = isContentType(file.contentType) ? file.contentType : UNKNOWN_CONTENT_TYPE;
  return { ...file, type: 'FILE', name: isFileName(name) ? name : UNKNOWN_NAME, contentType };
}

const wrongName = `must be 1 to ${MAX_FILE_NAME_LENGTH} characters without slashes and control characters.`;

const isFileName = (name: string): boolean =>
  name.trim() !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.length <= MAX_FILE_NAME_LENGTH &&
  !NOT_IN_NAMES.test(name);

const isContentType = (text: string): boolean => text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text);
