/** Makes a folder for one test, and removes it when the test ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export function temporaryFolder(test) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace tools '));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFiles(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
