import { createHash } from 'node:crypto';
import { codeSourceHash } from '@millrace/domain';
import type { GuestProgram } from './code-runner';

type WithoutHash<Program> = Program extends GuestProgram ? Omit<Program, 'hash'> : never;

/** Adds the content hash. A code runner may cache its compiled program under that hash. */
export function guestProgram(program: WithoutHash<GuestProgram>): GuestProgram {
  if (program.kind === 'code') return { ...program, hash: codeSourceHash(program) };
  const content = JSON.stringify([program.kind, program.script]);
  return { ...program, hash: createHash('sha256').update(content).digest('hex') };
}
