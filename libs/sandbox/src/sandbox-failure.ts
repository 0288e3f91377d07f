import type { SandboxLimits } from './limits';

/** How a step ended. A failure is a value, so an exception of guest code never passes through the caller. */
export type SandboxOutcome =
  /** `memoryWasRefused`: the guest asked for more memory than its limit and continued without it. */
  | { kind: 'value'; output: string; logs: string[]; cpuMs: number; memoryWasRefused?: true }
  | { kind: 'failure'; failure: SandboxFailure; logs: string[]; cpuMs: number };

export type SandboxFailureKind =
  | 'threw'
  | 'cpu-time'
  | 'wall-time'
  | 'sleep-time'
  | 'memory'
  | 'output-size'
  | 'never-settles'
  | 'source'
  | 'aborted'
  | 'crashed';

export interface SandboxFailure {
  kind: SandboxFailureKind;
  /** One sentence that names the cause; at most 64 KiB. */
  message: string;
  /**
   * These describe a thrown error: its name, and where in the author's source it was thrown. Without a source map the
   * position is that in the script. Line and column count from 1.
   */
  name?: string;
  stack?: string;
  line?: number;
  column?: number;
}

export const failures = {
  cpuTime: (limits: SandboxLimits): SandboxFailure => ({
    kind: 'cpu-time',
    message: `The code ran longer than the CPU time limit of ${limits.cpuMs / 1000} s.`,
  }),
  wallTime: (limits: SandboxLimits): SandboxFailure => ({
    kind: 'wall-time',
    message: `The code ran and slept longer than the wall time limit of ${(limits.wallMs ?? 0) / 1000} s.`,
  }),
  sleepTime: (limits: SandboxLimits): SandboxFailure => ({
    kind: 'sleep-time',
    message: `The code slept longer than the sleep limit of ${limits.sleepMs / 1000} s. The delay piece waits for any time.`,
  }),
  memory: (limits: SandboxLimits): SandboxFailure => ({
    kind: 'memory',
    message: `The code needed more than the memory limit of ${limits.memoryMb} MB.`,
  }),
  outputSize: (limits: SandboxLimits): SandboxFailure => ({
    kind: 'output-size',
    message: `The code returned more than the output size limit of ${limits.outputBytes} bytes.`,
  }),
  neverSettles: (): SandboxFailure => ({
    kind: 'never-settles',
    message: 'The code awaits a promise that nothing can settle.',
  }),
  source: (message: string): SandboxFailure => ({ kind: 'source', message }),
  aborted: (): SandboxFailure => ({ kind: 'aborted', message: 'The step was stopped before it ended.' }),
  closed: (): SandboxFailure => ({ kind: 'aborted', message: 'The sandbox was closed before the step ended.' }),
  crashed: (): SandboxFailure => ({
    kind: 'crashed',
    message: 'The code broke its interpreter, most likely by recursing too deeply.',
  }),
};
