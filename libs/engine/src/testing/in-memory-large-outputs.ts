import type { JsonText, OutputFile } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import { LargeOutputs } from '../ports/large-outputs';

/** Stores offloaded outputs in memory, by step key. */
export class InMemoryLargeOutputs extends LargeOutputs {
  readonly files = new Map<string, JsonText>();
  /** The keys of the steps whose outputs were read, in the order of the reads. */
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
