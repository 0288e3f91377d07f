import {
  FileLinks,
  payloadText,
  RateLimitedError,
  ServiceUnavailableError,
  type Acceptance,
  type IntakeGate,
  type NewFile,
  type WebhookPayload,
} from '@millrace/domain';
import { anId, InMemoryFileStore } from '@millrace/domain/testing';
import { aMultipartBody } from '../testing/a-multipart-body';
import { PUBLIC_URL, withoutThread } from '../testing/payloads-for';
import { WebhookFiles } from './webhook-files';
import type { InboundRequest } from './webhook-payload';

class RememberingStore extends InMemoryFileStore {
  readonly written: NewFile[] = [];
  /** The file whose write fails, by its place; undefined: none. */
  failingAt: number | undefined;

  override write(file: NewFile, content: Iterable<Uint8Array>) {
    if (this.written.length === this.failingAt) return Promise.reject(new ServiceUnavailableError('No storage.'));
    this.written.push(file);
    return super.write(file, content);
  }

  async left(): Promise<string[]> {
    const found = await Promise.all(this.written.map(({ id }) => this.find(id, 'any')));
    return found.flatMap((file) => (file ? [file.name] : []));
  }
}

const RUN = { id: anId(), projectId: anId() };
const ACCEPTED: Acceptance = { runId: RUN.id, replayed: false };

const posted = (rawBody: Buffer, type: string): InboundRequest => ({
  method: 'POST',
  headers: { 'content-type': type },
  queryParams: {},
  rawBody,
});
const photos = async (): Promise<InboundRequest> => {
  const { rawBody, contentType } = await aMultipartBody([
    ['name', 'Ada'],
    ['photo', new File(['1'], '../../one.png', { type: 'image/png' })],
    ['photo', new File(['2'], 'two.png', { type: 'image/png' })],
  ]);
  return posted(rawBody, contentType);
};

function setUp(gate?: IntakeGate) {
  const store = new RememberingStore();
  const links = new FileLinks(PUBLIC_URL, async () => Buffer.alloc(32, 7));
  return { store, links, files: new WebhookFiles(store, links, withoutThread, gate) };
}

describe('WebhookFiles', () => {
  it('stores a body of another type as a file, and gives the trigger a link to it', async () => {
    const { store, links, files } = setUp();
    const request = posted(Buffer.from([0, 255]), 'image/png');
    const accept = jest.fn<Promise<Acceptance>, [WebhookPayload]>(() => Promise.resolve(ACCEPTED));

    expect(await files.accept(request, 'file', RUN, accept as never)).toBe(ACCEPTED);

    const [file] = store.written;
    expect(file).toMatchObject({
      projectId: RUN.projectId,
      runId: RUN.id,
      name: 'file',
      contentType: 'image/png',
      bytes: 2,
    });
    const output = JSON.parse(payloadText(accept.mock.calls[0]?.[0] as WebhookPayload)) as {
      body: { fileUrl: string };
    };
    expect(output).toMatchObject({ method: 'POST', rawBody: '', body: { fileUrl: expect.any(String) as string } });
    const url = new URL(output.body.fileUrl);
    expect(url.href.startsWith(`${PUBLIC_URL}/api/v1/files/${file?.id}?`)).toBe(true);
    const proof = { expires: url.searchParams.get('expires'), signature: url.searchParams.get('signature') };
    await links.check(file?.id ?? '', proof, new Date());
  });

  it('stores the files of a form before its run is accepted', async () => {
    const { store, files } = setUp();
    let body: unknown;

    await files.accept(await photos(), 'multipart', RUN, async (payload) => {
      expect(await store.left()).toEqual(['one.png', 'two.png']);
      ({ body } = JSON.parse(payloadText(payload as WebhookPayload)) as { body: unknown });
      return ACCEPTED;
    });

    const linkTo = (n: number) => expect.stringContaining(`/api/v1/files/${store.written[n]?.id}?`) as string;
    expect(body).toEqual({ name: 'Ada', photo: [linkTo(0), linkTo(1)] });
    expect(await store.left()).toHaveLength(2);
  });

  it.each<[string, () => Promise<Acceptance>]>([
    ['is refused', () => Promise.reject(new RateLimitedError(1))],
    ['cannot be stored', () => Promise.reject(new ServiceUnavailableError('No database.'))],
    ['is the run of an earlier request', () => Promise.resolve({ runId: anId(), replayed: true })],
  ])('deletes the files when their run %s', async (_, accept) => {
    const { store, files } = setUp();
    await files.accept(await photos(), 'multipart', RUN, accept).catch(() => undefined);

    expect(store.written).toHaveLength(2);
    expect(await store.left()).toEqual([]);
  });

  it('keeps the files when it is unknown whether their run exists', async () => {
    const { store, files } = setUp();
    const unknown = new ServiceUnavailableError('Who knows.', 5, { flowRunId: RUN.id });

    await expect(files.accept(await photos(), 'multipart', RUN, () => Promise.reject(unknown))).rejects.toBe(unknown);

    expect(await store.left()).toHaveLength(2);
  });

  it('accepts no run when a file cannot be stored, and deletes the files before', async () => {
    const { store, files } = setUp();
    store.failingAt = 1;
    const accept = jest.fn();

    await expect(files.accept(await photos(), 'multipart', RUN, accept)).rejects.toThrow('No storage.');

    expect(accept).not.toHaveBeenCalled();
    expect(store.written).toHaveLength(1);
    expect(await store.left()).toEqual([]);
  });

  it('stores the files of another project before more files of a project that keeps it busy', async () => {
    const { files } = setUp();
    const began: string[] = [];
    const ends: (() => void)[] = [];
    const send = (name: string, projectId: string) =>
      files.accept(posted(Buffer.from([0]), 'image/png'), 'file', { ...RUN, projectId }, async () => {
        began.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return ACCEPTED;
      });
    const all = [send('a1', 'a'), send('a2', 'a'), send('a3', 'a'), send('a4', 'a'), send('b1', 'b')];

    for (let n = 0; n < all.length; n++) {
      while (ends.length === 0) await new Promise(setImmediate);
      ends.shift()?.();
    }
    await Promise.all(all);
    expect(began).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('stores nothing for a project that has to wait, or of a body that is malformed', async () => {
    const gate = {
      admit: () => {
        throw new RateLimitedError(5);
      },
    } as unknown as IntakeGate;
    const waiting = setUp(gate);
    await expect(waiting.files.accept(await photos(), 'multipart', RUN, jest.fn())).rejects.toThrow(RateLimitedError);
    expect(waiting.store.written).toEqual([]);

    const { store, files } = setUp();
    const request = await photos();
    const cut = { ...request, rawBody: request.rawBody.subarray(0, -10) };
    await expect(files.accept(cut, 'multipart', RUN, jest.fn())).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(store.written).toEqual([]);
  });
});
