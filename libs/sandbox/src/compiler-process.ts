import { stop } from 'esbuild';

/** esbuild keeps a process of its own, some 20 MB, from its first use on. */
const IDLE_MS = 5_000;

let inUse = 0;
let idle: NodeJS.Timeout | undefined;

/** Lets the compiler's process end when nobody has needed it for a while; the next use starts it again. */
export async function withCompiler<Result>(use: () => Promise<Result>): Promise<Result> {
  clearTimeout(idle);
  inUse++;
  try {
    return await use();
  } finally {
    if (--inUse === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref();
  }
}
