import { aMaintenanceJob } from '../testing/a-maintenance-job';
import { placesInMaintenanceQueue } from './maintenance-places';

describe('placesInMaintenanceQueue', () => {
  const jobsOf = (projectId: string, count: number) =>
    Array.from({ length: count }, () => aMaintenanceJob({ projectId }));

  it('puts the first jobs of a project before the further jobs of a project with many', () => {
    const places = placesInMaintenanceQueue([...jobsOf('many', 20), ...jobsOf('few', 1)]);

    expect(places.slice(0, 8)).toEqual(Array(8).fill(10));
    expect(places[19]).toBe(12);
    expect(places[20]).toBe(10);
  });

  it.each(['TriggerHookJob', 'PieceQuestionJob'] as const)('puts a %s before all others, as somebody waits', (kind) => {
    const awaited = aMaintenanceJob({ kind, projectId: 'many' });

    expect(placesInMaintenanceQueue([...jobsOf('many', 20), awaited]).at(-1)).toBe(1);
  });
});
