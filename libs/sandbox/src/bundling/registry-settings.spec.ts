import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegistrySettings } from './registry-settings';

describe('readRegistrySettings', () => {
  const home = mkdtempSync(join(tmpdir(), 'registry-settings-'));
  afterAll(() => rmSync(home, { recursive: true }));

  it('takes addresses and credentials from the files and the environment of npm, and nothing else', () => {
    writeFileSync(
      join(home, '.npmrc'),
      [
        '; a comment',
        'registry=https://packages.example/npm',
        '@ours:registry = https://ours.example/',
        '//packages.example/npm/:_authToken=${TOKEN}',
        '//ours.example/:username=ann',
        '//ours.example/:_password=' + Buffer.from('pass').toString('base64'),
        'script-shell=/bin/evil',
      ].join('\n'),
    );

    const settings = readRegistrySettings(
      { HOME: home, TOKEN: 'secret', SVC_JWT_SECRET: 'other' },
      '/nowhere/bin/node',
    );

    expect(settings).toEqual({
      url: 'https://packages.example/npm/',
      scopes: { '@ours': 'https://ours.example/' },
      credentials: {
        '//packages.example/npm/': 'Bearer secret',
        '//ours.example/': `Basic ${Buffer.from('ann:pass').toString('base64')}`,
      },
      certificates: [],
    });
  });

  it('lets the environment win, and leaves the address empty when nobody names one', () => {
    const nowhere = { HOME: join(home, 'nobody') };

    expect(readRegistrySettings(nowhere, '/nowhere/bin/node').url).toBe('');
    expect(readRegistrySettings({ ...nowhere, NPM_CONFIG_REGISTRY: 'http://a.example' }, '/nowhere/bin/node').url).toBe(
      'http://a.example/',
    );
  });

  it('reads no file of a user that has no home, as a user id without an account in a container', () => {
    jest.spyOn(os, 'homedir').mockImplementationOnce(() => {
      throw new Error('uv_os_homedir returned ENOENT');
    });

    expect(readRegistrySettings({ npm_config_registry: 'https://packages.example' }, '/nowhere/bin/node')).toEqual({
      url: 'https://packages.example/',
      scopes: {},
      credentials: {},
      certificates: [],
    });
  });
});
