import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProblem, type CodeBundle } from './code-bundle';
import { CodeBundler } from './code-bundler';
import { Sandbox } from '../sandbox';
import { compileBundling, compileEntry, compileThread } from '../testing/compile-thread';
import { descendantsOf, ended } from '../testing/processes';

const IS_NUMBER = JSON.stringify({ dependencies: { 'is-number': '7.0.0' } });

describe('CodeBundler', () => {
  let packageCacheDir: string;
  let bundler: CodeBundler;
  let sandbox: Sandbox;

  beforeAll(async () => {
    packageCacheDir = await mkdtemp(join(tmpdir(), 'package-cache-'));
    bundler = new CodeBundler({ packageCacheDir, scripts: await compileBundling() });
    sandbox = await Sandbox.start({ threads: 1, threadScript: await compileThread() });
  });

  afterAll(async () => {
    bundler.close();
    await sandbox.close();
    await rm(packageCacheDir, { recursive: true, force: true });
  });

  const bundle = (code: string, packageJson = '') => bundler.bundle({ code, packageJson });

  async function outputOf(code: string, packageJson?: string): Promise<unknown> {
    const made = await bundle(code, packageJson);
    if (isProblem(made)) throw new Error(made.problem);
    const outcome = await sandbox.run({ tenant: 'tenant', ...made, input: '{"n":2}' });
    return outcome.kind === 'value' ? JSON.parse(outcome.output) : outcome.failure.message;
  }

  it.each([
    ['a typed arrow function', 'export const code = async (inputs: { n: number }): Promise<number> => inputs.n * 2;'],
    ['a function declaration', 'export async function code(inputs) { return inputs.n * 2 }'],
    [
      'a list of exports',
      'enum Factor { two = 2 }\nconst step = (inputs) => inputs.n * Factor.two;\nexport { step as code }',
    ],
    ['an assignment to exports', 'exports.code = async (inputs) => inputs.n * 2'],
    ['an assignment to module.exports', 'module.exports = { code: async (inputs) => inputs.n * 2 }'],
    [
      'top-level code',
      'const factor = [1, 1].length;\nexport const other = 1;\nexport const code = ({ n }) => n * factor // end',
    ],
  ])('takes %s', async (_style, code) => {
    expect(await outputOf(code)).toBe(4);
  });

  it('gives one hash to one source', async () => {
    const hashOf = async (code: string) => ((await bundle(code)) as CodeBundle).scriptHash;
    const hash = await hashOf('export const code = () => 1');

    expect(await hashOf('export const code = () => 1')).toBe(hash);
    expect(await hashOf('export const code = () => 2')).not.toBe(hash);
  });

  it.each([
    ['a syntax error', 'export const code = async (inputs) => {\n  return inputs.;\n}', { line: 2, column: 17 }],
    ['no export', 'const code = async () => 1', { problem: 'The code exports no function named "code".' }],
    ['another export', 'export default async () => 1', { problem: 'The code exports no function named "code".' }],
    ['an empty source', '', { problem: 'The code exports no function named "code".' }],
    ['import.meta', 'export const code = () => import.meta.url', { line: 1 }],
    [
      'too long a source',
      `export const code = () => 1 //${'x'.repeat(1024 * 1024)}`,
      { problem: 'The code is longer than 1 MiB.' },
    ],
    ['top-level await', 'await 1;\nexport const code = () => 1', { line: 1 }],
    [
      'a part of Node.js',
      "import fs from 'node:fs';\nexport const code = () => fs.readFileSync('/etc/passwd')",
      { line: 1, problem: 'The code needs "node:fs", a part of Node.js that code steps do not have.' },
    ],
    [
      'a package not asked for',
      "import _ from 'lodash';\nexport const code = () => _",
      { problem: 'The package "lodash" is not among the dependencies of the step.' },
    ],
    ['a file of the host', "import passwd from '/etc/passwd';\nexport const code = () => passwd", { line: 1 }],
  ])('tells what is wrong with %s', async (_name, code, problem) => {
    expect(await bundle(code)).toMatchObject({ problem: expect.any(String), ...problem });
  });

  it('finds an exported code that is no function when the step runs', async () => {
    expect(await outputOf('export const code = 5')).toBe('The code exports no function named "code".');
  });

  it('leaves a require that may never be reached to the run', async () => {
    expect(await outputOf("export const code = ({ n }) => (n > 5 ? require('fs') : n)")).toBe(2);
  });

  it('bundles a package of the registry, installed once', async () => {
    const code =
      "import isNumber from 'is-number';\nexport const code = ({ n }: { n: number }) => [isNumber(n), isNumber('x')]";

    const together = await Promise.all([outputOf(code, IS_NUMBER), outputOf(code, IS_NUMBER)]);
    const installed = await readdir(packageCacheDir);

    expect(together).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(installed).toHaveLength(1);
    expect(await outputOf("const isNumber = require('is-number');\nexports.code = () => isNumber(1)", IS_NUMBER)).toBe(
      true,
    );
    expect(await outputOf("import n from 'is-number';\n\nexport const code = () => n.a.b", IS_NUMBER)).toContain(
      '(line 3,',
    );
  }, 60_000);

  it.each([
    ["import x from '../../package.json'"],
    ["import x from 'lodash'"],
    ["import x from './node_modules/is-number'"],
    ["import x from 'node:fs'"],
  ])(
    'lets a source with packages reach nothing beside them: %s',
    async (line) => {
      expect(await bundle(`${line};\nexport const code = () => x`, IS_NUMBER)).toMatchObject({
        problem: expect.any(String),
      });
    },
    60_000,
  );

  it.each([
    ['not JSON', '{'],
    ['a list', '{"dependencies":["lodash"]}'],
    ['a path', '{"dependencies":{"a":"file:../secrets"}}'],
    ['an address', '{"dependencies":{"a":"https://example.com/a.tgz"}}'],
    ['a repository', '{"dependencies":{"a":"someone/a"}}'],
    ['a name that is a path', '{"dependencies":{"../a":"1.0.0"}}'],
    ['a version that does not exist', '{"dependencies":{"is-number":"999.0.0"}}'],
  ])(
    'refuses dependencies that are %s',
    async (_name, packageJson) => {
      expect(await bundle('export const code = () => 1', packageJson)).toMatchObject({ problem: expect.any(String) });
    },
    60_000,
  );

  it('goes on, and tells why, when old packages cannot be removed', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const noFolder = join(packageCacheDir, 'a-file');
    await writeFile(noFolder, '');

    const told = await new Promise((resolve) => {
      const options = { packageCacheDir: noFolder, scripts: { bundle: '', install: '' } };
      const pruning = new CodeBundler({ ...options, onPruningFailed: resolve });
      jest.advanceTimersByTime(3_600_000);
      pruning.close();
    });
    jest.useRealTimers();
    await rm(noFolder);

    expect(told).toMatchObject({ code: 'ENOTDIR' });
  });

  (process.platform === 'linux' ? it : it.skip)(
    'leaves no process and no folder when its service is killed',
    async () => {
      const options = JSON.stringify({ scripts: await compileBundling() });
      const service = fork(await compileEntry('testing/bundling-service.ts'), [options]);
      await once(service, 'message');
      const processes = descendantsOf(service.pid ?? 0);
      const home = /\/[^=\s]*millrace-build-\w+/.exec(processes[0]?.command ?? '')?.[0] ?? '';
      expect(existsSync(home)).toBe(true);

      service.kill('SIGKILL');

      await ended(processes);
      expect(existsSync(home)).toBe(false);
    },
    30_000,
  );
});
