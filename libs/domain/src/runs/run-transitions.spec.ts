import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canBecome, FLOW_RUN_STATUSES, isFinal, RUN_TRANSITIONS } from './run-transitions';

describe('the life of a run', () => {
  it('knows the eight statuses of the interface and no other', () => {
    expect([...FLOW_RUN_STATUSES].sort()).toEqual(
      ['FAILED', 'INTERNAL_ERROR', 'PAUSED', 'QUOTA_EXCEEDED', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'TIMEOUT'].sort(),
    );
  });

  it('never leaves a final status', () => {
    for (const status of FLOW_RUN_STATUSES.filter(isFinal)) expect(RUN_TRANSITIONS[status]).toEqual([]);
  });

  it('lets every unfinished status reach a final one', () => {
    for (const status of FLOW_RUN_STATUSES.filter((each) => !isFinal(each)))
      expect(RUN_TRANSITIONS[status].some(isFinal)).toBe(true);
  });

  it('resumes a paused run and does not let it succeed without running', () => {
    expect(canBecome('PAUSED', 'RUNNING')).toBe(true);
    expect(canBecome('PAUSED', 'SUCCEEDED')).toBe(false);
  });
});

describe('docs/run-lifecycle.md', () => {
  it('draws exactly the arrows of the table', () => {
    const text = readFileSync(join(__dirname, '../../../../docs/run-lifecycle.md'), 'utf8');
    const drawn = [...text.matchAll(/^ {2}([A-Z_]+) --> ([A-Z_]+)$/gm)].map(([, from, to]) => `${from} → ${to}`);

    const inTable = FLOW_RUN_STATUSES.flatMap((from) => RUN_TRANSITIONS[from].map((to) => `${from} → ${to}`));

    expect(drawn.sort()).toEqual(inTable.sort());
  });
});
