import { NEWEST_RUNS, RunChanges } from './run-changes';

const idOf = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('RunChanges', () => {
  it('counts how many runs took each status', () => {
    const changes = new RunChanges();

    changes.add(idOf(1), 'RUNNING');
    changes.add(idOf(2), 'RUNNING');
    changes.add(idOf(1), 'SUCCEEDED');
    changes.add(idOf(2));

    expect(changes.take()).toEqual({ counts: { RUNNING: 2, SUCCEEDED: 1 }, runIds: [idOf(2), idOf(1)] });
  });

  it('keeps the newest runs, in whatever order they change', () => {
    const changes = new RunChanges();

    for (let i = 0; i < 1_000; i++) changes.add(idOf((i * 7) % 1_000), 'RUNNING');

    const { counts, runIds } = changes.take();
    expect(counts).toEqual({ RUNNING: 1_000 });
    expect(runIds).toEqual(Array.from({ length: NEWEST_RUNS }, (_, i) => idOf(999 - i)));
  });

  it('joins the changes of several processes', () => {
    const changes = new RunChanges();

    changes.merge({ RUNNING: 3, FAILED: 1 }, [idOf(3), idOf(1)]);
    changes.merge({ RUNNING: 2 }, [idOf(2)]);

    expect(changes.take()).toEqual({ counts: { RUNNING: 5, FAILED: 1 }, runIds: [idOf(3), idOf(2), idOf(1)] });
  });

  it('begins anew when they are taken', () => {
    const changes = new RunChanges();
    for (let i = 0; i < 1_000; i++) changes.add(idOf(i));
    changes.take();

    expect(changes.isEmpty).toBe(true);
    changes.add(idOf(0), 'FAILED');
    expect(changes.take()).toEqual({ counts: { FAILED: 1 }, runIds: [idOf(0)] });
  });
});
