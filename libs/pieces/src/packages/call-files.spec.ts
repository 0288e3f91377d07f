import { MAX_FILE_BYTES, type FileInHand } from '@millrace/domain';
import { CallFiles } from './call-files';

const nextTurn = () => new Promise(setImmediate);

const MB = 1024 * 1024;

function setUp(bytes = 4) {
  const written: FileInHand[] = [];
  const underWay = { now: 0, most: 0 };
  const content = Buffer.alloc(bytes, 'abc');
  const files = new CallFiles({
    read: async (url) => ({ name: url.slice(url.lastIndexOf('/') + 1), content }),
    write: async (file) => {
      underWay.most = Math.max(underWay.most, ++underWay.now);
      await nextTurn();
      underWay.now--;
      return `https://files.test/${written.push(file)}`;
    },
  });
  const ask = async (service: string, ...args: unknown[]): Promise<unknown> => files.services[service]?.(...args);
  return { files, written, underWay, content, ask };
}

describe('the files of a call of a package', () => {
  it('are announced by their places among the inputs, and read in parts', async () => {
    const { files, content, ask } = setUp(4 * MB);
    const input = {
      file: 'https://a.test/one.PDF',
      rows: [{ photo: 'https://a.test/two' }, { photo: '' }, 5],
      no: null,
    };

    const announced = await files.open(input, [{ input: 'file' }, { input: 'rows', member: 'photo' }, { input: 'no' }]);

    expect(announced).toEqual([
      { path: ['file'], filename: 'one.PDF', extension: 'pdf', bytes: 4 * MB },
      { path: ['rows', 0, 'photo'], filename: 'two', extension: '', bytes: 4 * MB },
    ]);
    const parts = [await ask('files.read', 1, 0), await ask('files.read', 1, 3 * MB)];
    expect(Buffer.concat(parts.map((part) => Buffer.from(String(part), 'base64'))).equals(content)).toBe(true);
    await expect(ask('files.read', 2, 0)).rejects.toThrow('that it was not given');
  });

  it('are bounded in number and size', async () => {
    const rows = Array.from({ length: 51 }, () => ({ file: 'https://a.test/a' }));

    await expect(setUp().files.open({ rows }, [{ input: 'rows', member: 'file' }])).rejects.toThrow('50 files');
    await expect(
      setUp(MAX_FILE_BYTES).files.open({ rows: rows.slice(0, 3) }, [{ input: 'rows', member: 'file' }]),
    ).rejects.toThrow('50 MB');
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
