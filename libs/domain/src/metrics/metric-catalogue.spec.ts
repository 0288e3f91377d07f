import { METRICS } from './metric-catalogue';
import type { Metric } from './metric';

describe('the catalogue of metrics', () => {
  const all: Metric[] = Object.values(METRICS);

  it('names each metric once', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it.each(all.map((metric) => [metric.name, metric] as const))('keeps to the conventions with %s', (name, metric) => {
    expect(name).toMatch(/^millrace(_[a-z]+)+$/);
    expect(name.endsWith('_total')).toBe(metric.type === 'counter');
    if (metric.type === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(metric.help).toMatch(/^[A-Z1].*\.$/);
    expect(metric.apps.length).toBeGreaterThan(0);
  });

  it('has no label that could have a value for each project, flow or run', () => {
    expect(
      all.flatMap(({ labels }) => labels).filter((label) => /project|flow|run|tenant|user|id$/.test(label)),
    ).toEqual([]);
  });
});
