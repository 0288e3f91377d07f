import { ServiceUnavailableError, type HiddenValues, type JsonText, type OutputFile } from '@millrace/domain';
import type { ExecutionPorts } from '../ports/execution-ports';

/** Why the reader stopped reading for a step. */
export type ReadingProblem = { kind: 'failed'; message: string } | { kind: 'aborted' };

/** Reads offloaded outputs for the input of one step, and counts how many bytes of them are held at once. */
export class OutputReader {
  problem: ReadingProblem | null = null;
  private bytesHeld = 0;

  constructor(
    private readonly ports: Pick<ExecutionPorts, 'largeOutputs' | 'limits'>,
    private readonly signal: AbortSignal,
    private readonly hidden: HiddenValues,
  ) {}

  /**
   * Reads an offloaded output. Null when it cannot be read; `problem` says why. Rejects with ServiceUnavailableError
   * when its store is out of reach.
   */
  async read(stepName: string, file: OutputFile): Promise<JsonText | null> {
    const { largeOutputs } = this.ports;
    try {
      if (largeOutputs) return this.revealed(file, await largeOutputs.read(file));
    } catch (error) {
      if (this.signal.aborted) return this.give({ kind: 'aborted' });
      if (error instanceof ServiceUnavailableError) throw error;
    }
    const message = `The output of the step "${stepName}" is in a file that can no longer be read.`;
    return this.give({ kind: 'failed', message });
  }

  private revealed({ references }: OutputFile, text: JsonText): JsonText {
    return references ? this.hidden.reveal({ text, references }) : text;
  }

  /** Counts bytes as held. False when the step then holds more than `bytesReadAtOnce`; `problem` says so. */
  mayHold(bytes: number): boolean {
    this.bytesHeld += bytes;
    const most = this.ports.limits.bytesReadAtOnce;
    if (this.bytesHeld > most) {
      const message = `The step reads more than ${most} bytes of large outputs at once, which is the limit.`;
      this.give({ kind: 'failed', message });
    }
    return this.bytesHeld <= most;
  }

  /** Counts bytes as no longer held. */
  release(bytes: number): void {
    this.bytesHeld -= bytes;
  }

  private give(problem: ReadingProblem): null {
    this.problem = problem;
    return null;
  }
}
