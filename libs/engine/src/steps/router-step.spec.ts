import { branch, operatorCases, router, type OperatorCase } from '@millrace/domain/testing';
import { walk } from '../testing/a-walk';

const CASES = operatorCases();

describe('a router', () => {
  const held: boolean[] = [];

  beforeAll(async () => {
    const routers = CASES.map(({ holds: _, why: _why, ...condition }, row) =>
      router(`r${row}`, [branch('holds', [[condition]])]),
    );
    const { records } = await walk(routers);
    for (const { output } of records)
      held.push((JSON.parse(output ?? '') as { branches: [{ evaluation: boolean }] }).branches[0].evaluation);
  });

  it.each(CASES.map((row, index) => [sentenceOf(row), row.holds, index] as const))('%s: %s', (_, holds, index) =>
    expect(held[index]).toBe(holds),
  );
});

function sentenceOf({ operator, firstValue, secondValue, caseSensitive, why }: OperatorCase): string {
  const second = secondValue === undefined ? '' : ` and ${JSON.stringify(secondValue)}`;
  return `${operator} of ${JSON.stringify(firstValue)}${second}${caseSensitive ? ', with case' : ''}${why ? ` (${why})` : ''}`;
}
