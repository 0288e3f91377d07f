import { isJsonObject, MAX_FILE_BYTES } from '@millrace/domain';
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

/** A file among the inputs, as the package is told of it. It asks for the content. */
interface AnnouncedFile {
  readonly path: readonly (string | number)[];
  readonly filename: string;
  readonly extension: string;
  readonly bytes: number;
}

/** The files that a call of a package gets and writes. */
export class CallFiles {
  private readonly opened: Buffer[] = [];
  private parts: Buffer[] = [];
  private written = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly files: FilesOfStep) {}

  readonly services: PackageServices = {
    'files.read': async (index, offset) => this.partOf(Number(index), Number(offset)),
    'files.part': (base64) => this.inTurn(async () => this.add(Buffer.from(String(base64), 'base64'))),
    'files.write': (name) => this.inTurn(() => this.write(String(name))),
  };

  /** The part of a request that tells of the files behind these inputs. */
  async announced(input: Input, inputs: readonly FileInput[]): Promise<{ files?: readonly AnnouncedFile[] }> {
    return inputs.length === 0 ? {} : { files: await this.open(input, inputs) };
  }

  /** Reads the files behind these inputs, and says what the package is told of them. */
  async open(input: Input, inputs: readonly FileInput[]): Promise<readonly AnnouncedFile[]> {
    const announced: AnnouncedFile[] = [];
    for (const { path, url } of inputs.flatMap((each) => urlsIn(input, each))) {
      const file = await this.files.read(url);
      if (this.opened.push(file.content) > MOST_READ || sizeOf(this.opened) > MOST_READ_BYTES)
        throw new ActionFailure(`A call of a package gets at most ${MOST_READ} files, and 50 MB of them.`);
      announced.push({ path, filename: file.name, extension: extensionOf(file), bytes: file.content.length });
    }
    return announced;
  }

  /** One file is in memory at a time, however much the package asks for at once. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined); // who asked is told of it
    return done;
  }

  private partOf(index: number, offset: number): string {
    const part = this.opened[index]?.subarray(offset, offset + PART_BYTES);
    if (!part) throw new ActionFailure('The package asks for a file that it was not given.');
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

/** The URLs behind an input, and where each stands. */
function urlsIn(input: Input, { input: name, member, key }: FileInput): { path: (string | number)[]; url: string }[] {
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

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
