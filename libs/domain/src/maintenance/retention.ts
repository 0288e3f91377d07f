/** How long the data of runs is kept. */
export interface Retention {
  days: number;
  /** Replaces `days` when it is set. */
  hours: number | undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** The retention in milliseconds, and how often to purge older data: each hour, or each minute when `hours` is set. */
export const retentionTimes = ({ days, hours }: Retention): { keptMs: number; everyMs: number } => ({
  keptMs: (hours ?? days * 24) * HOUR_MS,
  everyMs: hours === undefined ? HOUR_MS : 60_000,
});
