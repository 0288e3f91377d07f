import { boundsOf, layOut } from './layout';
import { fittedTo, startOf } from './opening';
import { aChain, aStep } from './testing/a-step';

const branches = (count: number) => {
  const children = Array.from({ length: count }, (_, index) => aStep(`s${index}`));
  const settings = { branches: children.map((_, index) => ({ branchName: `b${index}` })) };
  return layOut(
    aChain(aStep('trigger', { type: 'PIECE_TRIGGER' }), aStep('r', { type: 'ROUTER', settings, children })),
    new Set(),
  );
};

describe('how a picture that is fitted opens', () => {
  it.each([1, 2, 3, 4])('shows all of %s branches on 800 pixels', (count) => {
    const layout = branches(count);
    const { x, zoom } = fittedTo(800, layout);
    const { x: left, width } = boundsOf(layout);
    expect(x + left * zoom).toBeGreaterThanOrEqual(24);
    expect(x + (left + width) * zoom).toBeLessThanOrEqual(800 - 24);
  });

  it('is not larger than 100 %', () => {
    expect(fittedTo(5_000, branches(2)).zoom).toBe(1);
  });

  it('is not too small to be read, and then has the trigger in the middle', () => {
    expect(fittedTo(300, branches(20))).toEqual({ ...startOf(300), zoom: 0.6 });
  });
});
