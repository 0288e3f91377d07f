import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import * as auth from './framework/auth';
import * as piece from './framework/piece';
import type { ActionDefinition, PieceDefinition } from './framework/piece';
import { BuiltInPieces } from './built-in-pieces';
import type { PropKind } from './framework/props';
import { aPiece, HostUnderTest, RUN } from './testing/a-piece-host';
import { anAnswer, RecordingHttp } from './testing/recording-http';
import type { WaitFor } from './framework/waiting';

const GUIDE = readFileSync(join(__dirname, '../../../docs/write-a-piece.md'), 'utf8');
/** The guide without its line breaks, because a sentence may go on in the next line. */
const SENTENCES = GUIDE.replace(/\s+/g, ' ');

/** The code block of this language under this heading of the guide. */
const codeBlock = (language: string, heading: string): string => {
  const part = GUIDE.slice(GUIDE.indexOf(`\n## ${heading}\n`));
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(part)?.[1];
  if (block === undefined) throw new Error(`The guide has no ${language} block under "${heading}".`);
  return block;
};

/** The modules that the code of the guide may import. */
const MODULES: Readonly<Record<string, unknown>> = { '../framework/auth': auth, '../framework/piece': piece };

/** The export of this name of the guide's code. */
function built<Exported>(source: string, name: string): Exported {
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const load = new Function('require', 'module', code) as (require: object, module: object) => void;
  load((path: string) => MODULES[path], module);
  if (!(name in module.exports)) throw new Error(`The code of the guide exports no ${name}.`);
  return module.exports[name] as Exported;
}

describe('docs/write-a-piece.md', () => {
  const rates = built<PieceDefinition>(codeBlock('ts', 'A whole piece'), 'rates');
  const step = JSON.parse(codeBlock('json', 'A whole piece')) as {
    settings: { pieceName: string; pieceVersion: string; actionName: string; input: Record<string, unknown> };
  };
  const { pieceName, pieceVersion, actionName, input } = step.settings;

  it('shows a step that is valid', () =>
    expect(new BuiltInPieces([rates]).findAction(pieceName, pieceVersion, actionName)?.inputProblems(input)).toEqual(
      [],
    ));

  it('shows a piece that does what it says', async () => {
    const subject = new HostUnderTest([rates]);
    subject.http.answer = async () => anAnswer({ body: '{"rate": 1.5}' });

    const result = await subject.run(`${pieceName}.${actionName}`, { ...input, auth: 'k' });

    expect(result).toMatchObject({
      kind: 'value',
      output: JSON.parse(/is given `(.*?)`/.exec(SENTENCES)?.[1] ?? ''),
      logs: ['1 USD is 1.5 EUR'],
    });
    expect(subject.http.last).toMatchObject({
      url: 'https://rates.example/v1/rate?from=USD&to=EUR',
      headers: { 'x-api-key': 'k' },
      idempotencyKey: RUN.stepKey,
    });
  });

  it('shows a piece that says when to ask again', async () => {
    const subject = new HostUnderTest([rates]);
    subject.http.answer = async () => anAnswer({ status: 429, retryAfterMs: 1_000 });

    expect(await subject.run('rates.convert', { ...input, auth: 'k' })).toMatchObject({
      kind: 'failed',
      message: 'The rate is not known: the server answered 429.',
      retryAfterMs: 1_000,
    });
  });

  it('shows a dropdown that asks for its choices', async () => {
    const http = new RecordingHttp();
    http.answer = async () => anAnswer({ body: '[{"code": "USD", "name": "US dollar"}]' });
    const request = { pieceName, name: actionName, propName: 'from', input: { auth: 'k' } };

    expect(await new BuiltInPieces([rates]).options(request, { http, signal: new AbortController().signal })).toEqual({
      kind: 'options',
      options: [{ label: 'US dollar', value: 'USD' }],
    });
    expect(http.last.headers).toEqual({ 'x-api-key': 'k' });
  });

  it('shows an action that waits and goes on', async () => {
    const subject = new HostUnderTest([
      aPiece({ next_rate: built<ActionDefinition>(codeBlock('ts', 'Waiting'), 'nextRate') }),
    ]);
    const input = { currency: 'USD' };

    subject.http.answer = async () => anAnswer({ body: '{"nextRateAt": "2026-01-02T16:00:00Z"}' });
    expect(await subject.wait('test.next_rate', input)).toMatchObject({
      kind: 'timer',
      until: new Date('2026-01-02T16:00:00Z'),
    });

    subject.http.answer = async () => anAnswer({ body: '{"rate": 1.5}' });
    const ending = { kind: 'timer', resumedAt: '2026-01-02T16:00:01.000Z' } as const;
    expect(await subject.resume('test.next_rate', input, ending)).toMatchObject({ output: { rate: 1.5 } });
    expect(subject.http.last).toMatchObject({
      url: 'https://rates.example/v1/rate?from=USD&to=EUR',
      idempotencyKey: `${RUN.stepKey}/2`,
    });
  });

  it('shows a test that passes', async () => {
    const tests = new Map<string, () => Promise<void>>();
    const source = codeBlock('ts', 'Its test');
    const modules = { '../testing/a-piece-host': { HostUnderTest }, '../testing/recording-http': { anAnswer } };
    const run = (path: string): unknown => ({ ...modules, './rates.piece': { rates } })[path];
    const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
    const names = ['require', 'module', 'describe', 'it', 'expect'];
    const load = new Function(...names, code) as (...given: unknown[]) => void;
    load(
      run,
      { exports: {} },
      (_name: string, define: () => void) => define(),
      (name: string, test: () => Promise<void>) => tests.set(name, test),
      expect,
    );

    expect([...tests.keys()]).toEqual([
      'converts at the rate of today',
      'fails with a sentence when the server refuses',
    ]);
    for (const test of tests.values()) await test();
  });

  it('names the spec that lists every piece', () => {
    const [, test = '', path = ''] = /names every built-in piece, `([^`]+)` in `([^`]+)`/.exec(SENTENCES) ?? [];
    expect(readFileSync(join(__dirname, '../../..', path), 'utf8')).toContain(`it('${test}'`);
  });

  it('names all that can be waited for', () => {
    const kinds: Readonly<Record<keyof WaitFor, true>> = { timer: true, human: true, child: true };
    const rows = (GUIDE.slice(GUIDE.indexOf('| `waitFor`')).split('\n\n')[0] ?? '').split('\n').slice(2);

    expect(rows.map((row) => /`(\w+)\(/.exec(row)?.[1])).toEqual(Object.keys(kinds));
  });

  it('names every kind of prop', () => {
    const kinds: Readonly<Record<PropKind, true>> = {
      text: true,
      number: true,
      checkbox: true,
      date: true,
      file: true,
      array: true,
      object: true,
      json: true,
      any: true,
      dropdown: true,
      multi_select: true,
      dynamic: true,
    };
    const table = GUIDE.slice(GUIDE.indexOf('| `kind`')).split('\n\n')[0] ?? '';
    const rows = table.split('\n').slice(2);

    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind));

    expect(named).toEqual(Object.keys(kinds));
  });
});
