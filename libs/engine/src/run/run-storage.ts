import type { FileRoom, JsonText, RecordedStep, StepRecord } from '@millrace/domain';

/** The bytes that are counted for each value besides its name and text: commas, quotes, and numbers or booleans. */
const ENTRY_BYTES = 4;
const MB = 1024 * 1024;

/**
 * Counts the step data that a run has stored, with the files that its steps wrote, in this claim and in earlier ones, and
 * compares it with the limit. The attempts of a step write the same files as a rule, so the attempt with most counts.
 */
export class RunStorage {
  private bytes = 0;
  /** By the paths of steps. */
  private readonly fileBytes = new Map<string, number>();

  constructor(
    private readonly mostBytes: number,
    recorded: readonly RecordedStep[],
  ) {
    for (const { path, input, output, logs, outputFile, effects } of recorded) {
      this.bytes += valueBytes([input, output, logs]) + (outputFile?.bytes ?? 0);
      this.addFiles(path, effects?.fileBytes);
    }
  }

  add({ path, input, output, outputFile, logs, references, effects }: StepRecord): void {
    if (input !== undefined) this.bytes += Buffer.byteLength(input);
    if (output !== undefined) this.bytes += Buffer.byteLength(output);
    if (outputFile) this.bytes += outputFile.bytes;
    this.addFiles(path, effects?.fileBytes);
    for (const line of logs ?? []) this.bytes += line.length;
    if (references ?? outputFile?.references) this.bytes += JSON.stringify([references, outputFile?.references]).length;
  }

  /** A record of a step has all that the step wrote, before its waits too. */
  private addFiles(path: string, bytes = 0): void {
    const counted = this.fileBytes.get(path) ?? 0;
    if (bytes <= counted) return;
    this.bytes += bytes - counted;
    this.fileBytes.set(path, bytes);
  }

  get isFull(): boolean {
    return this.bytes >= this.mostBytes;
  }

  /** Whether the run may store these texts too. */
  hasRoomFor(...texts: JsonText[]): boolean {
    // A character has at most three bytes, so most texts need not be measured.
    if (this.bytes + texts.reduce((sum, { length }) => sum + length * 3, 0) <= this.mostBytes) return true;
    return this.bytes + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= this.mostBytes;
  }

  /** How much the next attempt of a step may write to files. `before` is what the step wrote before it waited. */
  roomFor(path: string, before = 0): FileRoom {
    const again = Math.max(0, (this.fileBytes.get(path) ?? 0) - before);
    return { bytes: Math.max(0, this.mostBytes - this.bytes + again), problem: this.problem };
  }

  get problem(): string {
    const most = this.mostBytes >= MB ? `${this.mostBytes / MB} MB` : `${this.mostBytes} bytes`;
    return `The storage limit is ${most} of step data per run, and this step goes over it.`;
  }
}

/**
 * The approximate length of a value's JSON text, counted without making the text. The value may nest more deeply than
 * recursion allows, so this uses a list of what is left.
 */
function valueBytes(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    bytes += ENTRY_BYTES;
    if (typeof next === 'string') bytes += Buffer.byteLength(next);
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length;
        left.push(member);
      }
  }
  return bytes;
}
