import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { filesOfContext, readIgnored } from './build-context.mjs';
import { dockerfileOf, readImage, readStages } from './dockerfile.mjs';
import { APPS } from './pruned-build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
/** What is copied out of the build: of the api, also the pages that it serves. */
const COPIED = { api: ['api', 'console'], 'webhook-gateway': ['webhook-gateway'], worker: ['worker'] };
/** The stages whose files are in the image. Only workers build walls around packages of pieces. */
const STAGES = { api: ['build'], 'webhook-gateway': ['build'], worker: ['build', 'walls'] };
/** The stage in which the worker's image gets the program that builds walls. */
const WALLS = /\n# bubblewrap [^]*? AS walls\n[^]*?\n(?=\nFROM)|COPY --from=walls .*\n/g;
const PORT_OF = { api: 'SVC_API_PORT', 'webhook-gateway': 'SVC_PORT', worker: 'SVC_WORKER_PORT' };

for (const app of APPS)
  describe(`the Dockerfile of the ${app}`, () => {
    const stages = readStages(root, app);
    const image = readImage(root, app);

    it('builds and runs on the same Node.js, the current long-term version', () => {
      assert.deepEqual([...new Set(stages.map(({ base }) => base))], ['node:24-bookworm-slim']);
      assert.deepEqual(
        stages.map(({ name }) => name),
        [...STAGES[app], undefined],
      );
    });

    it('copies only what the context has, or what the build has made', () => {
      const context = [...filesOfContext(root)];
      for (const { args, flags } of stages.flatMap(({ instructions }) => instructions.filter(isCopy)))
        for (const source of args.slice(0, -1))
          if (flags.from === 'walls') assert.equal(source, '/walls');
          else if (flags.from) assert.ok(COPIED[app].map((name) => `/src/dist/apps/${name}`).includes(source), source);
          else assert.ok(source === '.' || context.includes(source), `${source} is not in the context`);
    });

    it('takes nothing into the image but the pruned build, and what builds walls', () => {
      const last = stages.at(-1)?.instructions ?? [];

      assert.deepEqual(
        last.filter(isCopy).map(({ flags }) => flags.from),
        [...COPIED[app].map(() => 'build'), ...STAGES[app].slice(1)],
      );
      assert.ok(!last.some(({ keyword }) => keyword === 'RUN' || keyword === 'ADD'));
    });

    it('starts the app by itself, without a shell and as a user that owns nothing', () => {
      assert.match(String(image.user), /^[1-9]\d{4,}:[1-9]\d{4,}$/);
      assert.equal(image.command[0], 'node');
      assert.equal(image.command.at(-1), 'main.cjs');
    });

    it('says where the app listens and how it is', () => {
      const port = image.environment[PORT_OF[app]];

      assert.deepEqual(image.ports, [Number(port)]);
      assert.equal(image.healthCheck?.[0], 'node');
      assert.ok(image.healthCheck?.[2]?.includes(`process.env.${PORT_OF[app]}`));
    });

    it('names what it is', () => {
      assert.equal(image.labels['org.opencontainers.image.title'], `millrace-${app}`);
      assert.equal(image.labels['org.opencontainers.image.version'], version);
    });

    it('is like the others, but for the name, the description, the port, the console and walls', () => {
      const text = (name) => readFileSync(join(root, dockerfileOf(name)), 'utf8');
      const common = (name) =>
        text(name)
          .replace(/^#.*\n/, '')
          .replaceAll(WALLS, '')
          .replaceAll(/^.*console.*\n/gm, '')
          .replace(/description=".*"/, '')
          .replaceAll(PORT_OF[name], 'PORT')
          .replaceAll(/(PORT=|EXPOSE )\d+/g, '$1')
          .replaceAll('/api/v1', '')
          .replaceAll(name, 'APP');

      assert.equal(common(app), common('api'));
    });
  });

const isCopy = ({ keyword }) => keyword === 'COPY';

describe('the context of the builds', () => {
  it('has no data, no secret, no history and no package', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-context-'));
    try {
      const secret = ['.data/credentials.json', 'data/credentials.json', 'deploy/.env', '.env', 'apps/api/.env.local'];
      const others = ['.git/config', 'node_modules/a/index.js', 'dist/apps/api/main.cjs', 'libs/a/node_modules/b.js'];
      const kept = ['package.json', 'apps/api/src/main.ts', 'libs/http/src/index.ts', 'tools/esbuild.config.cjs'];
      for (const file of [...secret, ...others, ...kept, 'docs/tour.md', 'tools/start.mjs', 'apps/api-e2e/src/a.ts']) {
        mkdirSync(join(folder, dirname(file)), { recursive: true });
        writeFileSync(join(folder, file), '');
      }

      assert.deepEqual([...filesOfContext(folder, '.', readIgnored(root))].sort(), kept.sort());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
