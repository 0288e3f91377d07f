import { stepResults } from '@millrace/domain';
import { aRecordedStep } from '@millrace/domain/testing';
import { withOutputLinks } from './output-links';

const large = { output: undefined, outputFile: { fileId: 'i', bytes: 2_000_000 } };
const linkTo = (fileId: string) => `https://x/${fileId}`;

describe('withOutputLinks', () => {
  it('puts a link in place of each reference to a large output, also in loops', () => {
    const steps = stepResults([
      aRecordedStep('small'),
      aRecordedStep('big', large),
      aRecordedStep('outer[0].inner[1].deep', large),
      aRecordedStep('outer[0].inner', { type: 'LOOP_ON_ITEMS', output: { item: 'b', index: 2 } }),
      aRecordedStep('outer', { type: 'LOOP_ON_ITEMS', output: { item: 'a', index: 1 } }),
    ]);

    const linked = withOutputLinks(steps, linkTo);

    const outputFile = { id: 'i', bytes: 2_000_000, url: 'https://x/i' };
    expect(linked).toMatchObject({
      small: { output: 'small' },
      big: { output: null, outputFile },
      outer: {
        output: { index: 1, iterations: [{ inner: { output: { iterations: [{}, { deep: { outputFile } }] } } }] },
      },
    });
    expect(linked['small']).not.toHaveProperty('outputFile');
  });

  it('leaves an output alone that only looks like a reference', () => {
    const output = { outputFile: { fileId: 'i', bytes: 1 }, iterations: 7 };
    expect(withOutputLinks(stepResults([aRecordedStep('a', { output })]), linkTo)['a']).toMatchObject({ output });
  });

  it('keeps a step called __proto__', () => {
    expect(Object.keys(withOutputLinks(stepResults([aRecordedStep('__proto__', large)]), linkTo))).toEqual([
      '__proto__',
    ]);
  });
});
