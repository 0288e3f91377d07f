import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** One hostile request of `tests/cases/malformed-requests.json`, and the answers that are allowed. */
export interface MalformedCase {
  id: string;
  group: string;
  method: string;
  path: string;
  auth: 'owner' | 'viewer' | 'platform-admin' | 'none';
  headers: Record<string, string>;
  body: string | null;
  bodyGenerator?: BodyGenerator;
  /** The raw bytes, or words that say how slowly they are sent. */
  rawRequest?: string;
  expect: { status: number[]; errorShape: boolean; code?: string[] };
  note?: string;
  check?: string;
}

export type BodyGenerator =
  | { kind: 'concat'; parts: [text: string, count: number | string][] }
  | { kind: 'keys' | 'list'; prefix: string; item?: string; count: number; suffix: string }
  | { kind: 'gzip'; unit: string; count: number }
  | { kind: 'base64'; data: string };

const FILE = resolve(__dirname, '../../../../tests/cases/malformed-requests.json');

const file = JSON.parse(readFileSync(FILE, 'utf8')) as { cases: MalformedCase[]; placeholderList: string[] };

export const malformedCases: readonly MalformedCase[] = file.cases;

/** The placeholders that a text still has. A request with one is refused for that, whatever its case is about. */
export const placeholdersIn = (text: string): string[] =>
  file.placeholderList.map((name) => `{${name}}`).filter((placeholder) => text.includes(placeholder));

/** Says whether the case takes as long as the service's own time limits; three cases do. */
export const isSlow = ({ id }: MalformedCase): boolean =>
  ['size-cl-lie', 'size-slow-headers', 'size-slow-body'].includes(id);
