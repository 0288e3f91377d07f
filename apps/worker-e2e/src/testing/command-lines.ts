import { readdirSync, readFileSync } from 'node:fs';

/** The command lines of all processes. */
export const commandLines = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // It has just ended.
      }
    });
