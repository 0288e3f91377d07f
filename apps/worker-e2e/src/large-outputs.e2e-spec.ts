import { readFileSync } from 'node:fs';
import { codeStep, loop } from '@millrace/domain/testing';
import type { RunAnswer } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';

const OUTPUT_MB = 3;
/** These outputs are together a little smaller than the limit for the step data of a run. */
const OUTPUTS = 32;
/**
 * How much memory a run may add to its worker while it makes and reads 96 MB. It added 20 MB when this test was
 * written.
 */
const MOST_ADDED_MB = 80;
const MEGABYTE = 1024 * 1024;

const make = codeStep(
  'make',
  { n: '{{each.item}}' },
  `export const code = async ({ n }) => ({ n, text: String(n % 10).repeat(${OUTPUT_MB * MEGABYTE}) });`,
);
/** The expression reads the whole output; the step gets only a few characters of it. */
const read = codeStep('read', { of: '{{ [make.n, make.text.length, make.text.slice(-3)].join() }}' });

type WithFile = { output: unknown; outputFile?: { id: string; bytes: number; url: string } };

describe('a run whose outputs are large', () => {
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    targets = await ServiceWithTargets.start({ SVC_SANDBOX_THREADS: '1' });
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
  });

  /** The largest memory of the worker so far, in MB. */
  const peakMemory = (): number => {
    const status = readFileSync(`/proc/${targets.service.pidOf('worker')}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };
  const loopOver = (count: number) =>
    loop(
      'each',
      Array.from({ length: count }, (_, index) => index),
      [make, read],
    );
  const iterationsOf = (run: RunAnswer) =>
    (run.steps?.['each']?.output as { iterations: Record<string, WithFile>[] }).iterations;

  it(`makes and reads ${OUTPUT_MB * OUTPUTS} MB of them without holding them at once`, async () => {
    await targets.run([loopOver(1)]);
    const before = peakMemory();

    const run = await targets.run([loopOver(OUTPUTS)]);

    expect(run).toMatchObject({ status: 'SUCCEEDED', stepsCount: 1 + 2 * OUTPUTS });
    expect(iterationsOf(run).map(({ read: { output } = { output: null } }) => output)).toEqual(
      Array.from({ length: OUTPUTS }, (_, n) => ({ of: `${n},${OUTPUT_MB * MEGABYTE},${String(n % 10).repeat(3)}` })),
    );
    expect(peakMemory() - before).toBeLessThan(MOST_ADDED_MB);
  });

  it('shows where each is, and whoever has the link can load it', async () => {
    const run = await targets.run([
      loopOver(2),
      codeStep('both', { n: '{{ each.iterations.map((i) => i.make.output.text.length) }}' }),
    ]);

    expect(run.steps?.['both']?.output).toEqual({ n: [OUTPUT_MB * MEGABYTE, OUTPUT_MB * MEGABYTE] });
    expect(JSON.stringify(run).length).toBeLessThan(20_000);
    for (const [n, { make: shown }] of iterationsOf(run).entries()) {
      const text = JSON.stringify({ n, text: String(n).repeat(OUTPUT_MB * MEGABYTE) });
      expect(shown).toMatchObject({
        output: null,
        outputFile: { id: expect.any(String) as string, bytes: text.length },
      });
      expect(await (await fetch(shown?.outputFile?.url ?? '')).text()).toBe(text);
    }
  });
});
