import { makeValidator } from 'envalid';
import { availableParallelism } from 'node:os';
import { DEFAULT_LIMITS, LEAST_MEMORY_MB, SLEEPING_MB } from './limits';

const MOST_MEMORY_MB = 2048;

const memoryMb = makeValidator((text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= LEAST_MEMORY_MB && value <= MOST_MEMORY_MB) return value;
  throw new Error(`must be a whole number of MB from ${LEAST_MEMORY_MB} to ${MOST_MEMORY_MB}, not "${text}"`);
});

const seconds = makeValidator((text: string) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new Error(`must be a positive number of seconds, not "${text}"`);
});

const sleepMemoryMb = makeValidator((text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`must be a positive whole number of MB, not "${text}"`);
});

const threads = makeValidator((text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`must be a positive whole number, not "${text}"`);
});

/** The settings of the sandbox. An app adds them to its own. */
export const sandboxEnv = {
  SVC_SANDBOX_MEMORY_LIMIT: memoryMb({ default: DEFAULT_LIMITS.memoryMb, desc: 'Most memory of a code step, in MB' }),
  SVC_SANDBOX_CPU_SECONDS: seconds({ default: DEFAULT_LIMITS.cpuMs / 1000, desc: 'Most CPU time of a code step' }),
  SVC_SANDBOX_SLEEP_MEMORY: sleepMemoryMb({ default: SLEEPING_MB, desc: 'Most memory of all sleeping steps, in MB' }),
  SVC_SANDBOX_THREADS: threads({ default: availableParallelism(), desc: 'Threads that run code steps' }),
};
