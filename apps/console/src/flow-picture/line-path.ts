import type { Point } from './layout';

const CORNER = 10;

/** The lines as one path of SVG, with round corners. */
export const linePath = (lines: readonly (readonly Point[])[]): string => lines.map(pathOf).join('');

function pathOf(line: readonly Point[]): string {
  const points = withoutRepeated(line);
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (!before) return `M${point.join(' ')}`;
      if (!after) return `L${point.join(' ')}`;
      return `L${towards(point, before).join(' ')}Q${point.join(' ')} ${towards(point, after).join(' ')}`;
    })
    .join('');
}

const withoutRepeated = (line: readonly Point[]): Point[] =>
  line.filter(([x, y], index) => {
    const before = line[index - 1];
    return !before || before[0] !== x || before[1] !== y;
  });

/** The point on the way from one point to another where a corner begins. Lines are level or upright. */
function towards([x, y]: Point, [toX, toY]: Point): Point {
  const distance = Math.abs(toX - x) + Math.abs(toY - y);
  const part = Math.min(CORNER, distance / 2) / distance;
  return [x + (toX - x) * part, y + (toY - y) * part];
}
