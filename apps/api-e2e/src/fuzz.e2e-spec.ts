import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { serviceUnderTest } from '@millrace/e2e-support';

const root = resolve(__dirname, '../../..');

describe('requests made by chance', () => {
  it('break none of the rules of answers', () => {
    const { baseUrl, adminApiKey } = serviceUnderTest();
    const dataDir = process.env['MILLRACE_DATA_DIR'];

    const fuzz = spawnSync(
      process.execPath,
      [
        join(root, 'tools/fuzz/fuzz.mjs'),
        '--requests=500',
        '--seed=1',
        // Other suites keep the machine busy meanwhile.
        '--slowest=20',
        `--url=${baseUrl}`,
        `--key=${adminApiKey}`,
        ...(dataDir ? [`--data-dir=${dataDir}`] : []),
      ],
      { encoding: 'utf8' },
    );

    const said = `${fuzz.stdout}${fuzz.stderr}`;
    expect({ code: fuzz.status, said }).toEqual({ code: 0, said });
  });
});
