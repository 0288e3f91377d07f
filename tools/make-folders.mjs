/**
 * Makes a folder and those above it that are missing. Level by level, since Node's own `recursive` never returns where
 * a system folder takes no folders, as /proc.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

export function makeFolders(path, mode) {
  if (existsSync(path)) return;
  makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!existsSync(path)) throw error; // else another process was faster
  }
}
