import type { RunDetail } from './run-queries';
import type { StepRow } from './timeline-rows';

// Where the bars of the timeline stand. The scale reaches from the moment at which the run was accepted to its end, or
// to now, so that queue time, execution and waits can be told apart.

export interface TimeScale {
  /** When the run was accepted, in milliseconds of the epoch. */
  beganAt: number;
  totalMs: number;
  /** How long the run waited for its first worker. */
  queuedMs: number;
}

/** A part of a bar, in percent of the scale. */
export interface Segment {
  kind: 'execution' | 'wait';
  left: number;
  width: number;
}

/** Returns null when no step says when it began: the run is of an earlier release. */
export function timeScale(
  { created, startTime, finishTime }: Pick<RunDetail, 'created' | 'startTime' | 'finishTime'>,
  rows: readonly StepRow[],
  now: number,
): TimeScale | null {
  if (!rows.some((row) => row.beganAt !== null)) return null;
  const beganAt = Date.parse(created);
  const endedAt = finishTime === null ? now : Date.parse(finishTime);
  const lastEnd = Math.max(...rows.map((row) => (row.beganAt === null ? 0 : endOf(row))));
  return {
    beganAt,
    totalMs: Math.max(1, endedAt - beganAt, lastEnd - beganAt),
    queuedMs: startTime === null ? 0 : Math.max(0, Date.parse(startTime) - beganAt),
  };
}

/** The bar of a step: first what it executed, then what it waited. None for a step that the run took over. */
export function segmentsOf(row: StepRow, { beganAt, totalMs }: TimeScale, now: number): Segment[] {
  if (row.beganAt === null) return [];
  const at = (moment: number) => Math.min(100, Math.max(0, (100 * (moment - beganAt)) / totalMs));
  const executedUntil = row.beganAt + row.durationMs;
  // A step that has not ended goes on until now: it executes, or it waits.
  const isOpen = row.status === 'RUNNING' || row.status === 'PAUSED';
  const end = isOpen ? Math.max(now, endOf(row)) : endOf(row);
  const turn = row.status === 'RUNNING' ? end : executedUntil;
  const segments: Segment[] = [{ kind: 'execution', left: at(row.beganAt), width: at(turn) - at(row.beganAt) }];
  if (end > turn) segments.push({ kind: 'wait', left: at(turn), width: at(end) - at(turn) });
  return segments;
}

const endOf = ({ beganAt, durationMs, waitedMs }: StepRow): number => (beganAt ?? 0) + durationMs + waitedMs;

/** The moments that are written above the timeline, in milliseconds after its begin: round ones, four to eight. */
export function ticksOf(totalMs: number): number[] {
  const about = totalMs / 5;
  const magnitude = 10 ** Math.floor(Math.log10(about));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((each) => each >= about) ?? about;
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, n) => n * step);
}
