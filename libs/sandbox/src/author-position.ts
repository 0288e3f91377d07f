import { SourceMap, type SourceMapPayload } from 'node:module';
import type { SandboxFailure } from './sandbox-failure';

/** The name under which a step's own source appears in its source map. */
export const AUTHOR_FILE = 'code.ts';

const FRAME = /\(?step\.js:(\d+):(\d+)\)?/;

interface FailedScript {
  script: string;
  sourceMap?: string;
}

/**
 * Adds to the failure the line and column of the author's source that threw, and a stack in the author's lines. Without
 * a source map the positions are those of the script. A failure whose stack names no such line gets no position.
 */
export function authorPosition(failure: SandboxFailure, { script, sourceMap }: FailedScript): SandboxFailure {
  const lines = (failure.stack ?? '').split('\n').filter((line) => line.trim() !== '');
  const frames = lines.flatMap((text) => frameOf(text));
  const map = sourceMap === undefined ? undefined : new SourceMap(JSON.parse(sourceMap) as SourceMapPayload);
  const origins = map ? frames.flatMap((frame) => originOf(map, frame)) : frames;
  const stack = origins
    .map((origin) => `at ${origin.where} (${AUTHOR_FILE}:${origin.line}:${origin.column})`)
    .join('\n');
  const [thrower] = frames;
  const [first] = origins;
  if (!thrower || !first) return { ...failure, stack };
  const { line, column } = first;
  const message = failure.message === NO_FUNCTION ? nameCalled(script, thrower) : failure.message;
  return { ...failure, message: `${message} (line ${line}, column ${column})`, stack, line, column };
}

/** What the interpreter says of a call of a value that is not a function. It does not name the called expression. */
const NO_FUNCTION = 'TypeError: not a function';
/** A called expression before its `(`: names, indexes and calls without arguments. */
const CALLED = /(?:[\w$]+(?:\[[\w$]*\]|\(\))?\??\.){0,10}[\w$]+(?=(?:\?\.)?$)/;
const LONGEST_CALLED = 100;

/** The message with the called expression. The interpreter's position is the `(` of the call. */
function nameCalled(script: string, { line, column }: Frame): string {
  const text = script.split('\n', line)[line - 1] ?? '';
  const before = text.slice(Math.max(0, column - 1 - LONGEST_CALLED), column - 1);
  const called = text[column - 1] === '(' ? CALLED.exec(before)?.[0] : undefined;
  return called === undefined ? NO_FUNCTION : `TypeError: ${called} is not a function`;
}

interface Frame {
  where: string;
  line: number;
  column: number;
}

function frameOf(text: string): Frame[] {
  const found = FRAME.exec(text);
  if (!found) return [];
  const where = text.slice(0, found.index).trim().replace(/^at /, '') || '<anonymous>';
  return [{ where, line: Number(found[1]) - 1, column: Number(found[2]) }];
}

/** The frame in the author's source, or nothing for a frame of a package. */
function originOf(map: SourceMap, { where, line, column }: Frame): Frame[] {
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || entry.originalSource !== AUTHOR_FILE) return [];
  return [{ where, line: entry.originalLine + 1, column: entry.originalColumn + 1 }];
}
