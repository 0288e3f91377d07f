import type { JsonText, RecordedStep, StepRecord } from '@millrace/domain';

/** An entry of a list or a map takes a few bytes besides its name and value; so does a value that is no text. */
const ENTRY_BYTES = 4;
const MB = 1024 * 1024;

/** How much step data a run has stored, in this claim and in earlier ones, against its limit. */
export class RunStorage {
  private bytes = 0;

  constructor(
    private readonly mostBytes: number,
    recorded: readonly RecordedStep[],
  ) {
    for (const { input, output, logs, outputFile } of recorded)
      this.bytes += valueBytes([input, output, logs]) + (outputFile?.bytes ?? 0);
  }

  add({ input, output, outputFile, logs }: StepRecord): void {
    if (input !== undefined) this.bytes += Buffer.byteLength(input);
    if (output !== undefined) this.bytes += Buffer.byteLength(output);
    if (outputFile) this.bytes += outputFile.bytes;
    for (const line of logs ?? []) this.bytes += line.length;
  }

  get isFull(): boolean {
    return this.bytes >= this.mostBytes;
  }

  /** Whether the run may store these texts besides what it has. */
  hasRoomFor(...texts: JsonText[]): boolean {
    // No text has more bytes than this, so most need not be measured.
    if (this.bytes + texts.reduce((sum, { length }) => sum + length * 3, 0) <= this.mostBytes) return true;
    return this.bytes + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= this.mostBytes;
  }

  get problem(): string {
    const most = this.mostBytes >= MB ? `${this.mostBytes / MB} MB` : `${this.mostBytes} bytes`;
    return `The storage limit is ${most} of step data per run, and this step goes over it.`;
  }
}

/** About the length of a value's JSON text, without making the text. It may nest more deeply than calls can. */
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
