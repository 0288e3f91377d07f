import type { AnnouncedFile, Ask } from './requests';

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

/** Puts the files that were announced among the inputs, which came with this call. The worker has their content. */
export async function placeFiles(input: unknown, files: readonly AnnouncedFile[], ask: Ask): Promise<void> {
  for (const [index, file] of files.entries()) {
    const holder = file.path.slice(0, -1).reduce((value, key) => (value as Members)[key], input) as Members;
    holder[file.path.at(-1) ?? ''] = await fileOf(index, file, ask);
  }
}

type Members = Record<string | number, unknown>;

async function fileOf(
  index: number,
  { path, filename, extension, bytes }: AnnouncedFile,
  ask: Ask,
): Promise<PieceFile> {
  const data = Buffer.alloc(bytes);
  for (let offset = 0; offset < bytes;) {
    const copied = data.write(String(await ask('files.read', index, offset)), offset, 'base64');
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
