import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

export type Entry = readonly [header: string | (Partial<Header> & { name: string }), content?: string | Buffer];

const LONG_AGO = new Date(0);

/** An archive with these entries, as `npm pack` makes it. */
export async function anArchive(...entries: Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of entries) {
    const named = typeof header === 'string' ? { name: `package/${header}` } : header;
    archive.entry({ mtime: LONG_AGO, ...named }, content); // the same files make the same archive at any time
  }
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part);
  return gzipSync(Buffer.concat(parts));
}

/** The manifest of a package, as an entry of its archive. */
export const aManifest = (name: string, more: object = {}): Entry => [
  'package.json',
  JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...more }),
];

/** The archive of a package whose main module has this source. */
export const aPackage = (name: string, source: string, more: object = {}): Promise<Buffer> =>
  anArchive(aManifest(name, more), ['index.js', source]);

/** A private piece: an action that adds up, and one that tells its secret. */
export const SUMS = `
const text = (displayName) => ({ type: 'SHORT_TEXT', displayName, required: true });
const actions = {
  add: {
    name: 'add', displayName: 'Add', description: 'Adds up.', requireAuth: false,
    props: { one: { type: 'NUMBER', displayName: 'One', required: true }, other: { type: 'NUMBER', displayName: 'Other', required: true } },
    run: async ({ propsValue: { one, other } }) => { console.log('adding'); return { sum: one + other }; },
  },
  tell: {
    name: 'tell', displayName: 'Tell', description: '', requireAuth: true, props: { how: text('How') },
    run: async ({ auth, propsValue: { how } }) => {
      const said = 'The key is ' + auth.secret_text;
      if (how === 'prints') { console.log(said); return said; }
      throw new Error(said);
    },
  },
};
exports.sums = {
  metadata: () => ({
    displayName: 'Sums', description: 'For tests.', categories: ['PRODUCTIVITY'], actions, triggers: {},
    auth: { type: 'SECRET_TEXT', displayName: 'Key', required: true },
  }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;
