import { MAX_FILE_BYTES, type FileInHand } from '@millrace/domain';
import { ActionFailure, type ActionContext } from '../framework/piece';
import { extensionOf } from '../host/step-files';
import type { PackageServices } from './package-calls';

/** Files go to and from packages in parts, because a message to a package has a bound. */
const PART_BYTES = 3 * 1024 * 1024;
const MOST_WRITTEN = 100;

type Input = Readonly<Record<string, unknown>>;

/** A file among the inputs, as the package is told of it. It asks for the content. */
interface AnnouncedFile {
  readonly filename: string;
  readonly extension: string;
  readonly bytes: number;
}

/** The files that a call of a package gets and writes. */
export class CallFiles {
  private readonly opened = new Map<string, FileInHand>();
  private parts: Buffer[] = [];
  private written = 0;

  constructor(private readonly context: Pick<ActionContext<unknown>, 'files'>) {}

  readonly services: PackageServices = {
    'files.read': (input, offset) => Promise.resolve(this.partOf(String(input), Number(offset))),
    'files.part': async (base64) => this.add(Buffer.from(String(base64), 'base64')),
    'files.write': (name) => this.write(String(name)),
  };

  /** Reads the files behind these inputs, and says what the package is told of them. */
  async open(input: Input, names: readonly string[]): Promise<Readonly<Record<string, AnnouncedFile>>> {
    for (const name of names) {
      const url = input[name];
      if (typeof url === 'string') this.opened.set(name, await this.context.files.read(url));
    }
    const announced = Array.from(this.opened, ([input, file]) => {
      return [input, { filename: file.name, extension: extensionOf(file), bytes: file.content.length }] as const;
    });
    return Object.fromEntries(announced);
  }

  private partOf(input: string, offset: number): string {
    const part = this.opened.get(input)?.content.subarray(offset, offset + PART_BYTES);
    if (!part) throw new ActionFailure('The package asks for a file that it was not given.');
    return part.toString('base64');
  }

  private add(part: Buffer): void {
    const bytes = this.parts.reduce((sum, { length }) => sum + length, part.length);
    if (bytes <= MAX_FILE_BYTES) return void this.parts.push(part);
    this.parts = [];
    throw new ActionFailure(`A file that a package writes has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
  }

  private async write(name: string): Promise<string> {
    const content = Buffer.concat(this.parts);
    this.parts = [];
    if (++this.written > MOST_WRITTEN) throw new ActionFailure(`A call of a package may write ${MOST_WRITTEN} files.`);
    return this.context.files.write({ name, content });
  }
}
