/** What one step may use. Other steps on the same thread do not count towards these limits. */
export interface SandboxLimits {
  /** Most memory of the step's interpreter, in MB. Its WebAssembly memory cannot grow past it. */
  memoryMb: number;
  /** Most CPU time of guest code, in ms. Time in which the machine runs other threads does not count. */
  cpuMs: number;
  /** Longest time that a step may sleep in total, in ms. */
  sleepMs: number;
  /** Longest time from start to end with the sleeps, in ms. Undefined means no limit. */
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

/** The lowest memory limit, in MB, because QuickJS starts with this much. */
export const LEAST_MEMORY_MB = 16;

/** Most memory of the sleeping steps of all threads, in MB. */
export const SLEEPING_MB = 256;
