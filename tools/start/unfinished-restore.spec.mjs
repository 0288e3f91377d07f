import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { refuseUnfinishedRestore, UNFINISHED_RESTORE } from './unfinished-restore.mjs';

const answering = (answer) => ({ query: async () => answer() });

describe('the mark of an unfinished restore', () => {
  it('is the one that a restore makes', () => {
    const schemaFit = readFileSync(new URL('../../libs/persistence/src/schema/schema-fit.ts', import.meta.url), 'utf8');

    assert.ok(schemaFit.includes(`UNFINISHED_RESTORE = '${UNFINISHED_RESTORE}'`));
  });

  it('ends a start with the exit code of wrong settings, and says what to do', async () => {
    const marked = answering(() => ({ rowCount: 1 }));

    await assert.rejects(refuseUnfinishedRestore(marked), { exitCode: 78, message: /npm run restore/ });
  });

  it('is not in a database without it, nor in a new one', async () => {
    await refuseUnfinishedRestore(answering(() => ({ rowCount: 0 })));
    await refuseUnfinishedRestore(
      answering(() => {
        throw Object.assign(new Error('relation "migration" does not exist'), { code: '42P01' });
      }),
    );
  });
});
