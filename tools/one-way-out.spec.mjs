import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('..', import.meta.url));
const RULES = [
  '@typescript-eslint/no-restricted-imports',
  'no-restricted-imports',
  'no-restricted-globals',
  'no-restricted-syntax',
];

/** The ESLint rules about HTTP clients that apply to a file, without the rules that need types. */
async function complaintsOf(file, code) {
  const { rules = {} } = await new ESLint({ cwd: root }).calculateConfigForFile(`${root}/${file}`);
  const messages = new Linter().verify(
    code,
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser, sourceType: 'module' },
      plugins: { '@typescript-eslint': tseslint.plugin },
      rules: Object.fromEntries(RULES.map((name) => [name, rules[name] ?? 'off'])),
    },
    { filename: 'a.ts' },
  );
  return messages.filter(({ message }) => message.includes('docs/adr/0010')).length;
}

const ELSEWHERE = ['apps/api/src/a.ts', 'apps/worker/src/a.ts', 'libs/pieces/src/a.ts', 'libs/http/src/a.ts'];

test('production code has no client of its own', async (context) => {
  for (const code of [
    "import { request } from 'undici';",
    "import undici from 'undici/index.js';",
    "import { createTransport } from 'nodemailer';",
    "import axios from 'axios';",
    "import { request } from 'node:http';",
    "import { get } from 'https';",
    "import http from 'node:http';",
    "import * as http from 'node:http';",
    "import { connect } from 'node:tls';",
    "import { createConnection } from 'net';",
    "void import('undici');",
    "void import('node:https');",
    "const client = require('http');",
    "void fetch('http://example.com');",
    "void globalThis.fetch('http://example.com');",
    "void new WebSocket('ws://example.com');",
    "void new EventSource('http://example.com');",
  ])
    await context.test(code, async () => {
      for (const file of ELSEWHERE) assert.ok((await complaintsOf(file, code)) > 0, file);
    });
});

test('types and servers are no clients', async () => {
  const code = "import type { Socket } from 'node:net'; import { createServer, STATUS_CODES } from 'node:http';";
  for (const file of ELSEWHERE) assert.equal(await complaintsOf(file, code), 0, file);
});

test('the one way out has its clients, and tests may have any', async () => {
  const code = "import { Agent } from 'undici'; void fetch('http://example.com');";
  for (const file of ['libs/http/src/outbound/a.ts', 'apps/api/src/a.spec.ts', 'apps/api/src/a.int-spec.ts'])
    assert.equal(await complaintsOf(file, code), 0, file);
});
