import { build, stop, transform, type BuildOptions } from 'esbuild';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileEntry } from '../testing/compile-thread';
import { BuildProcess } from './build-process';
import { bundleSource, type Esbuild } from './bundle-source';
import { readByBundling } from './code-bundler';
import { PackageFolder } from './package-folder';

const CANARY = 'bytes-of-a-secret-file';

/** Makes a folder of packages deep in a tree. Every file around the folder contains the canary. */
function plant(): { top: string; root: string; packages: string } {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'walls-')));
  // esbuild looks through all files that a computed name may mean. At this depth it stays inside the planted tree.
  const root = join(top, 'a', 'b', 'c');
  const packages = join(root, 'data', 'packages', 'hash');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const folder of ['', 'data', 'data/packages', 'data/packages/other', 'data/packages/hash-and-more']) {
    write(`${folder}/secret.json`, JSON.stringify({ secret: CANARY }));
    write(`${folder}/secret.js`, `module.exports = '${CANARY}';`);
    write(`${folder}/secret.css`, `.a { content: '${CANARY}' }`);
    write(`${folder}/secret.txt`, CANARY);
    write(`${folder}/secret.map`, JSON.stringify({ version: 3, sources: [CANARY], names: [CANARY], mappings: 'AAAA' }));
    write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: { jsxFactory: CANARY } }));
    write(`${folder}/node_modules/above/index.js`, `module.exports = '${CANARY}';`);
  }
  const own = 'data/packages/hash/node_modules';
  const out = '../../../../..';
  const files: Record<string, Record<string, string>> = {
    'by-main': { 'package.json': JSON.stringify({ main: `${out}/secret.js` }) },
    'by-browser': {
      'package.json': JSON.stringify({ main: './a.js', browser: { './a.js': `${out}/secret.js` } }),
      'a.js': '',
    },
    'by-exports': { 'package.json': JSON.stringify({ exports: `./${out}/secret.js` }) },
    'by-imports': {
      'package.json': JSON.stringify({ imports: { '#a': `./${out}/secret.js` } }),
      'index.js': 'module.exports = require("#a");',
    },
    'by-path': { 'index.js': `module.exports = require("${out}/secret.json");` },
    'by-absolute-path': { 'index.js': `module.exports = require("${root}/secret.json");` },
    'by-folder-above': { 'index.js': 'module.exports = require("above");' },
    'by-glob': { 'index.js': `module.exports = (n) => require(\`./${out}/\${n}.json\`);` },
    'by-import-glob': { 'index.js': `export const a = (n) => import('./${out}/' + n + '.json');` },
    'by-css': {
      'index.js': 'require("./a.css");',
      'a.css': `@import "${out}/secret.css"; .b { background: url(${out}/secret.txt) }`,
    },
    'by-text': { 'index.js': `module.exports = require("${out}/secret.txt");` },
    'by-url': { 'index.mjs': `export default new URL("${out}/secret.txt", import.meta.url).href;` },
    'by-resolve': { 'index.js': `module.exports = require.resolve("${out}/secret.json");` },
    'by-data': {
      'index.js': `import a from 'data:text/javascript,import b from "${root}/secret.js"; export default b'; export { a };`,
    },
    'by-map': { 'index.js': `module.exports = 1;\n//# sourceMappingURL=${out}/secret.map` },
    'by-tsconfig': {
      'tsconfig.json': JSON.stringify({
        extends: `${out}/tsconfig.json`,
        compilerOptions: { paths: { b: [`${out}/secret.js`] } },
      }),
      'index.tsx': 'import b from "b"; export default <a>{b}</a>;',
    },
    'by-link': {},
    'by-linked-folder': {},
  };
  for (const [name, contents] of Object.entries(files)) {
    write(`${own}/${name}/package.json`, '{}');
    for (const [file, text] of Object.entries(contents)) write(`${own}/${name}/${file}`, text);
  }
  symlinkSync(join(root, 'secret.js'), join(root, own, 'by-link', 'index.js'));
  symlinkSync(join(root, 'data', 'packages', 'other'), join(root, own, 'by-linked-folder', 'lib'));
  write(`${own}/by-linked-folder/index.js`, 'module.exports = require("./lib/secret.js");');
  return { top, root, packages };
}

