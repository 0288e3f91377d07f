import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import * as auth from './auth';
import * as piece from './piece';
import type { PieceDefinition } from './piece';
import { BuiltInPieces } from './built-in-pieces';
import type { PropKind } from './props';
import { HostUnderTest, RUN } from './testing/a-piece-host';
import { anAnswer, RecordingHttp } from './testing/recording-http';

const GUIDE = readFileSync(join(__dirname, '../../../docs/write-a-piece.md'), 'utf8');

const codeBlock = (language: string): string => {
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(GUIDE)?.[1];
  if (block === undefined) throw new Error(`The guide has no ${language} block.`);
  return block;
};

/** The modules that a file in a folder of a piece finds beside its folder. */
const MODULES: Readonly<Record<string, unknown>> = { '../auth': auth, '../piece': piece };

function buildPiece(source: string): PieceDefinition {
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
  const module: { exports: { rates?: PieceDefinition } } = { exports: {} };
  new Function('require', 'module', code)((name: string) => MODULES[name], module);
  if (!module.exports.rates) throw new Error('The piece of the guide exports no rates.');
  return module.exports.rates;
}

describe('docs/write-a-piece.md', () => {
  const rates = buildPiece(codeBlock('ts'));
  const step = JSON.parse(codeBlock('json')) as {
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
      output: JSON.parse(/is given `(.*?)`/.exec(GUIDE)?.[1] ?? ''),
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
