import { filesOf, placeFiles } from './call-files';

const MB = 1024 * 1024;

describe('the files of a call', () => {
  it('come among the inputs, part by part', async () => {
    const content = Buffer.alloc(7 * MB, 'file');
    const asked: unknown[][] = [];
    const ask = async (...args: readonly unknown[]): Promise<unknown> => {
      asked.push([...args]);
      if (args[0] === 'files.next') return { filename: 'a.bin', extension: 'bin', bytes: content.length };
      const offset = args[1] as number;
      return content.subarray(offset, offset + 3 * MB).toString('base64');
    };

    const input = { rows: [{ file: 'https://a.test', other: 1 }] };
    await placeFiles(input, [['rows', 0, 'file']], ask);

    const file = input.rows[0]?.file as unknown as {
      filename: string;
      extension: string;
      data: Buffer;
      base64: string;
    };
    expect(input.rows[0]?.other).toBe(1);
    expect([file.filename, file.extension, file.data.equals(content)]).toEqual(['a.bin', 'bin', true]);
    expect(Buffer.from(file.base64, 'base64').equals(content)).toBe(true);
    expect(asked).toEqual([['files.next'], ...[0, 3 * MB, 6 * MB].map((offset) => ['files.read', offset])]);
  });

  it('that end too early fail the call', async () => {
    const ask = async (service: string): Promise<unknown> =>
      service === 'files.next' ? { filename: 'a', extension: '', bytes: 5 } : '';

    await expect(placeFiles({}, [['file']], ask)).rejects.toThrow('ends too early');
  });

  it('are written one after another, part by part', async () => {
    const asked: string[] = [];
    const ask = async (service: string, ...args: readonly unknown[]): Promise<unknown> => {
      asked.push(service === 'files.part' ? `part ${String(args[0]).length}` : `write ${String(args[0])}`);
      return `https://files.test/${String(args[0])}`;
    };
    const files = filesOf(ask);

    const urls = await Promise.all([
      files.write({ fileName: 'a', data: Buffer.alloc(4 * MB) }),
      files.write({ fileName: 'b', data: Buffer.alloc(3) }),
    ]);

    expect(urls).toEqual(['https://files.test/a', 'https://files.test/b']);
    expect(asked).toEqual([`part ${4 * MB}`, 'part 1398104', 'write a', 'part 4', 'write b']);
    expect(() => files.write({ fileName: 'c', data: 'text' })).toThrow('are a Buffer');
  });
});