/** Sources by which an author could try to read a file. `ROOT` stands for the planted tree. */
const SOURCES = [
  ...['./../', './../../../', './'].flatMap((start) => [
    `const n = 'secret'; export const code = () => require(\`${start}\${n}.json\`);`,
    `const n = 'secret'; export const code = () => import(\`${start}\${n}.json\`);`,
    `const n = 'secret'; export const code = () => require('${start}' + n);`,
  ]),
  "const n = 'ROOT/secret.json'; export const code = () => require(n);",
  "export const code = () => require.resolve('ROOT/secret.json');",
  "export const code = () => [new URL('./secret.txt', import.meta.url)];",
  "import a from 'ROOT/secret.json'; export const code = () => a;",
  "import a from 'file://ROOT/secret.json'; export const code = () => a;",
  "import a from '../secret.json'; export const code = () => a;",
  "import a from './secret.css'; export const code = () => a;",
  "import a from 'ROOT/secret.txt' with { type: 'text' }; export const code = () => a;",
  'import a from \'data:text/javascript,export * from "ROOT/secret.js"\'; export const code = () => a;',
  "import a from 'above'; export const code = () => a;",
  "import a from '/etc/passwd'; export const code = () => a;",
  "import 'nothing'; export const code = () => 1;\n//# sourceMappingURL=ROOT/secret.map",
  'export const code = () => 1;\n//# sourceMappingURL=ROOT/secret.map',
  '/// <reference path="ROOT/secret.js" />\nexport const code = () => require("above");',
];
const PACKAGES = `by-main by-browser by-exports by-imports by-path by-absolute-path by-folder-above by-glob
  by-import-glob by-css by-text by-url by-resolve by-data by-map by-tsconfig by-link by-linked-folder`.split(/\s+/);
const REQUIRING = PACKAGES.map((name) => `import * as a from '${name}'; export const code = () => a;`);

/** An esbuild that looks for computed names from a folder of the tree, where it could find the canary. */
function esbuildAt(resolveDir: string): Esbuild {
  const inTree = ({ stdin, ...options }: BuildOptions) =>
    build({ ...options, absWorkingDir: resolveDir, stdin: { contents: '', ...stdin, resolveDir } });
  return { transform, build: inTree } as Esbuild;
}

describe('the walls around bundling', () => {
  let planted: ReturnType<typeof plant>;

  beforeAll(() => {
    planted = plant();
  });
  afterAll(async () => {
    await stop();
    rmSync(planted.top, { recursive: true });
  });

  const at = (source: string) => source.replaceAll('ROOT', planted.root);
  const isFound = (result: unknown) => /bytes-of-a-secret|root:x:0/.test(JSON.stringify(result));

  it('the loader alone gives no file from outside of the packages', async () => {
    const esbuild = esbuildAt(planted.packages);
    const folder = new PackageFolder(planted.packages);

    for (const source of [...SOURCES, ...REQUIRING].map(at)) {
      const alone = await bundleSource(esbuild, source, undefined);
      const withPackages = await bundleSource(esbuild, source, folder);
      expect({ source, found: isFound([alone, withPackages]) }).toEqual({ source, found: false });
    }
  }, 120_000);

  it('refuses a computed name with a sentence and its place', async () => {
    const esbuild = esbuildAt(planted.packages);
    const folder = new PackageFolder(planted.packages);
    const problem = 'The code computes the name of what it imports; code steps take only names that are written out.';

    for (const call of [
      'require(`./a/${n}.json`)',
      'import(`./a/${n}`)',
      'require(n)',
      'import(n)',
      "require('./' + n)",
    ]) {
      const code = `export const code = (n) =>\n  ${call};`;
      expect(await bundleSource(esbuild, code, undefined)).toMatchObject({ problem, line: 2 });
    }
    expect(await bundleSource(esbuild, REQUIRING[PACKAGES.indexOf('by-glob')] ?? '', folder)).toEqual({
      problem:
        'The package "by-glob" computes the name of what it imports; code steps take only names that are written out.',
    });
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux(
    'the process alone can open no file but those of the packages',
    async () => {
      const script = realpathSync(await compileEntry('testing/unguarded-bundle-process.ts'));
      const secret = join(planted.root, 'secret.txt');
      const child = BuildProcess.start({
        script,
        args: [require.resolve('esbuild'), planted.packages],
        mayRead: readByBundling(script, planted.packages),
        memoryMb: 512,
      });

      for (const source of [...SOURCES, ...REQUIRING].map(at)) {
        const { text } = await child.ask<{ text: string }>({ code: source, file: secret }, 20_000);
        expect({ source, found: isFound(text) }).toEqual({ source, found: false });
        expect(text.split('\n').pop()).toBe('HOME,TMPDIR');
      }
      child.end();
      expect(existsSync(secret)).toBe(true);
    },
    60_000,
  );
});
