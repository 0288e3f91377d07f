import type { JsonText, OutputFile } from '@millrace/domain';
import type { RunningStep } from './code-runner';

/** Keeps outputs that are too large for the journal. What is kept is durable when `keep` resolves. */
export abstract class LargeOutputs {
  /** The same output, kept again under the same step key, is kept once. */
  abstract keep(step: RunningStep, output: JsonText): Promise<OutputFile>;
  /** Rejects when it was deleted. */
  abstract read(file: OutputFile): Promise<JsonText>;
}
