import { refusalOf, type IntakeBounds, type IntakeState } from './intake-bounds';

const NOW = new Date('2026-01-01T00:10:00.000Z');
const BOUNDS: IntakeBounds = {
  runs: 1_000,
  runsPerProject: 200,
  bytes: 5_000,
  ageSeconds: 60,
  minFreeDiskBytes: 100,
};
const AT_EASE: IntakeState = {
  runs: 999,
  bytes: 4_999,
  oldest: new Date('2026-01-01T00:09:00.001Z'),
  runsOfProject: 199,
  freeDiskBytes: 100,
};

describe('refusalOf', () => {
  it.each<[string, Partial<IntakeState>, 'project' | 'all' | undefined]>([
    ['accepts below all bounds', {}, undefined],
    ['accepts with an empty backlog and an unknown disk', { oldest: null, freeDiskBytes: null }, undefined],
    ['refuses all at the bound of runs', { runs: 1_000 }, 'all'],
    ['refuses all at the bound of bytes', { bytes: 5_000 }, 'all'],
    ['refuses all when the oldest has waited too long', { oldest: new Date('2026-01-01T00:09:00.000Z') }, 'all'],
    ['refuses all when the disk is nearly full', { freeDiskBytes: 99 }, 'all'],
    ['refuses a project at its own bound', { runsOfProject: 200 }, 'project'],
    ['refuses all before it refuses a project', { runs: 1_000, runsOfProject: 200 }, 'all'],
  ])('%s', (_what, state, of) => {
    expect(refusalOf(BOUNDS, { ...AT_EASE, ...state }, NOW)?.of).toBe(of);
  });

  it('does not look at what has no bound', () => {
    const bounds = { ...BOUNDS, bytes: null, ageSeconds: null, minFreeDiskBytes: null };
    const state = { ...AT_EASE, bytes: 1e12, oldest: new Date(0), freeDiskBytes: 0 };

    expect(refusalOf(bounds, state, NOW)).toBeNull();
  });
});
