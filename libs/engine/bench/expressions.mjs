/** Cost of an expression that is a plain path, and of joining a step's input: `node libs/engine/bench/expressions.mjs`. */
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('../src/', import.meta.url));
const outfile = fileURLToPath(new URL('../../../node_modules/.cache/engine-bench/expressions.cjs', import.meta.url));
const RESOLVED_EACH = 200_000;

await build({
  stdin: {
    contents: `
      export { compileTemplate, resolveTemplate } from './expressions/template';
      export { JsonValue } from './json-value';
      export { RunScope } from './run-scope';`,
    resolveDir: sources,
  },
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  alias: { '@millrace/domain': fileURLToPath(new URL('../../domain/src/index.ts', import.meta.url)) },
});
const { compileTemplate, resolveTemplate, JsonValue, RunScope } = createRequire(import.meta.url)(outfile);

const item = { id: 7, name: 'Ann', tags: ['a', 'b'], note: 'x'.repeat(100) };
const output = JSON.stringify({ body: { items: [item], text: 'x'.repeat(1000) } });
const path = '{{ step_1.body.items[0].id }}';
const INPUTS = [
  ['no expression', { plain: 'text' }, 1],
  ['a plain path', { value: path }, 1],
  ['a path to an object', { value: '{{ step_1.body.items[0] }}' }, 1],
  ['ten plain paths', Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`value${n}`, path])), 10],
  ['a text of three paths', { value: `Dear ${path}, ${path} and ${path}` }, 3],
];

for (const [name, input, expressions] of INPUTS) {
  const template = compileTemplate(input, new Set(['step_1']));
  const scope = RunScope.ofRun({ step_1: JsonValue.ofText(output) });
  const timed = (times) => {
    const startedAt = performance.now();
    for (let n = 0; n < times; n++) resolveTemplate(template, scope, []);
    return ((performance.now() - startedAt) * 1000) / times;
  };
  timed(RESOLVED_EACH / 10);
  const micros = timed(RESOLVED_EACH);
  console.log(`${name}: ${micros.toFixed(2)} µs, ${(micros / expressions).toFixed(2)} µs an expression`);
}
