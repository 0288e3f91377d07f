import { InvalidRequestError, UnsupportedMediaTypeError, type WebhookPayload } from '@millrace/domain';
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BodyChecker } from './body-checker';
import { LargeWebhooks } from './large-webhooks';

describe('LargeWebhooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'body-check-'));
  const outfile = join(folder, 'body-check-thread.cjs');
  const checker = new BodyChecker(outfile);

  beforeAll(() =>
    build({
      entryPoints: [join(__dirname, 'body-check-thread.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      tsconfig: join(__dirname, '../../../../tsconfig.base.json'),
    }),
  );

  afterAll(async () => {
    await checker.onApplicationShutdown();
    rmSync(folder, { recursive: true });
  });

  const posted = (rawBody: Buffer, type = 'application/json') => ({
    method: 'POST',
    headers: { 'content-type': type },
    queryParams: {},
    rawBody,
  });
  const LIST = `[${'{"id":1},'.repeat(40_000)}{}]`;

  it('makes a payload of a body in its character set', async () => {
    const stored = (body: Buffer, type: string) =>
      new LargeWebhooks(checker).store(posted(body, type), (payload) => Promise.resolve(payload));

    const payload = await stored(Buffer.from(LIST), 'application/json');
    expect(payload).toMatchObject({ bodyKind: 'json', request: expect.stringContaining('"method":"POST"') });
    expect(payload.rawBody.toString()).toBe(LIST);
    const utf16 = await stored(Buffer.from(`\ufeff${LIST}`, 'utf16le'), 'application/json; charset=utf-16');
    expect(utf16.rawBody.toString()).toBe(LIST);
  });

  it.each([
    ['malformed JSON', `${LIST}]`, 'application/json', InvalidRequestError],
    ['JSON that nests too deep', '['.repeat(200_000), 'application/json', InvalidRequestError],
    ['another character set', LIST, 'application/json; charset=big5', UnsupportedMediaTypeError],
    [
      'a form that is not in its character set',
      `a=${LIST}%E9`,
      'application/x-www-form-urlencoded',
      UnsupportedMediaTypeError,
    ],
    ['a type it cannot represent', LIST, 'image/png', UnsupportedMediaTypeError],
  ])('refuses %s, and takes the next', async (_what, body, type, error) => {
    const subject = new LargeWebhooks(checker);
    const store = jest.fn<Promise<string>, [WebhookPayload]>(() => Promise.resolve('stored'));
    for (let n = 0; n < 3; n++)
      await expect(subject.store(posted(Buffer.from(body), type), store)).rejects.toThrow(error);

    expect(store).not.toHaveBeenCalled();
    expect(await subject.store(posted(Buffer.from(LIST)), store)).toBe('stored');
  });

  it('handles two at a time', async () => {
    const subject = new LargeWebhooks(checker);
    const finish: (() => void)[] = [];
    let started = 0;
    const store = () => {
      started++;
      return new Promise<void>((resolve) => finish.push(resolve));
    };
    const all = Array.from({ length: 3 }, () => subject.store(posted(Buffer.from(LIST)), store));
    while (finish.length < 2) await new Promise(setImmediate);
    await checker.check({ rawBody: Buffer.from(LIST), contentType: '', bodyKind: 'json' });
    expect(started).toBe(2);

    finish.shift()?.();
    while (finish.length < 2) await new Promise(setImmediate);
    for (const each of finish) each();
    await Promise.all(all);
  });
});
