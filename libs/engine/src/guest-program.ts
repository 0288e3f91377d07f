import { createHash } from 'node:crypto';
import type { GuestProgram } from './code-runner';

type WithoutHash<Program> = Program extends GuestProgram ? Omit<Program, 'hash'> : never;

/** Adds the content hash under which a runner may keep what it made of the program. */
export function guestProgram(program: WithoutHash<GuestProgram>): GuestProgram {
  const content =
    program.kind === 'code' ? [program.kind, program.code, program.packageJson] : [program.kind, program.script];
  return { ...program, hash: createHash('sha256').update(JSON.stringify(content)).digest('hex') };
}
