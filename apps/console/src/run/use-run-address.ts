import { useSearchParams } from 'react-router';
import { inIteration } from './timeline-rows';

/** What the address says when no step is shown, although one would be by itself. */
const NONE = '';

/**
 * What of a run is looked at. All of it is in the address. One that names neither a step nor an iteration shows
 * `firstStep`, if there is one.
 */
export function useRunAddress(firstStep: string | null = null) {
  const [search, setSearch] = useSearchParams();
  const set = (changes: Record<string, string | null>, options?: { replace: boolean }) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes))
        if (value === null) after.delete(name);
        else after.set(name, value);
      return after;
    }, options);
  const iteration = search.get('iteration');
  const named = search.get('step');
  const step = (named ?? (iteration === null ? firstStep : null)) || null;
  const closed = firstStep === null ? null : NONE;
  return {
    tab: search.get('tab') ?? 'timeline',
    /** The place of the chosen step, such as `loop[2].tell`. */
    step,
    /** A part of the step: input, output, error or logs. */
    part: search.get('part'),
    /** The places that say which iterations are shown. */
    places: [step, iteration].filter((place) => place !== null),
    chooseTab: (tab: string) => set({ tab: tab === 'timeline' ? null : tab }),
    /** Closes the panel of the step when there is none. */
    chooseStep: (path: string | null) => set({ step: path ?? closed, part: null }),
    showStep: (path: string) => set({ tab: null, step: path, part: null }),
    choosePart: (part: string) => set({ part }),
    chooseIteration: (loop: string, index: number) =>
      set(
        { iteration: `${loop}[${index}]`, step: step === null ? named : inIteration(step, loop, index) },
        { replace: true }, // going back does not take every digit back
      ),
  };
}

export type RunAddress = ReturnType<typeof useRunAddress>;
