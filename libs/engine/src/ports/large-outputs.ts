import type { JsonText, OutputFile } from '@millrace/domain';
import type { RunningStep } from './code-runner';

/** Stores offloaded outputs, which are too large for the journal. An output is durable when `keep` resolves. */
export abstract class LargeOutputs {
  /** Stores an output. The same output under the same step key is stored only once. */
  abstract keep(step: RunningStep, output: JsonText): Promise<OutputFile>;
  /** Reads an output. Rejects when it was deleted. */
  abstract read(file: OutputFile): Promise<JsonText>;
}
