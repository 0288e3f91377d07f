import { bodiesOf, bodyIdOf, chainOf, placeAfter, stepsOf, type Body, type Place, type Step } from './step';

// Where each part of the picture of a flow stands. A flow is a tree, so its picture is a function of it alone: steps go
// from top to bottom, branches stand beside each other below their router, and the body of a loop below the loop, in a
// frame. Lines never cross. The middle of the trigger is at x = 0, so that an edit elsewhere does not move it.
//
// There are two passes: widths from the leaves up, then places from the trigger down. Both walk along chains and recurse
// into bodies only, which nest at most 100 levels deep.

export const CARD = { width: 240, height: 60 };
/** The line after a step, and the line into a body below the name of its branch. A button in its middle adds a step. */
export const GATE = { width: 200, height: 52 };
/** The name of a branch, or what a loop says of its body. */
const LABEL_HEIGHT = 28;
/** Between a step and the line that leads to its branches beside each other. */
const SPLIT = 18;
const GAP = 40;
const FRAME = { padding: 20, inset: 8 };

export interface PlacedStep {
  step: Step;
  x: number;
  y: number;
  /** How many steps inside it are not shown, because it is closed. */
  hidden: number;
}

/** A place at which a step can be added. */
export interface Gate {
  place: Place;
  /** What stands before the added step, in words: the name of a step or of a branch. */
  after: string;
  /** The name of the branch that begins here; null elsewhere. */
  branchName: string | null;
  /** How many steps of the branch are not shown, because it is closed. */
  hidden: number;
  x: number;
  y: number;
  height: number;
}

/** What is around the body of a loop. */
export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Point = readonly [x: number, y: number];

export interface Layout {
  steps: PlacedStep[];
  gates: Gate[];
  frames: Frame[];
  lines: Point[][];
  /** The distance from the top of the trigger to the end of the last line. */
  height: number;
}

/** What both passes share: what they measured, and what is drawn so far. */
interface Drawing {
  widths: Map<Step, number>;
  layout: Layout;
  /** The steps and branches whose inside is not shown. */
  closed: ReadonlySet<string>;
}

export function layOut(trigger: Step, closed: ReadonlySet<string> = new Set()): Layout {
  const layout: Layout = { steps: [], gates: [], frames: [], lines: [], height: 0 };
  const drawing: Drawing = { widths: new Map(), layout, closed };
  measureChain(trigger, drawing);
  layout.height = placeChain(trigger, [0, 0], drawing);
  return layout;
}

/** A body as it is shown. */
interface ShownBody extends Body {
  hidden: number;
}

function shownBodies(step: Step, { closed }: Drawing): ShownBody[] {
  if (closed.has(step.name)) return [];
  return bodiesOf(step).map((body) =>
    closed.has(bodyIdOf(body.place)) ? { ...body, first: null, hidden: countOf(body.first) } : { ...body, hidden: 0 },
  );
}

function countOf(first: Step | null): number {
  let count = 0;
  for (const _step of stepsOf(first)) count += 1;
  return count;
}

/** Measures what a chain needs, half of it on each side of its middle. It is noted for each of its steps. */
function measureChain(first: Step | null, drawing: Drawing): number {
  let width = CARD.width;
  for (const step of chainOf(first)) width = Math.max(width, measureBodies(step, drawing));
  for (const step of chainOf(first)) drawing.widths.set(step, width);
  return width;
}

function measureBodies(step: Step, drawing: Drawing): number {
  const bodies = shownBodies(step, drawing);
  if (bodies.length === 0) return 0;
  const inside = bodies.reduce((sum, { first }) => sum + measureChain(first, drawing), 0);
  return inside + GAP * (bodies.length - 1) + (step.type === 'LOOP_ON_ITEMS' ? 2 * FRAME.padding : 0);
}

/** Places a chain below a point, and returns where its last line ends. */
function placeChain(first: Step, [middle, top]: Point, drawing: Drawing): number {
  const { steps, gates, lines } = drawing.layout;
  let y = top;
  for (const step of chainOf(first)) {
    const hidden = drawing.closed.has(step.name) ? countInside(step) : 0;
    steps.push({ step, x: middle - CARD.width / 2, y, hidden });
    y = placeBodies(step, [middle, y + CARD.height], drawing);
    const gate = { place: placeAfter(step), after: step.displayName, branchName: null, hidden: 0, height: GATE.height };
    gates.push({ ...gate, x: middle - GATE.width / 2, y });
    lines.push([
      [middle, y],
      [middle, y + GATE.height],
    ]);
    y += GATE.height;
  }
  return y;
}

const countInside = (step: Step): number => bodiesOf(step).reduce((sum, { first }) => sum + countOf(first), 0);

/** Places the bodies of a step beside each other below a point. Returns where the lines that lead out of them have met. */
function placeBodies(step: Step, from: Point, drawing: Drawing): number {
  const bodies = shownBodies(step, drawing);
  const [middle, top] = from;
  if (bodies.length === 0) return top;
  const axes = axesOf(bodies, middle, drawing.widths);
  const ends = bodies.map((body, index) => placeBody(body, axes[index] ?? middle, from, drawing));
  const lowest = Math.max(...ends);
  const bottom = lowest + SPLIT;
  axes.forEach((axis, index) =>
    drawing.layout.lines.push([
      [axis, ends[index] ?? lowest],
      [axis, bottom],
      [middle, bottom],
    ]),
  );
  if (step.type === 'LOOP_ON_ITEMS') drawing.layout.frames.push(frameAround(bodies, from, bottom, drawing.widths));
  return bottom;
}

function placeBody(body: ShownBody, axis: number, [middle, top]: Point, drawing: Drawing): number {
  const { first, place, branchName, hidden } = body;
  const y = top + SPLIT;
  const height = LABEL_HEIGHT + GATE.height;
  drawing.layout.lines.push([
    [middle, top],
    [middle, y],
    [axis, y],
    [axis, y + height],
  ]);
  const after = branchName ?? place.parentStep;
  drawing.layout.gates.push({ place, after, branchName, hidden, x: axis - GATE.width / 2, y, height });
  return first ? placeChain(first, [axis, y + height], drawing) : y + height;
}

/** The middles of bodies that stand beside each other. */
function axesOf(bodies: readonly Body[], middle: number, widths: ReadonlyMap<Step, number>): number[] {
  const sizes = bodies.map(({ first }) => widthOf(first, widths));
  const whole = sizes.reduce((sum, size) => sum + size, 0) + GAP * (bodies.length - 1);
  let left = middle - whole / 2;
  return sizes.map((size) => {
    const axis = left + size / 2;
    left += size + GAP;
    return axis;
  });
}

function frameAround(
  bodies: readonly Body[],
  [middle, top]: Point,
  bottom: number,
  widths: ReadonlyMap<Step, number>,
): Frame {
  const width = widthOf(bodies[0]?.first ?? null, widths) + 2 * (FRAME.padding - FRAME.inset / 2);
  return { x: middle - width / 2, y: top + FRAME.inset, width, height: bottom - top - 2 * FRAME.inset };
}

const widthOf = (first: Step | null, widths: ReadonlyMap<Step, number>): number =>
  (first && widths.get(first)) ?? CARD.width;

/** The rectangle around the whole picture. */
export function boundsOf({ steps, height }: Layout) {
  const left = steps.reduce((least, { x }) => Math.min(least, x), 0);
  const right = steps.reduce((most, { x }) => Math.max(most, x), 0) + CARD.width;
  return { x: left, y: 0, width: right - left, height };
}
