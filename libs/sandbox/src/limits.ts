/** What one step may use. Every bound is per step, whatever else runs on the same thread. */
export interface SandboxLimits {
  /** Most memory of the step's interpreter, in MB: its own WebAssembly memory cannot grow past it. */
  memoryMb: number;
  /** Most CPU time of guest code, in ms: what its thread uses, whatever else the machine does meanwhile. */
  cpuMs: number;
  /** Longest time that a step may sleep in total. */
  sleepMs: number;
  /** Longest time from start to end, sleeps included. */
  wallMs?: number;
  /** Longest output, in bytes of JSON text. */
  outputBytes: number;
  /** Most lines of console output kept, and the most characters kept of one line. */
  logLines: number;
  logChars: number;
  /** Most sleeps pending at a time. */
  sleeps: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  memoryMb: 128,
  cpuMs: 10_000,
  outputBytes: 10 * 1024 * 1024,
  logLines: 500,
  logChars: 2_000,
  sleepMs: 60_000,
  sleeps: 1_000,
};

/** QuickJS starts with this much memory, so no limit can be lower. */
export const LEAST_MEMORY_MB = 16;

/** Most memory of the sleeping steps of all threads, in MB. */
export const SLEEPING_MB = 256;
