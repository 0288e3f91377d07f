import { ServiceUnavailableError } from '@millrace/domain';
import { Sandbox, type SandboxOutcome, type SandboxTask } from '@millrace/sandbox';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** What one expression may use. A person waits for it, and looks at what it gives. */
const LIMITS = { memoryMb: 64, cpuMs: 250, outputBytes: 1024 * 1024 };
/** A sandbox that nobody has used for so long gives its threads and its memory back. */
export const UNUSED_MS = 5 * 60_000;
const RETRY_SECONDS = 5;

type OpenSandbox = Pick<Sandbox, 'run' | 'close'>;

/**
 * The sandbox of the api, for expressions that people write. It has one thread, which starts with the first expression
 * and ends when none came for a while, because most apis seldom need it.
 */
@Injectable()
export class EvaluationSandbox implements OnApplicationShutdown {
  private opening: Promise<OpenSandbox> | null = null;
  private inHand = 0;
  private unused: NodeJS.Timeout | undefined;

  /** Runs one expression. Rejects with ServiceUnavailableError when the sandbox cannot be started. */
  async run(task: SandboxTask, signal: AbortSignal): Promise<SandboxOutcome> {
    clearTimeout(this.unused);
    this.inHand++;
    try {
      const sandbox = await (this.opening ??= this.open());
      return await sandbox.run(task, signal);
    } finally {
      if (--this.inHand === 0) this.unused = setTimeout(() => void this.close(), UNUSED_MS).unref();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.unused);
    await this.close();
  }

  private async close(): Promise<void> {
    const { opening } = this;
    this.opening = null;
    const sandbox = await opening?.catch(() => null); // one that did not start needs no end
    await sandbox?.close();
  }

  private async open(): Promise<OpenSandbox> {
    try {
      return await this.start();
    } catch (cause) {
      this.opening = null;
      throw new ServiceUnavailableError('Expressions cannot be evaluated now.', RETRY_SECONDS, { cause });
    }
  }

  protected start(): Promise<OpenSandbox> {
    return Sandbox.start({ threads: 1, limits: LIMITS });
  }
}
