import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('..', import.meta.url));
const RULES = ['max-lines-per-function', 'max-params'];

/** The rules about the size of functions that this code breaks at this place, without the rules that need types. */
async function rulesBrokenBy(code, file) {
  const { rules = {} } = await new ESLint({ cwd: root }).calculateConfigForFile(`${root}/${file}`);
  const messages = new Linter().verify(
    code,
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser, sourceType: 'module' },
      rules: Object.fromEntries(RULES.map((name) => [name, rules[name] ?? 'off'])),
    },
    { filename: 'a.ts' },
  );
  return messages.map(({ ruleId }) => ruleId);
}

const functionOfLines = (lines) => `export function long() {\n${'  begin();\n'.repeat(lines - 2)}}\n`;
const functionOfParameters = (count) =>
  `export const wide = (${Array.from({ length: count }, (_, i) => `p${i}: string`).join(', ')}) => {};\n`;

const PLACES = ['apps/api/src/a.ts', 'apps/worker/src/jobs/a.ts', 'libs/domain/src/a.ts', 'libs/engine/src/steps/a.ts'];

test('a function of production code has 40 lines at most', async (context) => {
  for (const file of PLACES)
    await context.test(file, async () => {
      assert.deepEqual(await rulesBrokenBy(functionOfLines(40), file), []);
      assert.deepEqual(await rulesBrokenBy(functionOfLines(41), file), ['max-lines-per-function']);
    });
});

test('a function of the engine has four parameters at most', async () => {
  for (const file of ['libs/engine/src/run-flow.ts', 'libs/engine/src/steps/a.ts']) {
    assert.deepEqual(await rulesBrokenBy(functionOfParameters(4), file), [], file);
    assert.deepEqual(await rulesBrokenBy(functionOfParameters(5), file), ['max-params'], file);
  }
});

test('a test may have longer functions', async () => {
  for (const file of ['libs/engine/src/a.spec.ts', 'libs/engine/src/testing/a.ts', 'apps/api/src/a.int-spec.ts'])
    assert.deepEqual(await rulesBrokenBy(functionOfLines(41), file), [], file);
});
