import { gzipSync } from 'node:zlib';
import type { BodyGenerator, MalformedCase } from './case-file';

// Turns a case into the bytes to send: it fills placeholders, writes out repetitions and generates bodies.

export interface RenderedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export type Placeholders = ReadonlyMap<string, string>;

const MB = 1024 * 1024;
const API_BODY_LIMIT = MB;
const WEBHOOK_BODY_LIMIT = 25 * MB;

/** Replaces placeholders with known names. All other braces are JSON. */
export function fill(text: string, values: Placeholders): string {
  let filled = text;
  for (const [name, value] of values) filled = filled.replaceAll(`{${name}}`, value);
  return filled;
}

export function render(one: MalformedCase, values: Placeholders, authorization: string | null): RenderedRequest {
  const filled = (text: string) => writtenOut(fill(text, values));
  const headers = Object.entries(one.headers).flatMap(([name, value]) => headerLines(name, value, filled));
  return {
    method: one.method,
    path: filled(one.path),
    headers: {
      ...(authorization === null ? {} : { Authorization: `Bearer ${authorization}` }),
      ...Object.fromEntries(headers),
    },
    body: bodyOf(one, values),
  };
}

const DISTINCT_HEADERS = /^<repeat (\d+) distinct headers>$/;

function headerLines(name: string, value: string, filled: (text: string) => string): [string, string][] {
  const count = Number(DISTINCT_HEADERS.exec(value)?.[1] ?? 0);
  return count ? Array.from({ length: count }, (_, index) => [`${name}-${index}`, 'x']) : [[name, filled(value)]];
}

/** Writes out `<20 x a>`, `<20 x 'v1,AAAA '>`, `<20 repeated ids>` and `<20 commas>`. */
function writtenOut(text: string): string {
  return text
    .replace(/<(\d+) x '([^']*)'>/g, (_all, count: string, unit: string) => unit.repeat(Number(count)))
    .replace(/<(\d+) x ([^>]*)>/g, (_all, count: string, unit: string) => unit.repeat(Number(count)))
    .replace(/(\w+)=<(\d+) repeated ids>/g, (_all, name: string, count: string) => repeatedIds(name, Number(count)))
    .replace(/<(\d+) commas>/g, (_all, count: string) => ','.repeat(Number(count)));
}

const repeatedIds = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name}=r${index}`).join('&');

function bodyOf(one: MalformedCase, values: Placeholders): Buffer | null {
  const limit = one.path.includes('/webhooks/') ? WEBHOOK_BODY_LIMIT : API_BODY_LIMIT;
  const known = new Map([...values, ['body_limit_bytes', String(limit + 1)]]);
  if (one.bodyGenerator) return generated(one.bodyGenerator, (text) => fill(text, known));
  return one.body === null ? null : Buffer.from(fill(one.body, known));
}

function generated(generator: BodyGenerator, filled: (text: string) => string): Buffer {
  switch (generator.kind) {
    case 'concat':
      return Buffer.concat(
        generator.parts.map(([text, count]) => Buffer.from(filled(text).repeat(Number(filled(String(count)))))),
      );
    case 'keys':
    case 'list':
      return Buffer.from(filled(generator.prefix) + members(generator) + filled(generator.suffix));
    case 'gzip':
      return gzipSync(Buffer.from(filled(generator.unit).repeat(generator.count)));
    case 'base64':
      return Buffer.from(filled(Buffer.from(generator.data, 'base64').toString('latin1')), 'latin1');
  }
}

function members({ kind, item, count }: { kind: string; item?: string; count: number }): string {
  const one = kind === 'keys' ? '"k{i}":0' : (item ?? '');
  return Array.from({ length: count }, (_, index) => one.replaceAll('{i}', String(index))).join(',');
}
