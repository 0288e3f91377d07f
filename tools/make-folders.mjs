/**
 * Makes a folder and the missing folders above it. It goes level by level, because `recursive` of Node.js never returns
 * inside a system folder that accepts no folders, such as /proc.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

export function makeFolders(path, mode) {
  if (existsSync(path)) return;
  makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process has made the folder first
  }
}
