import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { hasDependencies, installPackages } from './install-packages';

describe('hasDependencies', () => {
  it.each([
    ['{"dependencies":{"slug":"^1.0.0"}}', true],
    ['{"dependencies":{}}', false],
    ['{"devDependencies":{"slug":"^1.0.0"}}', false],
    ['{"dependencies":{"problem":"1.0.0"}}', true],
    ['', false],
    ['not JSON', false],
    ['{"dependencies":{"slug":"file:/etc"}}', false],
  ])('says of %j: %s', (packageJson, answer) => {
    expect(hasDependencies(packageJson)).toBe(answer);
  });
});

describe('installPackages', () => {
  const environment = { ...process.env };
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'install-packages-'));
  });
  afterEach(async () => {
    process.env = { ...environment };
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps the settings of the service from npm, and only those', async () => {
    await writeFile(join(folder, 'npm'), '#!/bin/sh\nenv > environment.txt\n');
    await chmod(join(folder, 'npm'), 0o755);
    process.env = {
      ...environment,
      PATH: [folder, environment['PATH']].join(delimiter),
      SVC_JWT_SECRET: 'a secret',
      MILLRACE_TEST_SETTING: 'another',
      NPM_CONFIG_FUND: 'false',
    };

    const installed = await installPackages(new Map([['slug', '^1.0.0']]), join(folder, 'cache'));

    const seen = await readFile(join(installed as string, 'environment.txt'), 'utf8');
    expect(seen).toMatch(/^NPM_CONFIG_FUND=false$/m);
    expect(seen).not.toMatch(/^(?:SVC|MILLRACE)_/m);
  });
});
