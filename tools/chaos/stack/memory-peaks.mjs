/** Notes how much memory each process of a service had at most. A process that is replaced counts with its successor. */
import { peakMbOf } from './process-state.mjs';

const EVERY_MS = 1_000;

/** @param {() => Record<string, number | undefined>} pids the processes by name */
export function watchMemory(pids) {
  /** @type {Record<string, number>} */
  const peaks = {};
  const look = () => {
    for (const [name, pid] of Object.entries(pids())) peaks[name] = Math.max(peaks[name] ?? 0, peakMbOf(pid));
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    /** @returns the peaks in MB, by name */
    stop() {
      look();
      clearInterval(timer);
      return Object.fromEntries(Object.entries(peaks).map(([name, mb]) => [name, Math.round(mb)]));
    },
  };
}
