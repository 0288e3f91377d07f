import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(textOf('package.json'));
const GUIDES = [
  'install-on-one-host',
  'install-on-kubernetes',
  'upgrade',
  'sizing',
  'troubleshooting',
  'pieces',
  'pieces-operations',
];

/** The anchor of a heading, as it is made where the pages are read. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (page) => [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));

for (const guide of GUIDES)
  describe(`docs/${guide}.md`, () => {
    const page = `docs/${guide}.md`;
    const text = textOf(page);

    it('runs only commands of npm that there are', () => {
      const named = [...text.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name]) => name);

      assert.deepEqual(
        named.filter((name) => !(name in scripts)),
        [],
      );
    });

    it('names only files of deploy that there are', () => {
      const named = text.match(/deploy\/[\w./-]*[\w-]/g) ?? [];
      const isMadeByTheReader = (path) => /overlays\/mine|\.env$|compose\.override\.yml/.test(path);

      assert.deepEqual(
        named.filter((path) => !isMadeByTheReader(path) && !path.endsWith('docker') && !existsSync(join(root, path))),
        [],
      );
    });

    it('leads to pages and headings that there are', () => {
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
      for (const [link, path, anchor] of links) {
        const target = path ? join(dirname(page), path) : page;
        assert.ok(existsSync(join(root, target)), link);
        if (anchor) assert.ok(anchorsOf(target).includes(anchor), link);
      }
    });
  });

describe('the secrets that the guides let a reader make', () => {
  const ignored = textOf('.gitignore').split('\n');
  const isIgnored = (path) =>
    ignored.some((line) => (line.startsWith('*') ? basename(path).endsWith(line.slice(1)) : line === `/${path}`));
  const made = GUIDES.flatMap((guide) => [...textOf(`docs/${guide}.md`).matchAll(/make-secrets.* > ([\w./-]+)\)/g)]);
  const named = ['deploy/millrace-token', 'deploy/compose.override.yml']; // of docs/metrics.md and docs/queue-board.md

  it('are in files that git ignores', () => {
    assert.deepEqual(
      [...made.map(([, path]) => path), ...named].filter((path) => !isIgnored(path)),
      [],
    );
    assert.ok(made.length >= 3);
  });
});

describe('the unit of docs/install-on-one-host.md', () => {
  it('is started again for as long as a store is away: systemd gives up after five starts within 10 s', () => {
    const [, seconds] = textOf('docs/install-on-one-host.md').match(/^RestartSec=(\d+)$/m) ?? [];

    assert.ok(Number(seconds) > 10 / 5, `RestartSec=${seconds}`);
  });
});
