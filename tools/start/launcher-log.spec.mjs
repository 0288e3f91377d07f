import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { LauncherLog } from './launcher-log.mjs';

it('the log of the launcher has a JSON line for each event, as the logs of the apps', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'launcher-log-'));
  try {
    const log = new LauncherLog(dataDir);
    log.write('info', 'Starting.', { apps: ['api'] });
    log.write('warn', 'The worker ended and is started again.', { child: 'worker', how: 'SIGKILL', inMs: 0 });

    const lines = readFileSync(join(dataDir, 'logs/launcher.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ time, ...line }) => ({ ...line, hasTime: !Number.isNaN(Date.parse(time)) })),
      [
        { level: 30, app: 'launcher', apps: ['api'], msg: 'Starting.', hasTime: true },
        {
          ...{ level: 40, app: 'launcher', child: 'worker', how: 'SIGKILL', inMs: 0 },
          ...{ msg: 'The worker ended and is started again.', hasTime: true },
        },
      ],
    );
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
