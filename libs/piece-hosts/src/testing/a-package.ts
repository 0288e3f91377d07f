import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the source of a package needs so that its piece has the form of published ones. */
const PIECE = `
const piece = (actions, more = {}) => ({
  metadata: () => ({ displayName: 'A piece', actions: Object.keys(actions) }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
  ...more,
});
const action = (run, more = {}) => ({ props: {}, run, ...more });
`;

/** Writes a package whose main module may use `piece` and `action`, with further files. Gives its folder. */
export function aPackage(
  parent: string,
  name: string,
  source: string,
  files: Readonly<Record<string, string>> = {},
): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), `${PIECE}\n${source}`);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}
