import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(textOf('package.json'));
const GUIDES = ['install-on-one-host', 'install-on-kubernetes', 'upgrade', 'sizing', 'troubleshooting'];

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
