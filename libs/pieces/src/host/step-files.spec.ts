import { MAX_FILE_BYTES, OutboundHttp, type OutboundAnswer, type OutboundRequest } from '@millrace/domain';
import { RecordingFiles } from '../testing/recording-files';
import { RUN } from '../testing/a-piece-host';
import { extensionOf, FileBudget, filesOfStep } from './step-files';

class AnsweringHttp extends OutboundHttp {
  readonly requests: OutboundRequest[] = [];

  constructor(private readonly answer: Partial<OutboundAnswer>) {
    super();
  }

  override async send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.requests.push(request);
    return { status: 200, headers: {}, body: Buffer.from('hello'), ...this.answer };
  }
}

function setUp(answer: Partial<OutboundAnswer> = {}) {
  const [stored, http] = [new RecordingFiles(), new AnsweringHttp(answer)];
  return { stored, http, files: filesOfStep(RUN, stored, http) };
}

describe('the files of a step', () => {
  it.each([
    ['data:text/plain;base64,aGVsbG8=', 'file.txt', 'hello'],
    ['data:image/png;base64,aGVsbG8=', 'file.png', 'hello'],
    ['data:;base64,aGVsbG8=', 'file.txt', 'hello'],
    ['data:text/plain;charset=utf-8,hello%20you', 'file.txt', 'hello you'],
    ['data:application/x-unknown,a%ZZ', 'file', 'a%ZZ'],
  ])('are read from a data URL (%s)', async (url, name, content) => {
    const { files, http } = setUp();

    expect(await files.read(url)).toEqual({ name, content: Buffer.from(content) });
    expect(http.requests).toEqual([]);
  });

  it.each([
    ['https://files.test/a/My%20report.PDF?x=1', '', 'My report.PDF', 'pdf'],
    ['https://files.test/a/photo', 'image/jpeg; q=1', 'photo.jpg', 'jpg'],
    ['https://files.test/', 'what/ever', 'file', ''],
  ])('are read from another server (%s)', async (url, contentType, name, extension) => {
    const { files, http } = setUp({ headers: { 'content-type': contentType } });

    const file = await files.read(url);

    expect(file).toEqual({ name, content: Buffer.from('hello') });
    expect(extensionOf(file)).toBe(extension);
    expect(http.requests).toMatchObject([{ method: 'GET', url, maxAnswerBytes: MAX_FILE_BYTES }]);
  });

  it('are none when the server refuses', async () => {
    const { files } = setUp({ status: 404 });

    await expect(files.read('https://files.test/a')).rejects.toThrow('its server answered 404');
  });

  it('are written to the run, and read by their links without a request', async () => {
    const { files, stored, http } = setUp();

    const url = await files.write({ name: 'a.txt', content: Buffer.from('kept') });

    expect(await files.read(url)).toEqual({ name: 'a.txt', content: Buffer.from('kept') });
    expect(stored.written).toMatchObject([{ step: RUN }]);
    expect(http.requests).toEqual([]);
  });

  it('are written as long as there is room for them', async () => {
    const { stored, http } = setUp();
    const files = filesOfStep(
      RUN,
      stored,
      http,
      new FileBudget({ bytes: 10, problem: 'The storage limit is 10 bytes.' }),
    );
    const write = (bytes: number) => files.write({ name: 'a', content: Buffer.alloc(bytes) });

    const written = await Promise.allSettled([write(6), write(5), write(4), write(1)]);

    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(written[1]).toMatchObject({ reason: { message: 'The storage limit is 10 bytes.' } });
    expect(stored.written).toHaveLength(2);
  });

  it('are not larger than the bound, and no URL of another form', async () => {
    const { files, stored } = setUp();

    const tooLarge = Buffer.alloc(MAX_FILE_BYTES + 1);
    await expect(files.write({ name: 'a', content: tooLarge })).rejects.toThrow('more than 25 MB');
    await expect(files.read(`data:,${'x'.repeat(MAX_FILE_BYTES + 1)}`)).rejects.toThrow('more than 25 MB');
    await expect(files.read('data:nothing')).rejects.toThrow('A data URL is malformed.');
    expect(stored.written).toEqual([]);
  });
});
