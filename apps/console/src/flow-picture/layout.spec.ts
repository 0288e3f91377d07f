import { CARD, layOut, type Layout, type Point } from './layout';
import type { Step } from './step';
import { aChain, aStep } from './testing/a-step';

const router = (name: string, ...children: (Step | null)[]): Step =>
  aStep(name, { type: 'ROUTER', settings: { branches: children.map((_, i) => ({ branchName: `b${i}` })) }, children });

const loop = (name: string, firstLoopAction: Step | null = null): Step =>
  aStep(name, { type: 'LOOP_ON_ITEMS', firstLoopAction });

const placeOf = ({ steps }: Layout, name: string) => {
  const placed = steps.find((each) => each.step.name === name);
  if (!placed) throw new Error(`${name} has no place`);
  return placed;
};

const segmentsOf = ({ lines }: Layout): [Point, Point][] =>
  lines.flatMap((line) => line.slice(1).map((end, index): [Point, Point] => [line[index] as Point, end]));

/** Whether a level and an upright segment meet between their ends. */
const cross = ([[ax, ay], [bx, by]]: [Point, Point], [[cx, cy], [dx, dy]]: [Point, Point]): boolean =>
  ay === by && cx === dx && ax !== bx && cy !== dy
    ? cx > Math.min(ax, bx) && cx < Math.max(ax, bx) && ay > Math.min(cy, dy) && ay < Math.max(cy, dy)
    : false;

const nested = () =>
  aChain(
    aStep('trigger', { type: 'PIECE_TRIGGER' }),
    router(
      'r',
      aChain(aStep('a'), router('s', aStep('b'), loop('l', aChain(aStep('c'), aStep('d'))))),
      null,
      aStep('e'),
    ),
    loop('m', router('t', aStep('f'), aStep('g'))),
    aStep('z'),
  );

describe('the layout of a flow', () => {
  it('puts the steps of a chain below each other, with the middle of the trigger at 0', () => {
    const layout = layOut(aChain(aStep('trigger'), aStep('a'), aStep('b')));

    expect(layout.steps.map(({ x }) => x)).toEqual(Array(3).fill(-CARD.width / 2));
    expect(placeOf(layout, 'a').y).toBeGreaterThan(CARD.height);
    expect(placeOf(layout, 'b').y - placeOf(layout, 'a').y).toBe(placeOf(layout, 'a').y);
  });

  it('puts branches beside each other in their order, and what follows below the longest', () => {
    const layout = layOut(
      aChain(aStep('trigger'), router('r', aStep('a'), aChain(aStep('b'), aStep('c'))), aStep('after')),
    );

    expect(placeOf(layout, 'b').x - placeOf(layout, 'a').x).toBeGreaterThan(CARD.width);
    expect(placeOf(layout, 'a').y).toBe(placeOf(layout, 'b').y);
    expect(placeOf(layout, 'after').y).toBeGreaterThan(placeOf(layout, 'c').y + CARD.height);
    expect(placeOf(layout, 'after').x).toBe(-CARD.width / 2);
  });

  it('frames the body of a loop', () => {
    const layout = layOut(aChain(aStep('trigger'), loop('l', aStep('a'))));
    const [frame] = layout.frames;
    const { x, y } = placeOf(layout, 'a');

    expect(frame && frame.x < x && frame.y < y).toBe(true);
    expect(frame && frame.x + frame.width > x + CARD.width && frame.y + frame.height > y + CARD.height).toBe(true);
  });

  it('has a gate after each step and one into each body, empty or not', () => {
    const { gates } = layOut(aChain(aStep('trigger'), router('r', aStep('a'), null), loop('l')));

    expect(gates.map(({ place: { parentStep, ...rest } }) => [parentStep, ...Object.values(rest)].join(' '))).toEqual([
      'trigger AFTER',
      'r INSIDE_BRANCH 0',
      'a AFTER',
      'r INSIDE_BRANCH 1',
      'r AFTER',
      'l INSIDE_LOOP',
      'l AFTER',
    ]);
  });

  it('shows nothing of what is inside a closed step, and how much that is', () => {
    const layout = layOut(nested(), new Set(['r']));

    expect(layout.steps.map(({ step }) => step.name)).toEqual(['trigger', 'r', 'm', 't', 'f', 'g', 'z']);
    expect(placeOf(layout, 'r').hidden).toBe(7);
    expect(placeOf(layout, 'm').y - placeOf(layout, 'r').y).toBe(placeOf(layout, 'r').y);
  });

  it('shows a closed branch as an empty one', () => {
    const layout = layOut(nested(), new Set(['r/0']));
    const gate = layout.gates.find(({ place }) => place.parentStep === 'r' && place.branchIndex === 0);

    expect(layout.steps.map(({ step }) => step.name)).not.toContain('a');
    expect(layout.steps.map(({ step }) => step.name)).toContain('e');
    expect(gate?.hidden).toBe(6);
  });

  it('never lets cards overlap', () => {
    const { steps } = layOut(nested());

    const overlapping = steps.flatMap((a, index) =>
      steps
        .slice(index + 1)
        .filter((b) => Math.abs(a.x - b.x) < CARD.width && Math.abs(a.y - b.y) < CARD.height)
        .map((b) => [a.step.name, b.step.name]),
    );

    expect(overlapping).toEqual([]);
  });

  it('never lets lines cross', () => {
    const segments = segmentsOf(layOut(nested()));

    expect(segments.filter((a) => segments.some((b) => cross(a, b)))).toEqual([]);
  });

  it('places a long chain without running out of stack', () => {
    const long = aChain(aStep('trigger'), ...Array.from({ length: 20_000 }, (_, index) => aStep(`s${index}`)));

    expect(layOut(long).steps).toHaveLength(20_001);
  });
});
