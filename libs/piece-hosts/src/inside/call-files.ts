import type { Ask, FilePath } from './requests';

/** A message to the worker has a bound, so files go in parts. */
const PART_BYTES = 3 * 1024 * 1024;

/** A file as packages expect it among their inputs. */
class PieceFile {
  constructor(
    readonly filename: string,
    readonly data: Buffer,
    readonly extension: string,
  ) {}

  get base64(): string {
    return this.data.toString('base64');
  }
}

/** A file that the worker has at hand. */
interface OpenedFile {
  readonly filename: string;
  readonly extension: string;
  readonly bytes: number;
}

/** Puts the files among the inputs, which came with this call. The worker reads one after the other when it is asked. */
export async function placeFiles(input: unknown, paths: readonly FilePath[], ask: Ask): Promise<void> {
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce((value, key) => (value as Members)[key], input) as Members;
    holder[path.at(-1) ?? ''] = await nextFile(path, ask);
  }
}

type Members = Record<string | number, unknown>;

async function nextFile(path: FilePath, ask: Ask): Promise<PieceFile> {
  const { filename, extension, bytes } = (await ask('files.next')) as OpenedFile;
  const data = Buffer.alloc(bytes);
  for (let offset = 0; offset < bytes;) {
    const copied = data.write(String(await ask('files.read', offset)), offset, 'base64');
    if (copied === 0) throw new Error(`The file of the input ${path.join('.')} ends too early.`);
    offset += copied;
  }
  return new PieceFile(filename, data, extension);
}

/** Files that packages write, one after another. They get a URL under which a file can be read. */
export function filesOf(ask: Ask) {
  let last: Promise<unknown> = Promise.resolve();
  const send = async (name: string, data: Buffer): Promise<unknown> => {
    for (let start = 0; start < data.length; start += PART_BYTES)
      await ask('files.part', data.subarray(start, start + PART_BYTES).toString('base64'));
    return ask('files.write', name);
  };
  return {
    write: ({ fileName, data }: { fileName: unknown; data: unknown }): Promise<unknown> => {
      if (!Buffer.isBuffer(data)) throw new Error('The data of a file are a Buffer.');
      const written = last.then(() => send(String(fileName), data));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
