import { createHttpApp } from '@millrace/http';
import { LOCAL_SETTINGS } from '@millrace/http/testing';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { sendSecurityHeaders } from '../browsers/security-headers';
import { consoleFolder } from './console-files';
import { serveConsole } from './console-pages';

@Module({})
class EmptyModule {}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const PAGE = '<!doctype html><html lang="en"><head><title>Millrace</title></head><body></body></html>';
const SCRIPT = 'export const answer = 42;'.repeat(100);

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let app: NestFastifyApplication;

  beforeAll(async () => {
    mkdirSync(join(folder, 'console/assets'), { recursive: true });
    writeFileSync(join(folder, 'console/index.html'), PAGE);
    writeFileSync(join(folder, 'console/assets/main-1a2b.js'), SCRIPT);
    writeFileSync(join(folder, 'console/assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT));
    writeFileSync(join(folder, 'secret.txt'), 'not for anybody');
    app = await createHttpApp(EmptyModule, LOCAL_SETTINGS, { name: 'api' });
    await sendSecurityHeaders(app, 'http://127.0.0.1');
    await serveConsole(app, join(folder, 'console'));
    await app.listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  const get = async (path: string, headers: Record<string, string> = { accept: BROWSER }) =>
    fetch(`${await app.getUrl()}${path}`, { headers });

  it.each(['/', '/flows', '/runs/0199?step=a&iteration=3', '/settings/members', '/apis'])(
    'answers a browser at %s with the page, whose address is its own',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await answer.text()).toContain('<title>Millrace</title>');
    },
  );

  it('lets the page load from the service alone, and marks its styles with a nonce that is new each time', async () => {
    const nonces = [];
    for (const answer of [await get('/'), await get('/')]) {
      const policy = answer.headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([\w+/=]+)'/.exec(policy)?.[1] ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
      expect(await answer.text()).toContain(`<head><meta property="csp-nonce" nonce="${nonce}">`);
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(2);
  });

  it('lets assets be kept for ever, and sends them as they were compressed', async () => {
    const answer = await get('/assets/main-1a2b.js', { 'accept-encoding': 'br' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': 'application/javascript; charset=utf-8',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    expect(await answer.text()).toBe(SCRIPT);
  });

  it.each([
    '/api/v1/nothing',
    '/api',
    '/admin/queues',
    '/metrics',
    '/assets/main-0000.js',
    '/assets/..%2f..%2fsecret.txt',
  ])('has no page at %s, and says so in the one shape', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await answer.json()).toMatchObject({ statusCode: 404, code: 'ROUTE_NOT_FOUND' });
  });

  it.each(['*/*', 'application/json'])('has nothing for a client that accepts %s', async (accept) => {
    const answer = await get('/flows', { accept });
    expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'accept']);
    expect(await answer.json()).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
  });

  it('is found beside the program and beside its folder, if it was built', () => {
    expect(consoleFolder(folder)).toBe(join(folder, 'console'));
    expect(consoleFolder(join(folder, 'api'))).toBe(join(folder, 'console'));
    expect(consoleFolder(join(folder, 'console'))).toBe(join(folder, 'console'));
    expect(consoleFolder(tmpdir())).toBeNull();
  });
});
