import { randomBytes, randomUUID } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

const FLOW = webhookTrigger([
  codeStep('echo', { body: '{{trigger.body}}' }, 'export const code = ({ body }) => body;'),
]);
const MEGABYTE = 1024 * 1024;

interface Sent {
  status: number;
  headers: Headers;
  answer: { id: string; code?: string };
}

describe('the body of a webhook', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  beforeAll(async () => {
    project = await client.createProject('Bodies');
    flowId = (await client.publishFlow(project, 'Bodies', FLOW)).id;
  });

  const send = async (
    body: string | Uint8Array<ArrayBuffer> | FormData | undefined,
    headers: Record<string, string> = {},
    method = 'POST',
  ) => {
    const response = await fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}`, { method, headers, body });
    const text = await response.text();
    const answer = (text === '' ? {} : JSON.parse(text)) as Sent['answer'];
    return { status: response.status, headers: response.headers, answer };
  };
  const bytesOf = (bytes: Buffer) => new Uint8Array(bytes);
  /** What the trigger gave to the run that the answer names. */
  const outputOf = async ({ status, headers }: Sent) => {
    expect(status).toBe(200);
    const run = await client.endedRun(headers.get('x-webhook-id') ?? '');
    expect(run).toMatchObject({ status: 'SUCCEEDED' });
    const output = run.steps?.['trigger']?.output as { method: string; body: unknown; rawBody: string };
    expect(run.steps?.['echo']?.output).toEqual(output.body);
    return output;
  };
  const fileAt = async (url: unknown) => {
    const answer = await fetch(url as string);
    const [type, disposition] = ['content-type', 'content-disposition'].map((name) => answer.headers.get(name));
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), type, disposition };
  };

  it.each([
    ['JSON', 'application/json', '{"a":[1]}', { a: [1] }],
    ['JSON of a vendor', 'application/vnd.github+json', '[1]', [1]],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&a=2&b=x+y', { a: ['1', '2'], b: 'x y' }],
    ['text', 'text/plain', 'hello', 'hello'],
    ['text without a type', '', 'hello', 'hello'],
    ['XML', 'application/xml', '<a x="1"><b>&lt;2&gt;</b><b/></a>', { a: { '@_x': '1', b: ['<2>', ''] } }],
    ['XML as text', 'text/xml; charset=utf-8', '<a/>', { a: '' }],
    ['XML of a vendor', 'application/soap+xml', '<s:a xmlns:s="u"/>', { 's:a': { '@_xmlns:s': 'u' } }],
  ])('may be %s', async (_, type, text, body) => {
    const output = await outputOf(await send(bytesOf(Buffer.from(text)), type === '' ? {} : { 'content-type': type }));
    expect(output).toMatchObject({ method: 'POST', body, rawBody: text });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('comes with the method %s', async (method) => {
    const hasBody = method !== 'GET' && method !== 'OPTIONS';
    const sent = await send(
      hasBody ? '{"m":1}' : undefined,
      hasBody ? { 'content-type': 'application/json' } : {},
      method,
    );
    expect(sent.answer.id).toBe(sent.headers.get('x-webhook-id'));
    expect(await outputOf(sent)).toMatchObject({ method, body: hasBody ? { m: 1 } : {} });
  });

  it('is left out of the answer to HEAD, which starts a run too', async () => {
    expect(await outputOf(await send(undefined, {}, 'HEAD'))).toMatchObject({ method: 'HEAD', body: {}, rawBody: '' });
  });

  it.each([
    ['small', 1_000],
    ['large', 3 * MEGABYTE],
  ])('is a file when its type is any other: a %s one', async (_, size) => {
    const bytes = randomBytes(size);
    const { body, rawBody } = await outputOf(await send(bytesOf(bytes), { 'content-type': 'image/png' }));
    const file = await fileAt((body as { fileUrl: string }).fileUrl);

    expect(Object.keys(body as object)).toEqual(['fileUrl']);
    expect(rawBody).toBe('');
    expect(file).toMatchObject({ status: 200, type: 'image/png' });
    expect(file.bytes.equals(bytes)).toBe(true);
  });

  it('is a form with files, which are links to them', async () => {
    const photo = randomBytes(MEGABYTE);
    const form = new FormData();
    form.append('name', 'Ada Größe');
    form.append('tag', 'a');
    form.append('tag', 'b');
    form.append('photo', new File([bytesOf(photo)], '../../ünï.png', { type: 'image/png' }));
    form.append('notes', new File(['one'], 'one.txt', { type: 'text/plain' }));
    form.append('notes', new File(['two'], 'two.txt', { type: 'text/plain' }));
    const { body, rawBody } = await outputOf(await send(form));

    expect(body).toEqual({
      name: 'Ada Größe',
      tag: ['a', 'b'],
      photo: expect.any(String) as string,
      notes: [expect.any(String), expect.any(String)],
    });
    expect(rawBody).toBe('');
    const { photo: photoUrl, notes } = body as { photo: string; notes: string[] };
    const stored = await fileAt(photoUrl);
    expect(stored).toMatchObject({ status: 200, type: 'image/png' });
    expect(stored.disposition).toContain(encodeURIComponent('ünï.png'));
    expect(stored.disposition).not.toContain('..');
    expect(stored.bytes.equals(photo)).toBe(true);
    expect(String((await fileAt(notes[1])).bytes)).toBe('two');
  });

  it('starts one run for a file that comes twice with a key', async () => {
    const headers = { 'content-type': 'image/png', 'idempotency-key': randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => send(bytesOf(randomBytes(100)), headers)));

    expect(new Set(answers.map(({ answer }) => answer.id)).size).toBe(1);
    expect(answers.filter((each) => each.headers.get('idempotent-replayed') === 'true')).toHaveLength(2);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(200 * MEGABYTE))],
    ['br', brotliCompressSync(Buffer.alloc(200 * MEGABYTE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('may not be larger than the limit once it is decompressed: %s', async (coding, bomb) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-encoding': coding };
    expect(bomb.length).toBeLessThan(MEGABYTE);
    const { status, answer } = await send(bytesOf(bomb), headers);
    expect([status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('may be a file that comes compressed', async () => {
    const bytes = randomBytes(1_000);
    const headers = { 'content-type': 'application/pdf', 'content-encoding': 'gzip' };
    const { body } = await outputOf(await send(bytesOf(gzipSync(bytes)), headers));
    expect((await fileAt((body as { fileUrl: string }).fileUrl)).bytes.equals(bytes)).toBe(true);
  });
});
