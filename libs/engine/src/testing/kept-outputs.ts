import type { JsonText, OutputFile } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import { LargeOutputs } from '../ports/large-outputs';

/** Keeps outputs in memory, under their step's key. */
export class KeptOutputs extends LargeOutputs {
  readonly files = new Map<string, JsonText>();
  /** Keys of the steps whose outputs were read, in their order. */
  readonly reads: string[] = [];

  async keep({ stepKey }: RunningStep, output: JsonText): Promise<OutputFile> {
    this.files.set(stepKey, output);
    return { fileId: stepKey, bytes: Buffer.byteLength(output) };
  }

  async read({ fileId }: OutputFile): Promise<JsonText> {
    this.reads.push(fileId);
    const text = this.files.get(fileId);
    if (text === undefined) throw new Error('It was deleted.');
    return text;
  }
}
