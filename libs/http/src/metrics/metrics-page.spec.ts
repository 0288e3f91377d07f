import { METRICS, type Metric } from '@millrace/domain';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(__dirname, '../../../../docs/metrics.md'), 'utf8');
const ROW = /^\| `(millrace_\w+)`.*\|$/gm;

const squeezed = (line: string): string => line.replace(/ +/g, ' ');

const rowOf = ({ name, type, labels, apps, onlyLeader, help }: Metric): string => {
  const shownLabels = labels.map((label) => `\`${label}\``).join(', ') || '–';
  return `| \`${name}\` | ${type} | ${shownLabels} | ${onlyLeader ? 'the leader' : apps.join(', ')} | ${help} |`;
};

describe('docs/metrics.md', () => {
  it('has a row for every metric, and no other', () => {
    const rows = [...page.matchAll(ROW)].map(([row]) => squeezed(row));

    expect(rows).toEqual(Object.values(METRICS).map(rowOf));
  });
});
