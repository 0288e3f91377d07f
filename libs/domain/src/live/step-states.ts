import { stepNameOf } from '../journal/step-path';
import type { StepState } from './live-updates';

/**
 * The states of steps that wait to be sent. A later state of a step, in whatever iteration of a loop, replaces an
 * earlier one, so there are never more than the flow has steps.
 */
export class StepStates {
  private readonly byName = new Map<string, StepState>();

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  add({ path, status, duration }: StepState): void {
    const name = stepNameOf(path);
    this.byName.delete(name);
    this.byName.set(name, { path, status, duration });
  }

  /** Takes the latest state. The latest says where the run is, so it does not wait for earlier ones. */
  takeLatest(): StepState | undefined {
    const latest = [...this.byName.keys()].at(-1);
    if (latest === undefined) return undefined;
    const state = this.byName.get(latest);
    this.byName.delete(latest);
    return state;
  }

  /** Takes the latest states, the earliest of them first. The others are dropped. */
  takeAll(most: number): StepState[] {
    const states = [...this.byName.values()].slice(-most);
    this.byName.clear();
    return states;
  }

  clear(): void {
    this.byName.clear();
  }
}
