import {
  InvalidRequestError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
  type StoredPayload,
} from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { inflateRawSync } from 'node:zlib';
import { aBodyChecker } from '../testing/a-body-thread';
import { aMultipartBody } from '../testing/a-multipart-body';
import type { BodyChecker } from '../bodies/body-checker';
import { LargeWebhooks } from './large-webhooks';
import type { TextBodyKind } from '../bodies/body-check';
import { bodyKindOf, requestText, type InboundRequest } from './webhook-payload';

describe('LargeWebhooks', () => {
  let checker: BodyChecker;
  let close: () => Promise<void>;
  beforeAll(async () => ({ checker, close } = await aBodyChecker()));
  afterAll(() => close());

  const posted = (rawBody: Buffer, type = 'application/json') => ({
    method: 'POST',
    headers: { 'content-type': type },
    queryParams: {},
    rawBody,
  });
  const textOf = ({ stored }: StoredPayload): string => inflateRawSync(stored.subarray(1)).toString();
  const kindOf = (request: InboundRequest) => bodyKindOf(request) as TextBodyKind;
  const PROJECT = anId();
  const LIST = `[${'{"id":1},'.repeat(40_000)}{}]`;

  it('makes a payload of a body in its character set', async () => {
    const stored = (body: Buffer, type: string) =>
      new LargeWebhooks(checker).store(posted(body, type), kindOf(posted(body, type)), PROJECT, (payload) =>
        Promise.resolve(payload),
      );

    const payload = await stored(Buffer.from(LIST), 'application/json');
    expect(textOf(payload)).toBe(`j${requestText(posted(Buffer.alloc(0)))}\n${LIST}`);
    const utf16 = await stored(Buffer.from(`\ufeff${LIST}`, 'utf16le'), 'application/json; charset=utf-16');
    expect(textOf(utf16).endsWith(`\n${LIST}`)).toBe(true);
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
    ['malformed XML', `<a>${LIST}`, 'application/xml', InvalidRequestError],
    ['XML of too many elements', `<a>${'<b/>'.repeat(100_000)}</a>`, 'text/xml', InvalidRequestError],
  ])('refuses %s, and takes the next', async (_what, body, type, error) => {
    const subject = new LargeWebhooks(checker);
    const store = jest.fn<Promise<string>, [StoredPayload]>(() => Promise.resolve('stored'));
    for (let n = 0; n < 3; n++)
      await expect(
        subject.store(posted(Buffer.from(body), type), kindOf(posted(Buffer.from(body), type)), PROJECT, store),
      ).rejects.toThrow(error);

    expect(store).not.toHaveBeenCalled();
    expect(await subject.store(posted(Buffer.from(LIST)), 'json', PROJECT, store)).toBe('stored');
  });

  it('reads a multipart body, and gives each file its own memory', async () => {
    const file = Buffer.alloc(300_000, 7);
    const { rawBody, contentType } = await aMultipartBody([
      ['name', 'Ada'],
      ['file', new File([file], 'a.bin', { type: 'image/png' })],
      ['file', new File(['b'], 'b.txt')],
    ]);

    const body = await checker.multipartOf({ rawBody, contentType });

    expect(body.members).toEqual(
      new Map<string, unknown>([
        ['name', ['"Ada"']],
        ['file', [0, 1]],
      ]),
    );
    expect(body.files.map(({ name, contentType: type }) => [name, type])).toEqual([
      ['a.bin', 'image/png'],
      ['b.txt', 'application/octet-stream'],
    ]);
    expect(Buffer.from(body.files[0]?.content ?? []).equals(file)).toBe(true);
    expect(Buffer.from(body.files[1]?.content ?? []).toString()).toBe('b');
  });

  it('refuses a multipart body as it would without the thread', async () => {
    const parts = '\r\n--b\r\n\r\n'.repeat(100_000);
    await expect(
      checker.multipartOf({ rawBody: Buffer.from(parts), contentType: 'multipart/form-data; boundary=b' }),
    ).rejects.toThrow('at most 1000 parts');
  });

  it('refuses a body that its thread fails to read, and reads those that wait', async () => {
    const [failed, read] = await Promise.allSettled([
      checker.multipartOf({ rawBody: Buffer.from('--b--'), contentType: null as unknown as string }),
      checker.multipartOf({ rawBody: Buffer.from('--b--'), contentType: 'multipart/form-data; boundary=b' }),
    ]);
    expect(failed).toMatchObject({ reason: expect.any(ServiceUnavailableError) as unknown });
    expect(read).toMatchObject({ status: 'fulfilled' });
  });

  it('checks the signature of a body while the process does other work, and gives the body back', async () => {
    const signature = createHmac('sha256', 's9').update(LIST).digest('hex');
    const sender = { authType: 'github', secrets: Array.from({ length: 10 }, (_, n) => `s${n}`) } as const;
    const order: string[] = [];
    const ask = (proof: string) =>
      checker.isGenuine({
        sender,
        rawHeaders: ['X-Hub-Signature-256', proof],
        rawBody: Buffer.from(LIST),
        now: new Date(),
      });
    const asked = ask(`sha256=${signature}`).finally(() => order.push('checked'));
    setImmediate(() => order.push('other work'));

    const { isGenuine, rawBody } = await asked;
    expect({ isGenuine, order }).toEqual({ isGenuine: true, order: ['other work', 'checked'] });
    expect(rawBody.toString()).toBe(LIST);
    expect(await ask(`sha256=${signature.replace(/^./, 'g')}`)).toMatchObject({ isGenuine: false });
  });

  it('takes a body that becomes very small', async () => {
    const store = (payload: StoredPayload) => Promise.resolve(payload);
    const payload = await new LargeWebhooks(checker).store(posted(Buffer.alloc(300_000, 'x')), 'text', PROJECT, store);
    expect(payload.stored.length).toBeLessThan(4_000);
  });

  it('prepares bodies behind all else that the process has to do', async () => {
    await new LargeWebhooks(checker).store(posted(Buffer.from(LIST)), 'json', PROJECT, () => Promise.resolve());
    const priorities = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
    expect(priorities.filter((priority) => priority === constants.priority.PRIORITY_BELOW_NORMAL)).toHaveLength(1);
  });

  it('handles two at a time', async () => {
    const subject = new LargeWebhooks(checker);
    const finish: (() => void)[] = [];
    let started = 0;
    const store = () => {
      started++;
      return new Promise<void>((resolve) => finish.push(resolve));
    };
    const all = Array.from({ length: 3 }, () => subject.store(posted(Buffer.from(LIST)), 'json', PROJECT, store));
    while (finish.length < 2) await new Promise(setImmediate);
    await checker.payloadOf({ request: '{}', rawBody: Buffer.from(LIST), contentType: '', bodyKind: 'json' });
    expect(started).toBe(2);

    finish.shift()?.();
    while (finish.length < 2) await new Promise(setImmediate);
    for (const each of finish) each();
    await Promise.all(all);
  });
});
