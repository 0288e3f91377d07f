import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STATUS_OF_CODE } from './error-answer';

const ROOT = join(__dirname, '../../../..');
const ROW = /^\| (\d{3}) +\| `([A-Z_]+)` +\| \S.*? \| (later|corrected|no)\b.*? \| \S.*? \|$/gm;
const ERROR_CLASS = /^(?:export )?class \w+ extends DomainError \{([^]*?)^\}/gm;

interface Answer {
  status: number | undefined;
  code: string;
}

const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
const rows: Answer[] = [...page.matchAll(ROW)].map(([, status, code = '']) => ({ status: Number(status), code }));

/** The answers of the error classes of all libraries and apps, as their source says them. */
const ofClasses: Answer[] = ['libs', 'apps'].flatMap(sourcesIn).flatMap((source) =>
  [...source.matchAll(ERROR_CLASS)].map(([, body = '']) => {
    const code = /readonly code = '(\w+)'/.exec(body)?.[1] ?? '';
    const status = /readonly statusCode = (\d+)/.exec(body)?.[1];
    return { status: status === undefined ? STATUS_OF_CODE[code] : Number(status), code };
  }),
);

function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\/src\/.*\.ts$/.test(file) && !/spec\.ts$/.test(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'))
    .filter((source) => source.includes('extends DomainError'));
}

const asTexts = (answers: readonly Answer[]): string[] =>
  [...new Set(answers.map(({ status, code }) => `${status} ${code}`))].sort();

describe('docs/errors.md', () => {
  it('has a row for every code with its status, and no other', () => {
    const ofCodes = Object.entries(STATUS_OF_CODE).map(([code, status]) => ({ status, code }));

    expect(asTexts(rows)).toEqual(asTexts([...ofCodes, ...ofClasses]));
  });

  it('has no row twice, and is sorted by status', () => {
    expect(rows).toHaveLength(asTexts(rows).length);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(({ status }) => status).sort());
  });
});

describe('every error class', () => {
  it('has a code with a status in STATUS_OF_CODE', () => {
    expect(ofClasses.length).toBeGreaterThan(30);
    expect(ofClasses.filter(({ code }) => !(code in STATUS_OF_CODE))).toEqual([]);
  });
});
