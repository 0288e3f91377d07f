import type { StepState } from './live-updates';

/** The most states that wait. The earliest one is dropped for a further one. */
const MOST_STATES = 100;

/**
 * The states of steps that wait to be sent. A later state of a step replaces an earlier one of the same iteration, so
 * that a client also sees how each iteration of a loop ended.
 */
export class StepStates {
  private readonly byPath = new Map<string, StepState>();

  get isEmpty(): boolean {
    return this.byPath.size === 0;
  }

  add({ path, status, duration }: StepState): void {
    this.byPath.delete(path);
    this.byPath.set(path, { path, status, duration });
    const [earliest] = this.byPath.keys();
    if (this.byPath.size > MOST_STATES && earliest !== undefined) this.byPath.delete(earliest);
  }

  /** Takes the latest state. The latest says where the run is, so it does not wait for earlier ones. */
  takeLatest(): StepState | undefined {
    const latest = [...this.byPath.keys()].at(-1);
    if (latest === undefined) return undefined;
    const state = this.byPath.get(latest);
    this.byPath.delete(latest);
    return state;
  }

  /** Takes the latest states, the earliest of them first. The others are dropped. */
  takeAll(most: number): StepState[] {
    const states = [...this.byPath.values()].slice(-most);
    this.byPath.clear();
    return states;
  }

  clear(): void {
    this.byPath.clear();
  }
}
