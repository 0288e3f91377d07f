/** How long what runs did is kept. */
export interface Retention {
  days: number;
  /** In place of the days. */
  hours: number | undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** The same in milliseconds, and how often to look for what is older: each minute where it is a matter of hours. */
export const retentionTimes = ({ days, hours }: Retention): { keptMs: number; everyMs: number } => ({
  keptMs: (hours ?? days * 24) * HOUR_MS,
  everyMs: hours === undefined ? HOUR_MS : 60_000,
});
