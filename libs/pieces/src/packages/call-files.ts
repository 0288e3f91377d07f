import { isJsonObject, MAX_FILE_BYTES, ServiceUnavailableError, type FileInHand } from '@millrace/domain';
import type { FilesOfStep } from '../framework/files';
import { ActionFailure } from '../framework/piece';
import { extensionOf } from '../host/step-files';
import type { PackageServices } from './package-calls';

/** Files go to and from packages in parts, because a message to a package has a bound. */
const PART_BYTES = 3 * 1024 * 1024;
const MOST_WRITTEN = 100;
const MOST_READ = 50;
const MOST_READ_BYTES = 2 * MAX_FILE_BYTES;

type Input = Readonly<Record<string, unknown>>;

/** An input that is a file, or that is a list of objects of which a member is one, or an object of which `key` is one. */
export interface FileInput {
  readonly input: string;
  readonly member?: string;
  readonly key?: string;
}

/** Where a file belongs among the inputs. */
type FilePath = readonly (string | number)[];

interface FileAmongInputs {
  readonly path: FilePath;
  readonly url: string;
}

/** A file as the package is told of it. It asks for the content. */
interface OpenedFile {
  readonly filename: string;
  readonly extension: string;
  readonly bytes: number;
}

const NOTHING = Buffer.alloc(0);

/**
 * The files that a call of a package gets and writes. A file is read when the package asks for it, one after the other,
 * and let go with its last part. So a call that waits for its process has none in memory, and one that runs a single one.
 */
export class CallFiles {
  private unopened: FileAmongInputs[] = [];
  private opened: Buffer = NOTHING;
  private openedBytes = 0;
  private unread: Error | null = null;
  private readonly over = new AbortController();
  private parts: Buffer[] = [];
  private written = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly files: FilesOfStep) {}

  readonly services: PackageServices = {
    'files.next': () => this.inTurn(() => this.openNext()),
    'files.read': (offset) => this.inTurn(async () => this.partAt(Number(offset))),
    'files.part': (base64) => this.inTurn(async () => this.add(Buffer.from(String(base64), 'base64'))),
    'files.write': (name) => this.inTurn(() => this.write(String(name))),
  };

  /** The part of a request that says where files belong among the inputs. The package asks for them in this order. */
  announced(input: Input, inputs: readonly FileInput[]): { files?: readonly FilePath[] } {
    this.unopened = inputs.flatMap((each) => urlsIn(input, each));
    if (this.unopened.length > MOST_READ) throw tooMuch();
    return this.unopened.length === 0 ? {} : { files: this.unopened.map(({ path }) => path) };
  }

  /** Resolves as the call does. Rejects with what kept it from one of its files. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    try {
      const result = await call();
      if (this.unread) throw this.unread;
      return result;
    } finally {
      await this.end();
    }
  }

  /** Reads and writes no further file. Resolves when the one that is being written is stored, and none is in memory. */
  async end(): Promise<void> {
    this.over.abort(new ActionFailure('The call has ended.'));
    await this.last;
    this.opened = NOTHING;
    this.parts = [];
  }

  /** One file is in memory at a time, however much the package asks for at once. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(() => {
      this.over.signal.throwIfAborted();
      return work();
    });
    this.last = done.catch(() => undefined); // who asked is told of it
    return done;
  }

  private async openNext(): Promise<OpenedFile> {
    const next = this.unopened.shift();
    if (!next) throw new ActionFailure('The package asks for a file that it was not given.');
    try {
      this.opened = NOTHING;
      const file = await this.read(next);
      this.over.signal.throwIfAborted();
      this.openedBytes += file.content.length;
      if (this.openedBytes > MOST_READ_BYTES) throw tooMuch();
      this.opened = file.content;
      return { filename: file.name, extension: extensionOf(file), bytes: file.content.length };
    } catch (error) {
      this.unread ??= error as Error;
      throw error;
    }
  }

  /** Rejects with which input has the file that cannot be read, unless the service itself failed. */
  private async read({ url, path }: FileAmongInputs): Promise<FileInHand> {
    try {
      return await this.files.read(url, this.over.signal);
    } catch (error) {
      if (error instanceof ServiceUnavailableError || this.over.signal.aborted || !(error instanceof Error))
        throw error;
      throw new ActionFailure(`The input ${nameOf(path)}: ${error.message}`);
    }
  }

  private partAt(offset: number): string {
    const part = this.opened.subarray(offset, offset + PART_BYTES);
    if (offset + PART_BYTES >= this.opened.length) this.opened = NOTHING;
    return part.toString('base64');
  }

  private add(part: Buffer): void {
    if (sizeOf(this.parts) + part.length <= MAX_FILE_BYTES) return void this.parts.push(part);
    this.parts = [];
    throw new ActionFailure(`A file that a package writes has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
  }

  private async write(name: string): Promise<string> {
    const content = Buffer.concat(this.parts);
    this.parts = [];
    if (++this.written > MOST_WRITTEN) throw new ActionFailure(`A call of a package may write ${MOST_WRITTEN} files.`);
    return this.files.write({ name, content });
  }
}

const tooMuch = (): ActionFailure =>
  new ActionFailure(`A call of a package gets at most ${MOST_READ} files, and 50 MB of them.`);

/** The URLs behind an input, and where each stands. */
function urlsIn(input: Input, { input: name, member, key }: FileInput): FileAmongInputs[] {
  const value = input[name];
  if (key !== undefined) {
    const url = isJsonObject(value) ? value[key] : undefined;
    return typeof url === 'string' && URL.canParse(url) ? [{ path: [name, key], url }] : [];
  }
  if (member === undefined) return typeof value === 'string' ? [{ path: [name], url: value }] : [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => {
    const url = isJsonObject(item) ? item[member] : undefined;
    return typeof url === 'string' && URL.canParse(url) ? [{ path: [name, index, member], url }] : [];
  });
}

/** A path as problems of inputs name it, for example `items[1].photo`. */
const nameOf = ([input, ...rest]: FilePath): string =>
  rest.reduce<string>((name, key) => name + (typeof key === 'number' ? `[${key}]` : `.${key}`), String(input));

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
