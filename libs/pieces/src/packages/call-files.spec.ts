import { MAX_FILE_BYTES, ServiceUnavailableError, type FileInHand } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';
import { CallFiles } from './call-files';

const nextTurn = () => new Promise(setImmediate);
const nextMicrotask = () => Promise.resolve();

const MB = 1024 * 1024;

function setUp(bytes = 4) {
  const written: FileInHand[] = [];
  const read: string[] = [];
  const underWay = { now: 0, most: 0 };
  const content = Buffer.alloc(bytes, 'abc');
  const files = new CallFiles({
    read: async (url) => {
      read.push(url);
      return { name: url.slice(url.lastIndexOf('/') + 1), content };
    },
    write: async (file) => {
      underWay.most = Math.max(underWay.most, ++underWay.now);
      await nextTurn();
      underWay.now--;
      return `https://files.test/${written.push(file)}`;
    },
  });
  const ask = async (service: string, ...args: unknown[]): Promise<unknown> => files.services[service]?.(...args);
  return { files, read, written, underWay, content, ask };
}

describe('the files of a call of a package', () => {
  it('are announced by their places among the inputs, and read in parts when it asks for them', async () => {
    const { files, read, content, ask } = setUp(4 * MB);
    const input = {
      file: 'https://a.test/one.PDF',
      rows: [{ photo: 'https://a.test/two' }, { photo: '' }, 5],
      no: null,
    };

    const inputs = [{ input: 'file' }, { input: 'rows', member: 'photo' }, { input: 'no' }];
    expect(files.announced(input, inputs)).toEqual({ files: [['file'], ['rows', 0, 'photo']] });
    expect(read).toEqual([]);

    expect(await ask('files.next')).toEqual({ filename: 'one.PDF', extension: 'pdf', bytes: 4 * MB });
    expect(read).toEqual(['https://a.test/one.PDF']);
    expect(await ask('files.next')).toEqual({ filename: 'two', extension: '', bytes: 4 * MB });
    const parts = [await ask('files.read', 0), await ask('files.read', 3 * MB)];
    expect(Buffer.concat(parts.map((part) => Buffer.from(String(part), 'base64'))).equals(content)).toBe(true);
    await expect(ask('files.next')).rejects.toThrow('that it was not given');
  });

  it('are read one after the other, and each is let go with its last part', async () => {
    const { files, ask } = setUp(4 * MB);
    files.announced({ a: 'https://a.test/a', b: 'https://a.test/b' }, [{ input: 'a' }, { input: 'b' }]);

    await Promise.all([ask('files.next'), ask('files.next')]);

    expect(await ask('files.read', 3 * MB)).toHaveLength(Math.ceil(MB / 3) * 4);
    expect(await ask('files.read', 0)).toBe('');
  });

  it('are bounded in number and size', async () => {
    const rows = Array.from({ length: 51 }, () => ({ file: 'https://a.test/a' }));
    const inputs = [{ input: 'rows', member: 'file' }];
    const { files, ask } = setUp(MAX_FILE_BYTES);

    expect(() => files.announced({ rows }, inputs)).toThrow('50 files');
    files.announced({ rows: rows.slice(0, 3) }, inputs);
    for (let file = 0; file < 2; file++) await ask('files.next');
    await expect(ask('files.next')).rejects.toThrow('50 MB');
  });

  it('fail the call with the reason for which they cannot be read, whatever the package makes of it', async () => {
    const away = new ServiceUnavailableError('The database is away.', 1);
    const files = new CallFiles({ read: () => Promise.reject(away), write: async () => '' });
    files.announced({ a: 'https://a.test/a' }, [{ input: 'a' }]);

    const called = files.during(async () => files.services['files.next']?.().catch(() => 'no file'));

    await expect(called).rejects.toBe(away);
  });

  it.each([
    [{ input: 'rows', member: 'photo' }, 'rows[1].photo'],
    [{ input: 'one' }, 'one'],
    [{ input: 'more', key: 'doc' }, 'more.doc'],
  ])('name the input whose file cannot be read: %j', async (input, name) => {
    const reason = 'The file of a URL cannot be read: its server answered 404.';
    const files = new CallFiles({ read: () => Promise.reject(new ActionFailure(reason)), write: async () => '' });
    const url = 'https://a.test/a';
    files.announced({ rows: [{}, { photo: url }], one: url, more: { doc: url } }, [input]);

    const called = files.during(async () => files.services['files.next']?.());

    await expect(called).rejects.toThrow(`The input ${name}: ${reason}`);
  });

  it('are read no more when the call has ended', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const read = (_url: string, signal?: AbortSignal) => {
      signals.push(signal);
      return new Promise<FileInHand>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    const files = new CallFiles({ read, write: async () => '' });
    files.announced({ a: 'https://a.test/a' }, [{ input: 'a' }]);

    let asked: Promise<unknown> | undefined;
    const answer = await files.during(async () => {
      asked = files.services['files.next']?.();
      await nextTurn();
      return 'The piece reached its time limit.';
    });

    expect(answer).toBe('The piece reached its time limit.');
    expect(signals).toMatchObject([{ aborted: true }]);
    await expect(asked).rejects.toThrow('The call has ended.');
  });

  it('that a package writes are put together from parts', async () => {
    const { written, ask } = setUp();

    for (const part of ['hello ', 'you']) await ask('files.part', Buffer.from(part).toString('base64'));
    expect(await ask('files.write', 'a.txt')).toBe('https://files.test/1');
    expect(await ask('files.write', 'empty')).toBe('https://files.test/2');

    expect(written.map(({ name, content }) => [name, String(content)])).toEqual([
      ['a.txt', 'hello you'],
      ['empty', ''],
    ]);
  });

  it('that a package writes at once are stored one after another', async () => {
    const { written, underWay, ask } = setUp();
    const asked = ['a', 'b', 'c'].flatMap((name) => [
      ask('files.part', Buffer.from(`of ${name}`).toString('base64')),
      ask('files.write', name),
    ]);

    await Promise.all(asked);

    expect(underWay.most).toBe(1);
    expect(written.map(({ name, content }) => [name, String(content)])).toEqual([
      ['a', 'of a'],
      ['b', 'of b'],
      ['c', 'of c'],
    ]);
  });

  it('that a package still writes when it has ended are stored, and those behind them are not', async () => {
    const { files, written, ask } = setUp();

    const asked = [ask('files.write', 'under way'), ask('files.part', ''), ask('files.write', 'behind')];
    const endings = Promise.allSettled(asked);
    await nextMicrotask();
    await files.end();

    expect(written.map(({ name }) => name)).toEqual(['under way']);
    expect((await endings).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('that a package writes have a bound', async () => {
    const { written, ask } = setUp();
    const part = Buffer.alloc(13 * MB).toString('base64');

    await ask('files.part', part);
    await expect(ask('files.part', part)).rejects.toThrow('more than 25 MB');
    for (let file = 0; file < 100; file++) await ask('files.write', 'a');
    await expect(ask('files.write', 'a')).rejects.toThrow('100 files');
    expect(written).toHaveLength(100);
  });
});
